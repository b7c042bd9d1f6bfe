"""What hurts users of other language servers for prose, one test after the other.

| pain | here | and in full |
|---|---|---|
| 1 saving is never blocked | yes | |
| 2 stays responsive in a burst of edits | yes | e2e/test_modes: a burst of them; test_overtaking |
| 3 old problems stay until new ones exist | yes | features/test_diagnostics: nothing_blinks; test_overtaking: a_crash |
| 4 fresh across files | yes | features/test_diagnostics: come_along, told_to_pull_again |
| 5 changes outside the editor | yes | test_worker: found_without_a_watching_client |
| 6 no stale fixes | yes | features/test_code_actions; readings/test_actions |
| 7 no problem twice | yes | features/test_diagnostics: never_both |
| 8 refresh only where the client can | yes | features/test_reading: clients_ask_again |
| 9 open and closed files | yes | features/test_diagnostics: closing_an_unsaved_buffer |
| 10 positions | yes | test_from_lsp; text/test_spans; test_rendering |
| 11 command line and server say the same | yes | e2e/test_modes: in_the_editor_and_on_the_command_line |
| 12 ignored files | yes | workspace/test_files: nested_and_negated |
| 13 roots | yes | e2e/test_life: home_directory; features/test_configuration: own_configuration |
| 14 paths | yes | test_session; test_from_lsp |
| 15 one bad file never drops the others | yes | workspace/test_files: what_cannot_be_read |
| 16 suppression | yes | documents/test_suppressions; test_suppressing |
| 17 a baseline by content, not by line | yes | workspace/test_baseline; retrieval/test_regression |
| 18 large files | yes | workspace/test_checks: one_line_counts_the_rest |
| 19 starting | yes | workspace/test_cache; workspace/test_reading |
| 20 configuration | yes | features/test_configuration |
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types

from answer_making import FOLDER, PAGE, label, workspace
from engine_loop import Loop
from evidencedesk.cli import main
from evidencedesk.text.spans import LineIndex
from evidencedesk.workspace import Workspace, files
from evidencedesk_server.messages import Place
from raw_client import Client, Connected

pytestmark = pytest.mark.asyncio

FREE = "The parcel label is free."
LABELS = [label("q1", "Is the parcel label free?", FREE)]
BROKEN = PAGE.replace(FREE, "The parcel\n\nlabel is free.")
PULLS: dict[str, Any] = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}}


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[Connected]:
    workspace(tmp_path, LABELS)
    client = Connected(tmp_path)
    yield client
    await client.desk.stop()


def codes(client: Connected, path: str = "returns.md") -> set[str]:
    pushed = client.pushed(path)
    return {found["code"] for found in pushed[-1]["diagnostics"]} if pushed else set()


def watched(client: Connected, *paths: str) -> None:
    changes = [{"uri": f"{client.uri}/{path}", "type": 2} for path in paths]
    client.say(method="workspace/didChangeWatchedFiles", params={"changes": changes})


async def test_01_saving_is_never_blocked(tmp_path: Path) -> None:
    """An engine that never answers keeps no save and no close waiting."""
    client = Client()
    client.initialize()
    client.desk.session.add_folders([types.WorkspaceFolder(tmp_path.as_uri(), "kb")])
    document = {"uri": f"{tmp_path.as_uri()}/a.md"}
    item = {**document, "languageId": "markdown", "version": 1, "text": "x"}
    client.say(method="textDocument/didOpen", params={"textDocument": item})
    client.say(method="textDocument/didSave", params={"textDocument": document})
    client.say(method="textDocument/didClose", params={"textDocument": document})
    client.say(id=1, method="shutdown")
    assert client.answer(1)["result"] is None
    await client.desk.stop()


async def test_02_a_burst_of_edits_is_a_few_evaluations_and_its_last_state_wins(
    client: Connected, tmp_path: Path
) -> None:
    evaluations = 0
    apply = Workspace.apply

    def counted(*arguments: Any) -> Any:
        nonlocal evaluations
        evaluations += 1
        return apply(*arguments)

    client.initialize()
    client.open("returns.md", PAGE)
    client.open("labels.json", (tmp_path / "labels.json").read_text(encoding="utf-8"))
    await client.until(lambda: client.uri in client.desk.answers.readable)
    chosen = random.Random(5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Workspace, "apply", counted)
        text = PAGE
        for version in range(2, 502):
            at = chosen.randrange(len(text))
            text = text[:at] + chosen.choice(["", "\n\n", "free ", "# "]) + text[at + chosen.randrange(3) :]
            client.change("returns.md", text, version)
            if version % 100 == 0:
                await client.ask("textDocument/hover", "returns.md", position={"line": 6, "character": 2})
        document = client.desk.session.document(f"{client.uri}/returns.md")
        await client.until(lambda: document is not None and document.evaluated == 501)
    assert evaluations <= 7
    (tmp_path / "returns.md").write_text(text, encoding="utf-8")
    fresh = Loop()
    fresh.open(tmp_path, client.uri)

    def shown(answers: Any) -> Any:
        # Regressions are told against the state that was saved, which the fresh one has not seen.
        return {
            place.path: [
                {key: found[key] for key in ("range", "code", "message", "severity", "data")}
                for found in answer["diagnostics"]
                if not found["code"].startswith("ED6")
            ]
            for place, answer in answers.items()
        }

    assert shown(client.desk.answers.files) == shown(fresh.store.files)


async def test_03_old_problems_stay_until_new_ones_exist(client: Connected) -> None:
    client.initialize()
    client.open("returns.md", BROKEN)
    await client.until(lambda: "ED201" in codes(client))
    for version in range(2, 6):
        client.change("returns.md", BROKEN + "\nWords.\n" * version, version)
        await asyncio.sleep(0.3)
    assert all(one["diagnostics"] for one in client.pushed("returns.md"))


async def test_04_repairing_a_page_clears_the_label_that_nobody_touched(client: Connected, tmp_path: Path) -> None:
    client.initialize()
    client.open("returns.md", PAGE.replace("## Costs", "## Prices"))
    lost = [{**LABELS[0], "gold": [{"section": "returns#Costs", "evidence": FREE}]}]
    (tmp_path / "labels.json").write_text(json.dumps(lost), encoding="utf-8")
    watched(client, "labels.json")
    await client.until(lambda: "ED704" in codes(client, "labels.json"))
    client.change("returns.md", PAGE, 2)
    await client.until(lambda: "ED704" not in codes(client, "labels.json"))


async def test_05_a_change_outside_the_editor_is_seen_with_and_without_watching_clients(
    client: Connected, tmp_path: Path
) -> None:
    client.initialize()
    await client.until(lambda: client.uri in client.desk.answers.indexed)
    (tmp_path / "returns.md").write_text(BROKEN, encoding="utf-8")
    watched(client, "returns.md")
    await client.until(lambda: "ED201" in codes(client))
    polls = Loop()
    polls.open(tmp_path, poll=True)
    (tmp_path / "returns.md").write_text(PAGE, encoding="utf-8")
    polls.engine.look_at_disk()
    assert Place(FOLDER, "returns.md") not in polls.store.files


async def test_06_a_fix_made_for_another_text_is_not_offered(client: Connected) -> None:
    client.initialize()
    client.open("returns.md", BROKEN)
    await client.until(lambda: "ED201" in codes(client))
    later = BROKEN.replace("# Returns\n", "# Returns\n\nWords above.\n")
    for version, text in ((1, BROKEN), (2, later)):
        if version > 1:
            client.change("returns.md", text, version)
        line = text.split("\n").index("The parcel")
        place = {"start": {"line": line, "character": 2}, "end": {"line": line, "character": 2}}
        offered = await client.ask("textDocument/codeAction", "returns.md", range=place, context={"diagnostics": []})
        (silence,) = [action for action in offered if action["title"] == "Ignore ED201 here"]
        ((edit,),) = silence["edit"]["changes"].values()
        assert edit["range"]["start"]["line"] == line


@pytest.mark.parametrize("capabilities", [{}, PULLS])
async def test_07_no_client_gets_a_problem_on_two_ways(client: Connected, capabilities: dict[str, Any]) -> None:
    client.initialize(**capabilities)
    client.open("returns.md", BROKEN)
    await client.until(lambda: client.uri in client.desk.answers.indexed)
    pulls = "diagnosticProvider" in client.answer("init")["result"]["capabilities"]
    assert pulls is (capabilities is PULLS)
    if pulls:
        assert (await client.ask("textDocument/diagnostic", "returns.md"))["items"]
        assert not [one for one in client.sent if one.get("method") == "textDocument/publishDiagnostics"]


async def test_08_nothing_is_refreshed_that_the_client_cannot_refresh(client: Connected) -> None:
    client.initialize()
    client.open("returns.md", PAGE)
    await client.ask("textDocument/codeLens", "returns.md")
    client.change("returns.md", BROKEN, 2)
    await client.until(lambda: "ED201" in codes(client))
    assert [one["method"] for one in client.sent if one.get("method", "").endswith("/refresh")] == []


async def test_09_closing_clears_nothing_that_is_on_disk_and_opening_again_restores_the_rest(
    client: Connected, tmp_path: Path
) -> None:
    """All files of a folder are told of, open or not: what is on disk counts for those that are closed."""
    (tmp_path / "returns.md").write_text(BROKEN, encoding="utf-8")
    client.initialize()
    await client.until(lambda: "ED201" in codes(client))
    client.open("returns.md", PAGE)
    await client.until(lambda: codes(client) == set())
    client.close_document("returns.md")
    await client.until(lambda: "ED201" in codes(client))
    client.open("returns.md", PAGE)
    await client.until(lambda: codes(client) == set())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize(
    "lines",
    ["\r\n", "\n", "\r"],
    ids=["CRLF", "LF", "CR"],
)
@pytest.mark.parametrize(
    ("before", "end"),
    [("😀 é ", "\n"), ("", ""), ("\ufeff", "\n"), ("a\u2028b\u0085c\x0cd ", ""), ("😀" * 40, "")],
    ids=["emoji", "no line end", "BOM", "U+2028", "many emoji"],
)
async def test_10_positions_count_the_clients_units(
    client: Connected, encoding: Any, lines: str, before: str, end: str
) -> None:
    client.initialize(general={"positionEncodings": [encoding]})
    text = f"# Ã©tÃ©\n\n{before}Words Ã©tÃ© here.{end}".replace("\n", lines)
    client.open("returns.md", "")
    for version, character in enumerate(text[::-1], start=2):
        # Typed backwards, one character after the other, each at the very beginning.
        at = {"line": 0, "character": 0}
        change = {"range": {"start": at, "end": at}, "text": character}
        document = {"uri": f"{client.uri}/returns.md", "version": version}
        client.say(method="textDocument/didChange", params={"textDocument": document, "contentChanges": [change]})
    client.save("returns.md")
    await client.until(lambda: "ED108" in codes(client))
    index = LineIndex(text)
    marked = []
    for found in client.pushed("returns.md")[-1]["diagnostics"]:
        if found["code"] == "ED108":
            start, stop = (
                index.offset(found["range"][edge]["line"], found["range"][edge]["character"], encoding)
                for edge in ("start", "end")
            )
            marked.append(text[start:stop])
    assert len([words for words in marked if words in ("Ã©tÃ©", "Ã©")]) >= 2
    assert set(marked) <= {"Ã©tÃ©", "Ã©", "\ufeff", "\x85"}


async def test_11_the_command_line_says_what_the_server_says(
    client: Connected, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "returns.md").write_text(f"😀 {BROKEN}\n```\nnever closed\n", encoding="utf-8", newline="\r\n")
    client.initialize()
    await client.until(lambda: client.uri in client.desk.answers.readable)
    told = {
        (path, found["code"], found["message"], found["range"]["start"]["line"] + 1)
        for path in ("returns.md", "labels.json")
        for params in client.pushed(path)[-1:]
        for found in params["diagnostics"]
    }
    assert main(["check", str(tmp_path), "--format", "json"]) == 1
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert told == {
        (Path(one["path"]).name, one["code"], one["message"], one["range"]["start"]["line"]) for one in problems
    }
    assert {"ED201", "ED203"} <= {code for _, code, _, _ in told}


async def test_12_ignored_files_are_neither_told_of_nor_read(client: Connected, tmp_path: Path) -> None:
    (tmp_path / "drafts").mkdir()
    (tmp_path / "drafts" / "a.md").write_text("```\nnever closed\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("drafts/*\n!drafts/kept.md\n", encoding="utf-8")
    (tmp_path / "drafts" / "kept.md").write_text("```\nnever closed\n", encoding="utf-8")
    client.initialize()
    await client.until(lambda: client.uri in client.desk.answers.readable)
    assert codes(client, "drafts/kept.md") == {"ED203"}
    client.open("drafts/a.md", "```\nnever closed\n")
    client.open("../elsewhere.md", "```\nnever closed\n")
    client.change("returns.md", PAGE, 1)
    await client.ask("workspace/symbol", query="x")
    assert client.pushed("drafts/a.md") == client.pushed("../elsewhere.md") == []


@pytest.mark.parametrize("given", ["workspaceFolders", "rootUri", "rootPath"])
async def test_13_the_root_is_found_however_the_client_names_it(tmp_path: Path, given: str) -> None:
    client = Client()
    uri = tmp_path.as_uri()
    named = {"workspaceFolders": [{"uri": uri, "name": "kb"}], "rootUri": uri, "rootPath": str(tmp_path)}
    params = {"processId": None, "rootUri": None, "capabilities": {}, given: named[given]}
    client.say(id="init", method="initialize", params=params)
    client.say(method="initialized", params={})
    await asyncio.sleep(0)
    assert [folder.root for folder in client.desk.session.folders.values()] == [str(tmp_path)]
    await client.desk.stop()


@pytest.mark.parametrize("name", ["a (1).md", "ü ö.md", "50%.md", "a#b.md", "a+b&c.md", "日本.md", "sub/a b.md"])
async def test_14_files_with_any_name_are_opened_and_told_of(client: Connected, tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("```\nnever closed\n", encoding="utf-8")
    client.initialize()
    uri = (tmp_path / name).as_uri()
    await client.until(lambda: client.uri in client.desk.answers.readable)
    item = {"uri": uri, "languageId": "markdown", "version": 1, "text": "```\nnever closed at all\n"}
    client.say(method="textDocument/didOpen", params={"textDocument": item})
    document = client.desk.session.document(uri)
    await client.until(lambda: document is not None and document.evaluated == 1)
    uris = {answer["uri"] for answer in client.desk.answers.files.values() if answer["path"] == name}
    assert uris == {uri}


async def test_15_a_bad_file_has_a_problem_and_takes_nothing_from_the_others(tmp_path: Path) -> None:
    workspace(tmp_path, LABELS)
    alone = Loop()
    alone.open(tmp_path)
    good = dict(alone.store.files)
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe\x00\x01" * 50)
    (tmp_path / "bad.json").write_text('[{"id": "q9", "question": ', encoding="utf-8")
    (tmp_path / "folder.md").mkdir()
    told = alone.update("bad.md", None)
    told["files"] += alone.update("bad.json", None)["files"]
    assert {answer["path"] for answer in told["files"]} == {"bad.md", "bad.json"}
    assert {place: answer for place, answer in alone.store.files.items() if place in good} == good


async def test_16_a_problem_is_silenced_at_its_place_and_an_unknown_rule_is_one_itself(client: Connected) -> None:
    client.initialize()
    fence = "# A\n\n{}```\nnever closed\n"
    client.open("returns.md", fence.format(""))
    await client.until(lambda: "ED203" in codes(client))
    client.change("returns.md", fence.format("<!-- evidencedesk: ignore ED203 -->\n"), 2)
    await client.until(lambda: "ED203" not in codes(client))
    client.change("returns.md", fence.format("<!-- evidencedesk: ignore ED999 -->\n"), 3)
    await client.until(lambda: {"ED203", "ED901"} <= codes(client))


async def test_17_what_is_known_of_a_problem_is_its_content_and_not_its_line(client: Connected) -> None:
    client.initialize()
    client.open("returns.md", BROKEN)
    await client.until(lambda: "ED201" in codes(client))

    def fingerprints() -> set[str]:
        return {found["data"]["fingerprint"] for found in client.pushed("returns.md")[-1]["diagnostics"]}

    before = fingerprints()
    client.change("returns.md", BROKEN.replace("# Returns\n", "# Returns\n\n\nWords above.\n"), 2)
    await client.until(lambda: client.pushed("returns.md")[-1]["version"] == 2)
    assert before <= fingerprints()


async def test_18_a_file_that_grows_too_large_says_so_and_nothing_else(
    client: Connected, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 1_000)
    (tmp_path / "returns.md").write_text(BROKEN, encoding="utf-8")
    client.initialize()
    await client.until(lambda: "ED201" in codes(client))
    (tmp_path / "returns.md").write_text(BROKEN * 20, encoding="utf-8")
    watched(client, "returns.md")
    await client.until(lambda: codes(client) == {"ED101"})


async def test_19_nothing_is_read_before_the_client_is_answered(
    client: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Workspace, "open", _never)
    client.initialize()
    assert client.answer("init")["result"]["capabilities"]


async def test_20_null_settings_and_new_configuration_files_work(client: Connected, tmp_path: Path) -> None:
    client.initialize()
    client.open("returns.md", BROKEN)
    client.say(method="workspace/didChangeConfiguration", params={"settings": None})
    await client.until(lambda: "ED201" in codes(client))
    (tmp_path / "evidencedesk.toml").write_text('[rules]\nignore = ["ED2"]\n', encoding="utf-8")
    watched(client, "evidencedesk.toml")
    await client.until(lambda: "ED201" not in codes(client))


def _never(*_: Any, **__: Any) -> Callable[[], None]:
    raise AssertionError("the folder was read")
