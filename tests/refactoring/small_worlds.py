"""Small knowledge bases drawn at random: pages that link to each other, labels, a baseline and recorded runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from hypothesis import strategies as st

from evidencedesk.documents.links import anchors, find_links, resolve
from evidencedesk.refactoring.edits import Edits
from evidencedesk.retrieval.label_runs import MODE, contract_hash
from evidencedesk.text.spans import apply_edits
from evidencedesk.workspace import Change, Workspace
from evidencedesk.workspace.snapshot import Snapshot

TODAY = date(2026, 1, 1)
HEADINGS = ("Costs", "Time limit", "Costs & *fees*", "Für alle", "Costs-1")
PATHS = ("a.md", "guide/b.md", "guide/index.md", "old (1).md")
LINKS = (
    "a.md",
    "guide/b.md#costs",
    "../a.md#time-limit",
    "b.md",
    "/guide/",
    "#costs",
    "<old (1).md#costs-1>",
    "pic.png",
)


@st.composite
def pages(draw: st.DrawFn) -> dict[str, str]:
    """Path → Markdown: front matter with or without an id, repeated headings, links, sentences of their own."""
    found: dict[str, str] = {}
    for path in draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=4, unique=True)):
        number = PATHS.index(path)
        lines = []
        own_id = draw(st.sampled_from([None, f"page-{number}", f'"page {number}"', f"'p:{number}'"]))
        older = draw(st.sampled_from([None, "page-0", "[a, page-1]", "guide/b"]))
        if own_id or older:
            lines += [
                "---",
                *([f"id: {own_id}"] if own_id else []),
                *([f"supersedes: {older}"] if older else []),
                "---",
            ]
        for part in range(draw(st.integers(1, 4))):
            heading, style = draw(st.sampled_from(HEADINGS)), draw(st.integers(0, 3))
            plain = [f"## {heading}", f"# {heading} ##", f"{heading}\n---", f"## {heading} {{#x{part}}}"][style]
            link = draw(st.sampled_from(LINKS))
            same = draw(st.sampled_from(["within 30 days", "for free"]))
            lines += [plain, "", f"Sentence {number}-{part} holds {same}, see [there]({link}).", ""]
        found[path] = draw(st.sampled_from(["\n", "\r\n"])).join(lines)
    return found


def build(root: Path, files: Mapping[str, str], draw: st.DataObject) -> Workspace:
    """The workspace of these pages, with labels of their sections, a baseline and a run."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    empty = Workspace.open(root, today=TODAY).snapshot
    labels = []
    for document in empty.documents:
        for number, section in enumerate(document.sections):
            if draw.draw(st.booleans()):
                words = section.body.of(document.text).strip().split(",")[0]
                evidence = draw.draw(st.sampled_from([words, "within 30 days"]))
                name = draw.draw(st.sampled_from([section.anchor, section.heading]))
                gold = [{"section": f"{document.doc_id}#{name}", "evidence": evidence}]
                labels.append({"id": f"q {document.path} {number}", "question": f"What of {words}?", "gold": gold})
    (root / "labels.json").write_text(json.dumps(labels, indent=1, ensure_ascii=draw.draw(st.booleans())))
    workspace = Workspace.open(root, today=TODAY)
    workspace.accept_baseline(create=True)
    runs = "".join(
        json.dumps(
            {
                "test_id": name,
                "mode": MODE,
                "contract_hash": contract_hash(evaluation.label),
                "ranking": [
                    {"chunk_id": found.chunk.id, "score": 1.0, "text": found.chunk.text, "metadata": {"doc_id": "a"}}
                    for found in evaluation.retrieved
                ],
                "context": [],
            }
        )
        + "\n"
        for name, evaluation in workspace.snapshot.evaluations.items()
    )
    (root / "night.runs.jsonl").write_text(runs)
    return Workspace.open(root, today=TODAY)


def applied(workspace: Workspace, edits: Edits) -> Snapshot:
    """The state after the edits."""
    texts = workspace.snapshot.texts
    return workspace.apply([Change(path, apply_edits(texts[path], found)) for path, found in edits.items()])


def faults(snapshot: Snapshot) -> Counter[str]:
    """How many problems there are of each rule that says whether files fit together."""
    codes = (problem.code for problem in snapshot.problems)
    return Counter(code for code in codes if code[:3] in ("ED1", "ED5", "ED7") and code not in ("ED104", "ED107"))


Lead = tuple[str, int, str | None, int | None]


def leads(snapshot: Snapshot, place: Mapping[str, str] | None = None) -> list[Lead]:
    """Where every link leads: its page and number, the page it means (renamed by `place`), and the heading's number."""
    place = place or {}
    found = []
    for document in snapshot.documents:
        for number, link in enumerate(find_links(document)):
            target = resolve(link.path, document.path, snapshot.facts.documents.get)
            heading = anchors(snapshot.facts.documents[target].document).get(link.fragment) if target else None
            found.append((place.get(document.path, document.path), number, place.get(target or "", target), heading))
    return sorted(found, key=lambda lead: lead[:2])


def leads_still(before: list[Lead], after: list[Lead]) -> bool:
    """Whether every link leads where it led; what it named in vain it may find now."""
    return len(before) == len(after) and all(
        now == was if was[3] is not None else now[:2] == was[:2] and was[2] in (None, now[2])
        for was, now in zip(before, after, strict=True)
    )


def gold_places(snapshot: Snapshot) -> list[tuple[str | None, list[int], int]]:
    """Per gold entry in file order: the page, the numbers of the sections it may mean, occurrences of the evidence."""
    found = []
    for source in snapshot.label_sources:
        for place in snapshot.evaluations[source.label.id].places:
            document = place.document
            sections = [document.sections.index(section) for section in place.sections] if document else []
            found.append((document.path if document else None, sections, len(place.matches)))
    return found
