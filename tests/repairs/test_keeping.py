"""What keeps an answer together clears its problem under every strategy and changes no word."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from evidencedesk.rule import Problem
from evidencedesk.text.spans import apply_edits
from evidencedesk.workspace import Change, Workspace
from refactoring.small_worlds import TODAY

STRATEGIES = (
    'strategy = "fixed"\nsize = 40\noverlap = 5',
    'strategy = "recursive"\nsize = 50\noverlap = 10',
    'strategy = "tokens"\nsize = 7\noverlap = 2',
    'strategy = "paragraph"',
    'strategy = "structure"',
)
BLOCKS = (
    "The first sentence is about bikes. The second sentence says more about it. A third one ends.",
    "You get *all of it* back (within 30 days). Ask `us. Now.` for more.",
    "- one item of a list\n- another item of it\n\n  with a part",
    "| Part | Nm |\n| --- | --- |\n| Stem of the bike | 5 |\n| Seat of the bike | 7 |",
    "```sh\nturn left\n\nturn right and go on for long\n```",
    "## A heading",
    "> A quote that is longer than a chunk may be, far longer.",
)


def words(text: str) -> list[str]:
    return re.sub("<!-- evidencedesk: keep -->", " ", text).split()


@st.composite
def pages(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A page, and evidence from it: runs of its words, wherever they begin and end."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = "\n\n".join(["# Page", *draw(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=5, unique=True))]) + "\n"
    text = text.replace("\n", newline)
    places = [match.span() for match in re.finditer(r"\S+", text)]
    evidence = []
    for _ in range(draw(st.integers(1, 2))):
        first = draw(st.integers(2, max(2, len(places) - 2)))
        last = min(first + draw(st.integers(3, 14)), len(places) - 1)
        evidence.append(text[places[min(first, last)][0] : places[last][1]])
    return text, evidence


def of_splits(workspace: Workspace) -> list[Problem]:
    return [one for one in workspace.snapshot.problems if one.code in ("ED201", "ED202")]


@settings(max_examples=60, deadline=None)
@given(pages(), st.sampled_from(STRATEGIES))
def test_every_fix_clears_its_problem_and_changes_no_word(page: tuple[str, list[str]], strategy: str) -> None:
    text, evidence = page
    labels = [
        {"id": f"q{number}", "question": f"What is {number}?", "gold": [{"section": "p", "evidence": one}]}
        for number, one in enumerate(evidence)
    ]
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / "p.md").write_bytes(text.encode())
        (root / "labels.json").write_text(json.dumps(labels))
        (root / "evidencedesk.toml").write_text(f"[chunking]\n{strategy}\n")
        workspace = Workspace.open(root, today=TODAY)
        before = workspace.snapshot
        for problem in of_splits(workspace):
            for fix in problem.fixes:
                mended = apply_edits(text, fix.edits["p.md"])
                assert words(mended) == words(text)
                after = workspace.apply([Change("p.md", mended)])
                assert problem.fingerprint not in {one.fingerprint for one in of_splits(workspace)}, fix.title
                assert not {"ED7", "ED9"} & {one.code[:3] for one in after.problems} - {
                    one.code[:3] for one in before.problems
                }
                workspace.apply([Change("p.md", text)])
