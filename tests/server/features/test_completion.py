"""Completion at the cursor, in each file that we know."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from answer_making import label, workspace
from evidencedesk.text.spans import LineIndex
from evidencedesk_server.readings.completions.items import LIMIT
from raw_client import Connected

pytestmark = pytest.mark.asyncio

MARK = "¦"
RETURNS = """---
id: returns
title: Returns and refunds
status: current
lang: en
---
# Returns 😀

Send it back within 30 days of delivery. We "refund" the full price,
and the parcel label is free.

## Costs

- Nothing at all.
- Really nothing.

## Costs

The second one.
"""
OLDER = """---
id: returns-v1
status: superseded
reviewed: 2020-01-01
---
# Returns

Send it back within 14 days.
"""
BIKES = """---
id: bikes/road
reviewed: 2021-01-01
---
# Road bikes

They are fast.
"""
PAGES = {"returns.md": RETURNS, "old/returns.md": OLDER, "bikes.md": BIKES}
LABELS = [
    label("q-07", "Is the label free?", "the parcel label is free", tags=["costs", "easy"]),
    label("q-08", "How fast is it?", gold=[{"section": "bikes/road#Road bikes", "evidence": "They are fast."}]),
    label("q-09", "Do you sell kites?", tags=["easy"]),
]
FULL: dict[str, Any] = {
    "textDocument": {
        "completion": {
            "completionItem": {
                "snippetSupport": True,
                "documentationFormat": ["markdown"],
                "insertTextModeSupport": {"valueSet": [1, 2]},
            }
        },
        "hover": {"contentFormat": ["markdown"]},
    }
}


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[Connected]:
    workspace(tmp_path, LABELS, PAGES)
    client = Connected(tmp_path)
    yield client
    await client.desk.stop()


class Completed:
    """What is offered at the mark of a text, and the text after one of the offers is taken."""

    def __init__(self, text: str, items: list[dict[str, Any]]) -> None:
        self.text = text
        self.items = items
        self.labels = [item["label"] for item in items]

    def taken(self, name: str) -> str:
        (item,) = [item for item in self.items if item["label"] == name]
        index = LineIndex(self.text)
        edits = [item["textEdit"], *item.get("additionalTextEdits", [])]
        text = self.text
        for edit in sorted(edits, key=lambda edit: list(edit["range"]["start"].values()), reverse=True):
            start, end = (
                index.offset(edit["range"][edge]["line"], edit["range"][edge]["character"], "utf-16")
                for edge in ("start", "end")
            )
            new = edit["newText"]
            if item.get("insertTextFormat") == 2:
                new = re.sub(r"\\([\\$}])", r"\1", new)
            text = text[:start] + new + text[end:]
        return text


async def complete(client: Connected, path: str, marked: str) -> Completed:
    text = marked.replace(MARK, "")
    line, column = LineIndex(text).position(marked.index(MARK), "utf-16")
    client.open(path, text)
    found = await client.ask("textDocument/completion", path, position={"line": line, "character": column})
    items = found["items"] if found else []
    assert [item["sortText"] for item in items] == sorted(item["sortText"] for item in items)
    return Completed(text, items)


def in_gold(gold: str) -> str:
    return f'[\n  {{"id": "new", "question": "😀?", "gold": [{{{gold}}}]}}\n]\n'


LABEL_CASES = {
    "documents, current and often named first": (in_gold('"section": "¦"'), ["bikes/road", "returns", "returns-v1"]),
    "a document by a part of its title": (in_gold('"section": "refu¦"'), ["returns"]),
    "headings after the sign": (
        in_gold('"section": "returns#¦"'),
        ["returns#Returns 😀", "returns#Costs", "returns#Costs-1"],
    ),
    "headings by their words": (in_gold('"section": "road b¦"'), ["bikes/road", "bikes/road#Road bikes"]),
    "sections by their text where no name fits": (
        in_gold('"section": "send it b¦"'),
        ["returns#Returns 😀", "returns-v1#Returns"],
    ),
    "headings of a document that is not named in full": (
        in_gold('"section": "retu#cost¦"'),
        [
            "returns#Costs",
            "returns#Costs-1",
        ],
    ),
    "all headings of the document where none fits": (in_gold('"section": "returns-v1#Zz¦"'), ["returns-v1#Returns"]),
    "headings of any where the document is none": (in_gold('"section": "xyz#road¦"'), ["bikes/road#Road bikes"]),
    "a title does not match by scattered letters": (in_gold('"section": "rrr¦"'), []),
    "sentences with some of the words, where none has all": (
        in_gold('"section": "returns#Costs", "evidence": "nothing elephant¦"'),
        ["Nothing at all.", "Really nothing."],
    ),
    "all sentences, where none has any of the words": (
        in_gold('"section": "returns#Costs", "evidence": "elephant¦"'),
        ["Nothing at all.", "Really nothing.", "The second one."],
    ),
    "the sentences of the section": (
        in_gold('"section": "returns#Costs", "evidence": "¦"'),
        ["Nothing at all.", "Really nothing.", "The second one."],
    ),
    "the section may come after": (
        in_gold('"evidence": "second¦", "section": "returns#Costs"'),
        ["The second one."],
    ),
    "what goes on from the typed words": (
        in_gold('"section": "returns", "evidence": "within 30¦"'),
        [
            "within 30 days of delivery.",
            'within 30 days of delivery. We "refund" the full price, and the parcel label is free.',
            "Send it back within 30 days of delivery.",
        ],
    ),
    "no evidence in a document that is not there": (in_gold('"section": "nowhere", "evidence": "¦"'), []),
    "grades": (in_gold('"section": "returns", "grade": ¦'), ["2", "1"]),
    "keys that are missing": (in_gold('"section": "returns", "¦"'), ["evidence", "grade", "group"]),
    "tags, the frequent first": ('[{"id": "n", "tags": ["¦"]}]', ["easy", "costs"]),
    "tags that are not there yet": ('[{"id": "n", "tags": ["easy", "¦"]}]', ["costs"]),
    "the next id": ('[{"id": "¦"}]', ["q-10"]),
    "answerable": ('[{"id": "n", "answerable": f¦}]', ["false"]),
    "statuses in use": ('[{"id": "n", "scope": {"statuses": ["¦"]}}]', ["current", "superseded"]),
    "keys of a scope": ('[{"id": "n", "scope": {"langs": ["en"], "¦"}}]', ["statuses", "audiences"]),
    "rules by their names": ('[{"id": "n", "ignore": ["missed-ev¦"]}]', ["ED301"]),
    "groups of the label": ('[{"id": "n", "gold": [{"group": "both"}, {"group": "¦"}]}]', ["both"]),
    "nothing in a question": ('[{"id": "n", "question": "How ¦"}]', []),
    "a label without its comma": (
        '[{"id": "n", "question": "Why?"} ¦',
        ["new label (q1)", "new unanswerable label (q1)"],
    ),
}


@pytest.mark.parametrize(("marked", "wanted"), LABEL_CASES.values(), ids=LABEL_CASES.keys())
async def test_labels(client: Connected, marked: str, wanted: list[str]) -> None:
    client.initialize(None, **FULL)
    assert (await complete(client, "more-labels.json", marked)).labels == wanted


PAGE_CASES = {
    "fields that are missing": (
        "---\nid: x\n¦\n---\n",
        ["title", "version", "status", "audience", "lang", "supersedes", "reviewed"],
    ),
    "fields by a part": ("---\nid: x\nstat¦\n---\n", ["status"]),
    "statuses": ("---\nid: x\nstatus: ¦\n---\n", ["current", "superseded"]),
    "values in use, the better first": ("---\nreviewed: 2020-¦\n---\n", ["2020-01-01", "2021-01-01"]),
    "what it supersedes": ("---\nid: returns-v2\nsupersedes: [returns-v1, ¦]\n---\n", ["returns", "bikes/road"]),
    "what it supersedes in lines": ("---\nsupersedes:\n  - returns\n  - ¦\n---\n", ["returns-v1", "bikes/road"]),
    "a front matter that is not closed": ("---\nid: x\nlang: ¦\n", ["en"]),
    "nothing in prose": ("# Status\n\nstat¦", []),
    "nothing in front matter's shadow": ("# A\n\n---\nstat¦\n---\n", []),
    "the comment": (
        "# A\n\n<!-- ¦",
        ["evidencedesk: ignore ED107", "evidencedesk: ignore …", "evidencedesk: ignore-file …", "evidencedesk: keep"],
    ),
    "its verbs": ("# A\n\n<!-- evidencedesk: ¦ -->", ["ignore ED107", "ignore …", "ignore-file …", "keep"]),
    "its codes": ("# A\n\n<!-- evidencedesk: ignore ED301 ED30¦ -->", ["ED302", "ED303", "ED304", "ED305", "ED306"]),
    "no comment of others": ("# A\n\n<!-- TODO: ¦ -->", []),
}


@pytest.mark.parametrize(("marked", "wanted"), PAGE_CASES.values(), ids=PAGE_CASES.keys())
async def test_pages(client: Connected, marked: str, wanted: list[str]) -> None:
    client.initialize(None, **FULL)
    assert (await complete(client, "new.md", marked)).labels == wanted


SETTING_CASES = {
    "tables": ("[ana¦", ["analysis.en"]),
    "tables from their names": ("retr¦", ["[retrieval]", "[retrieval.gate]", "[retrieval.correction]"]),
    "settings that are not set": ("[retrieval.gate]\naccept = 0.5\n¦", ["grader"]),
    "choices": ('[chunking]\nstrategy = "re¦"', ["recursive", "structure"]),
    "values in use": ('[scope]\nstatuses = ["current", "¦"]', ["superseded"]),
    "a list that is not open": ("[scope]\nlangs = ¦", ['["en"]']),
    "a list over lines": ('[rules]\nignore = [\n  "ED301",\n  "ED30¦"\n]', [f"ED30{n}" for n in range(2, 7)]),
    "defaults": ("[retrieval]\nk = ¦", ["5"]),
    "severities": ("[rules.severity]\nED301 = ¦", ["error", "warning", "information", "hint"]),
    "nothing in a comment": ("[retrieval]\nk = 5 # mo¦", []),
    "nothing in a free text": ('[documents]\ninclude = ["¦"]', []),
}  # fmt: skip


@pytest.mark.parametrize(("marked", "wanted"), SETTING_CASES.values(), ids=SETTING_CASES.keys())
async def test_settings(client: Connected, marked: str, wanted: list[str]) -> None:
    client.initialize(None, **FULL)
    assert (await complete(client, "evidencedesk.toml", marked)).labels == wanted


async def test_in_pyproject_only_our_table_is_completed(client: Connected) -> None:
    client.initialize(None, **FULL)
    assert (await complete(client, "pyproject.toml", "[project]\nna¦")).labels == []
    ours = await complete(client, "pyproject.toml", "[tool.evidencedesk.retrieval.gate]\n¦")
    assert ours.labels == ["grader", "accept"]
    assert (await complete(client, "pyproject.toml", "[tool.evi¦]")).labels[0] == "tool.evidencedesk"


async def test_files_that_hold_no_labels_are_left_alone(client: Connected) -> None:
    client.initialize(None, **FULL)
    assert (await complete(client, "package.json", '{"¦"}')).labels == []
    assert (await complete(client, "notes.txt", "stat¦")).labels == []


TAKEN = {
    "inside quotation marks, escaped, after an emoji": (
        "more-labels.json",
        in_gold('"section": "returns", "evidence": "full price¦"'),
        'full price, and the parcel label is free.',
        in_gold('"section": "returns", "evidence": "full price,\\nand the parcel label is free."'),
    ),
    "over what stood there": (
        "more-labels.json",
        in_gold('"section": "ret¦zzz", "evidence": "x"'),
        "returns",
        in_gold('"section": "returns", "evidence": "x"'),
    ),
    "a text that is not closed": (
        "more-labels.json",
        '[{"id": "n", "gold": [{"section": "road¦\n}]}]',
        "bikes/road#Road bikes",
        '[{"id": "n", "gold": [{"section": "bikes/road#Road bikes"\n}]}]',
    ),
    "a value without quotation marks": (
        "more-labels.json",
        in_gold('"section": ¦ "evidence": "x"'),
        "returns",
        in_gold('"section": "returns", "evidence": "x"'),
    ),
    "a key and the comma before it": (
        "more-labels.json",
        '[{"id": "n"\n "q¦"}]',
        "question",
        '[{"id": "n",\n "question": "$1"}]',
    ),
    "a key and the comma after it": (
        "more-labels.json",
        '[{"id": "n",\n "ans¦"\n "tags": []}]',
        "answerable",
        '[{"id": "n",\n "answerable": ${1:false},\n "tags": []}]',
    ),
    "a key that has its colon": ("more-labels.json", '[{"i¦": "n"}]', "id", '[{"id": "n"}]'),
    "a label like the others": (
        "more-labels.json",
        '[{"id": "n", "question": "Why?"}, ¦]',
        "new unanswerable label (q1)",
        '[{"id": "n", "question": "Why?"}, {"id": "q1", "question": "$1", "answerable": false}]',
    ),
    "the first label of a file": (
        "first-labels.json",
        "¦",
        "new label (q-10)",
        '[\n  {\n    "id": "q-10",\n    "question": "$1",\n'
        '    "gold": [{"section": "$2", "evidence": "$3"}]\n  }\n]',
    ),
    "a field": ("new.md", "---\nstat¦\n---\n", "status", "---\nstatus: \n---\n"),
    "a comment whose bracket the editor has closed": (
        "new.md",
        "<!-- ¦>\n\nText.",
        "evidencedesk: keep",
        "<!-- evidencedesk: keep -->\n\nText.",
    ),
    "a comment": ("new.md", "<!-- e¦", "evidencedesk: ignore …", "<!-- evidencedesk: ignore $0 -->"),
    "a table": ("evidencedesk.toml", "[chu¦", "chunking", "[chunking]\n"),
    "a text of a configuration": (
        "evidencedesk.toml",
        "[chunking]\nstrategy = ¦",
        "tokens",
        '[chunking]\nstrategy = "tokens"',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("path", "marked", "name", "after"), TAKEN.values(), ids=TAKEN.keys())
async def test_what_is_taken_is_written_for_its_place(
    client: Connected, path: str, marked: str, name: str, after: str
) -> None:
    client.initialize(None, **FULL)
    assert (await complete(client, path, marked)).taken(name) == after


async def test_clients_without_snippets_get_plain_text(client: Connected) -> None:
    client.initialize()
    key = await complete(client, "more-labels.json", '[{"id": "n", "gold": [{"section": "returns", "¦"}]}]')
    assert key.taken("grade") == '[{"id": "n", "gold": [{"section": "returns", "grade": 2}]}]'
    whole = await complete(client, "more-labels.json", '[{"id": "n", "question": "Why?"}, ¦]')
    added = '{"id": "q1", "question": "", "gold": [{"section": "", "evidence": ""}]}'
    assert whole.taken("new label (q1)") == f'[{{"id": "n", "question": "Why?"}}, {added}]'
    assert all("insertTextFormat" not in item for item in key.items + whole.items)


async def test_details_are_told_when_asked_for(client: Connected) -> None:
    client.initialize(None, **FULL)
    found = await complete(client, "more-labels.json", in_gold('"section": "returns#¦"'))
    assert "documentation" not in found.items[1]
    resolved = await client.ask("completionItem/resolve", **found.items[1])
    assert "Nothing at all." in resolved["documentation"]["value"]
    codes = await complete(client, "new.md", "<!-- evidencedesk: ignore ED301¦")
    resolved = await client.ask("completionItem/resolve", **codes.items[0])
    assert "missed-evidence" in resolved["documentation"]["value"]


async def test_own_names_of_fields_are_offered(client: Connected, tmp_path: Path) -> None:
    config = '[documents.fields]\nstatus_field = "state"\n'
    (tmp_path / "evidencedesk.toml").write_text(config, encoding="utf-8")
    client.initialize(None, **FULL)
    assert "state" in (await complete(client, "new.md", "---\nsta¦\n---\n")).labels
    assert (await complete(client, "new.md", "---\nstate: super¦\n---\n")).labels == ["superseded"]


async def test_every_offered_section_is_known_and_every_offered_evidence_found_in_it(
    client: Connected, tmp_path: Path
) -> None:
    client.initialize(None, **FULL)
    sections = set()
    for typed in ("", "returns#", "returns-v1#", "bikes/road#"):
        sections |= set((await complete(client, "more-labels.json", in_gold(f'"section": "{typed}¦"'))).labels)
    assert len(sections) == 8
    labels = []
    for section in sorted(sections):
        for typed in ("", "the", "nothing", "30 days", "wi"):
            gold = f'"section": {json.dumps(section, ensure_ascii=False)}, "evidence": "{typed}¦"'
            found = await complete(client, "more-labels.json", in_gold(gold))
            for name in found.labels:
                (one,) = json.loads(found.taken(name))
                labels.append({**one, "id": f"n{len(labels)}", "question": f"What about {len(labels)}?"})
    assert len(labels) > 20
    opened = workspace(tmp_path / "copy", labels, PAGES) if (tmp_path / "copy").mkdir() is None else None
    assert opened is not None
    unfounded = {"ED701", "ED702", "ED704", "ED705"}
    assert [problem for problem in opened.snapshot.problems if problem.code in unfounded] == []


async def test_never_more_than_the_limit(client: Connected, tmp_path: Path) -> None:
    for number in range(LIMIT + 20):
        (tmp_path / f"page{number:03}.md").write_text(f"# Page {number}\n\nText {number}.\n", encoding="utf-8")
    long = "# Long\n\n" + " ".join(f"Sentence {number}." for number in range(300)) + "\n"
    (tmp_path / "long.md").write_text(long, encoding="utf-8")
    client.initialize(None, **FULL)
    pages = await complete(client, "more-labels.json", in_gold('"section": "page¦"'))
    assert len(pages.labels) == LIMIT
    assert (await complete(client, "more-labels.json", in_gold('"section": "page119¦"'))).labels == ["page119"]
    gold = '"section": "long#Long", "evidence": "{}¦"'
    assert len((await complete(client, "more-labels.json", in_gold(gold.format("")))).labels) == LIMIT
    found = await complete(client, "more-labels.json", in_gold(gold.format("Sentence 299")))
    assert found.labels == ["Sentence 299."]


async def test_nobody_waits_for_an_evaluation(client: Connected) -> None:
    client.initialize(None, **FULL)
    await complete(client, "more-labels.json", in_gold('"section": "¦"'))
    client.desk.engine.send = (  # type: ignore[method-assign]
        lambda request, send=client.desk.engine.send: send(request) if request["do"] == "look" else None
    )
    text = in_gold('"section": "returns#Costs", "evidence": "Not"')
    change = {
        "textDocument": {"uri": f"{client.uri}/more-labels.json", "version": 2},
        "contentChanges": [{"text": text}],
    }
    client.say(method="textDocument/didChange", params=change)
    line, column = LineIndex(text).position(text.index('Not"') + 3, "utf-16")
    async with asyncio.timeout(5):
        position = {"line": line, "character": column}
        found = await client.ask("textDocument/completion", "more-labels.json", position=position)
    assert [item["label"] for item in found["items"]] == ["Nothing at all.", "Really nothing."]


async def test_lines_of_a_snippet_begin_at_the_margin_and_those_of_plain_text_where_they_belong(
    client: Connected, tmp_path: Path
) -> None:
    client.initialize(None, **FULL)
    marked = (tmp_path / "labels.json").read_text(encoding="utf-8").rstrip("]\n") + ",\n  ¦\n]\n"
    item = (await complete(client, "labels.json", marked)).items[0]
    assert item["insertTextMode"] == 2
    assert item["textEdit"]["newText"].startswith('{\n  "id": "q-10",\n  "question": "$1",\n')
    other = Connected(tmp_path)
    other.initialize()
    item = (await complete(other, "labels.json", marked)).items[0]
    assert item["textEdit"]["newText"].startswith('{\n    "id": "q-10",\n    "question": "",\n')
    await other.desk.stop()


async def test_evidence_may_begin_on_a_line_below_those_that_end_no_sentence(client: Connected, tmp_path: Path) -> None:
    menu = "# Menu\n\nSettings\nReset\nYou can restore the factory state,\nand more, on any TV.\n\n## Empty\n"
    (tmp_path / "menu.md").write_text(menu, encoding="utf-8")
    client.initialize(None, **FULL)
    found = await complete(client, "more-labels.json", in_gold('"section": "menu#Menu", "evidence": "factory¦"'))
    assert found.labels == [
        "Settings Reset You can restore the factory state, and more, on any TV.",
        "Reset You can restore the factory state, and more, on any TV.",
        "You can restore the factory state, and more, on any TV.",
    ]
    sections = await complete(client, "more-labels.json", in_gold('"section": "menu#¦"'))
    assert [(item["label"], item.get("detail")) for item in sections.items] == [
        ("menu#Menu", None),
        ("menu#Empty", "no text of its own"),
    ]


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
async def test_ranges_count_the_units_of_the_client(client: Connected, encoding: str, column: int) -> None:
    client.initialize(None, general={"positionEncodings": [encoding]}, **FULL)
    text = '[{"question": "😀", "tags": ["ea"]}]'
    client.open("more-labels.json", text)
    before = text.index('"tags') - 1 + column
    position = {"line": 0, "character": before + len(' "tags": ["ea') - 1}
    found = await client.ask("textDocument/completion", "more-labels.json", position=position)
    place = found["items"][0]["textEdit"]["range"]
    assert [place[edge]["character"] for edge in ("start", "end")] == [position["character"] - 2, position["character"]]
