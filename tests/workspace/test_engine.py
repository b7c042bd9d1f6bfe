"""A workspace after any changes equals one opened afresh on the same files."""

from __future__ import annotations

import json
import os
import random
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evidencedesk.errors import Cancelled, InputError
from evidencedesk.workspace import Change, Workspace
from evidencedesk.workspace import reading as reading_module
from evidencedesk.workspace.divergence import DivergedError, demand_equal
from evidencedesk.workspace.engine import PARANOID
from evidencedesk.workspace.snapshot import Snapshot

TODAY = date(2026, 1, 31)

PAGES = {
    "returns.md": "# Returns\n\n## Window\n\nBikes come back within 30 days of delivery, unused and with the tag.\n",
    "returns-old.md": (
        "---\nstatus: superseded\n---\n# Returns\n\n## Window\n\nBikes came back within 14 days of delivery.\n"
    ),
    "care/chain.md": "# Chain care\n\nWipe the chain after every ride in the rain, then oil it.\n",
}
LABELS = [
    {
        "id": "q1",
        "question": "Within how many days do bikes come back?",
        "gold": [{"section": "returns#Window", "evidence": "within 30 days of delivery"}],
    },
    {"id": "q2", "question": "Do you sell boats?", "answerable": False},
]


def write(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path, {**PAGES, "labels.json": json.dumps(LABELS)})


def plain(snapshot: Snapshot) -> Snapshot:
    """A snapshot without its revision and what it was compared with."""
    problems = tuple(problem for problem in snapshot.problems if not problem.code.startswith("ED6"))
    return replace(snapshot, revision=0, facts=replace(snapshot.facts, before={}, before_name=""), problems=problems)


def test_a_snapshot_offers_documents_chunks_labels_rankings_findings_and_problems(root: Path) -> None:
    snapshot = Workspace.open(root, today=TODAY).snapshot
    assert [document.doc_id for document in snapshot.documents] == ["care/chain", "returns-old", "returns"]
    assert {chunk.doc_id for chunk in snapshot.chunks} == {"care/chain", "returns-old", "returns"}
    assert [label.id for label in snapshot.labels] == ["q1", "q2"]
    hybrid = snapshot.rankings["q1"]["hybrid"]
    assert hybrid[0].chunk.id == "returns:c0" and hybrid[0].rank == 1
    assert [part.source for part in hybrid[0].parts] == ["sparse", "dense"]
    assert set(snapshot.findings) == {"q1", "q2"}


def test_the_hybrid_ranking_is_what_the_hybrid_searcher_gives(root: Path) -> None:
    workspace = Workspace.open(root, today=TODAY)
    allowed = workspace.snapshot.facts.catalog.allowed(workspace.config.contract().scope)
    for label in workspace.snapshot.labels:
        expected = workspace.searchers["hybrid"].search(label.question, 20, allowed)
        assert workspace.snapshot.rankings[label.id]["hybrid"] == expected


@pytest.mark.parametrize("name", ["sparse", "lexical", "corrective"])
def test_a_searcher_that_is_first_asked_after_a_page_went_finds_what_a_fresh_one_does(root: Path, name: str) -> None:
    workspace = Workspace.open(root, today=TODAY)
    workspace.apply([Change("returns.md", None)])
    (root / "returns.md").unlink()
    fresh = Workspace.open(root, today=TODAY)
    found = [one.searchers[name].search("bikes came back within days") for one in (workspace, fresh)]
    assert found[0] == found[1] != []


def test_only_the_changed_document_is_cut_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace.open(root, today=TODAY)
    read: list[str] = []
    parse = reading_module.parse_document

    def spy(path: str, *rest: object) -> object:
        read.append(path)
        return parse(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(reading_module, "parse_document", spy)
    workspace.apply([Change("care/chain.md", "# Chain care\n\nOil it.\n")])
    assert read == ["care/chain.md"]


def test_an_unreadable_file_and_broken_labels_leave_the_rest_alone(root: Path) -> None:
    (root / "bad.md").write_bytes(b"# Caf\xe9\n\nText\x00\n")
    (root / "broken.json").write_text('[{"id": "x", "question": "What is it?", "gold": [}')
    snapshot = Workspace.open(root, today=TODAY).snapshot
    assert {"ED101", "ED108", "ED701"} & {problem.code for problem in snapshot.problems}
    assert snapshot.rankings["q1"]["hybrid"][0].chunk.id == "returns:c0"


def test_a_change_of_the_configuration_takes_effect_on_everything(root: Path) -> None:
    workspace = Workspace.open(root, today=TODAY)
    snapshot = workspace.apply(
        [Change("evidencedesk.toml", '[chunking]\nstrategy = "fixed"\nsize = 20\noverlap = 0\n')]
    )
    assert "ED201" in {problem.code for problem in snapshot.problems}
    snapshot = workspace.apply([Change("evidencedesk.toml", None)])
    assert "ED201" not in {problem.code for problem in snapshot.problems}


def test_a_lost_answer_is_told_until_it_is_mended_or_accepted(root: Path) -> None:
    workspace = Workspace.open(root, today=TODAY)
    cut = PAGES["returns.md"].replace("within 30 days of delivery", "within 30 days")

    def regressions() -> set[str]:
        return {problem.code for problem in workspace.snapshot.problems if problem.code.startswith("ED6")}

    assert regressions() == set()
    workspace.apply([Change("returns.md", cut)])
    workspace.mark_saved()
    workspace.apply([Change("care/chain.md", "# Chain care\n\nOil it.\n")])
    assert regressions() == {"ED602"}
    workspace.apply([Change("returns.md", PAGES["returns.md"])])
    assert regressions() == set()
    workspace.apply([Change("returns.md", cut)])
    workspace.accept_baseline()
    assert regressions() == set()
    assert not (root / ".evidencedesk").exists()


def test_with_a_baseline_file_regressions_are_told_against_it(root: Path) -> None:
    workspace = Workspace.open(root, today=TODAY)
    workspace.accept_baseline(create=True)
    (root / "returns.md").write_text(PAGES["returns.md"].replace("within 30 days of delivery", "soon"))
    snapshot = Workspace.open(root, today=TODAY).snapshot
    assert "ED602" in {problem.code for problem in snapshot.problems}


def test_refresh_forgets_what_was_applied(root: Path) -> None:
    workspace = Workspace.open(root, today=TODAY)
    first = workspace.snapshot
    workspace.apply(
        [Change("returns.md", "# Nothing\n\nhere, really nothing\n"), Change("new.md", "# New\n\nPage text.\n")]
    )
    demand_equal(plain(workspace.refresh(["returns.md", "new.md"])), plain(first))


def test_a_gitignore_that_appears_takes_files_out(root: Path) -> None:
    workspace = Workspace.open(root, today=TODAY)
    (root / ".gitignore").write_text("care/\n")
    snapshot = workspace.refresh([".gitignore"])
    assert "care/chain.md" not in snapshot.texts


def test_home_and_missing_folders_are_refused_in_plain_words(tmp_path: Path) -> None:
    for root in (tmp_path / "missing", Path.home(), Path(os.sep)):
        with pytest.raises(InputError, match=r"does not exist|much more than a knowledge base"):
            Workspace.open(root)


paths = st.sampled_from([*PAGES, "labels.json", "new.md", "evidencedesk.toml"])
sentences = st.sampled_from(
    [
        "Bikes come back within 30 days of delivery.",
        "Oil the chain.",
        "```sh\nride --fast\n```",
        "## Window",
        "# Returns",
        "| A | B |\n|---|---|\n| 1 | 2 |",
        "Wipe the chain after every ride in the rain, then oil it well and let it dry.",
    ]
)
fronts = st.sampled_from(["", "", "---\nstatus: superseded\n---\n", "---\nlang: de\n---\n", "---\nid: returns\n---\n"])
pages = st.builds(str.__add__, fronts, st.lists(sentences, max_size=5).map("\n\n".join))
SCOPED = {**LABELS[0], "id": "q3", "scope": {"statuses": ["superseded"]}}
label_texts = st.sampled_from(
    [json.dumps(LABELS), json.dumps(LABELS[:1]), json.dumps([*LABELS, SCOPED]), json.dumps(LABELS)[:60], "[]"]
)
configs = st.sampled_from(
    [
        "",
        '[chunking]\nstrategy = "paragraph"\n',
        "[retrieval]\nk = 1\nfloor = 0.02\n",
        '[retrieval]\nk = 1\nsearcher = "sparse"\n[analysis.de]\nstemmer = "german"\n',
        '[retrieval]\nk = 2\nsearcher = "dense"\nmmr_lambda = 0.5\n',
        '[retrieval]\nsearcher = "lexical"\n[retrieval.gate]\naccept = 0.4\n',
        '[retrieval]\nsearcher = "corrective"\n[analysis.en]\nstemmer = "english"\n',
        '[scope]\nstatuses = ["current", "superseded"]\n[rules]\nignore = ["ED2"]\n',
        "[broken\n",
    ]
)


@st.composite
def changes(draw: st.DrawFn) -> Change:
    path = draw(paths)
    how = draw(st.integers(0, 6))
    if how == 0:
        return Change(path, None)
    if how == 1 and path in PAGES:
        return Change(path, PAGES[path])
    texts = {"labels.json": label_texts, "evidencedesk.toml": configs}.get(path, pages)
    return Change(path, draw(texts))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.lists(changes(), max_size=3), max_size=5), tidy=st.booleans())
def test_any_sequence_of_changes_ends_where_a_fresh_workspace_begins(
    tmp_path_factory: pytest.TempPathFactory, steps: list[list[Change]], tidy: bool
) -> None:
    first = tmp_path_factory.mktemp("edited")
    start = {**PAGES, "labels.json": json.dumps(LABELS)}
    workspace = Workspace.open(write(first, start), today=TODAY)
    files: dict[str, str] = dict(start)
    for step in steps:
        snapshot = workspace.apply(step)
        for change in step:
            files.pop(change.path, None)
            if change.text is not None:
                files[change.path] = change.text
        if tidy:
            workspace.tidy()
        fresh = Workspace.open(write(tmp_path_factory.mktemp("fresh"), files), today=TODAY).snapshot
        demand_equal(plain(snapshot), plain(fresh))


ignored = st.lists(st.sampled_from(["ED301", "ED302", "ED705", "ED711", "ED999"]), max_size=2, unique=True)
golds = st.sampled_from(
    [
        ("returns#Window", "within 30 days of delivery"),
        ("returns#Gone", "Oil the chain"),
        ("nowhere", "within 30 days"),
        ("returns-old", "14 days"),
        ("care/chain", "See the table"),
    ]
)
entries = st.builds(
    lambda number, question, gold, ignore: {
        "id": f"q{number}",
        "question": question,
        **({"gold": [{"section": gold[0], "evidence": gold[1]}]} if gold else {"answerable": False}),
        "ignore": ignore,
    },
    st.integers(1, 5),
    st.sampled_from(["How do bikes come back within 30 days?", "Do you sell boats?", "When do I oil the chain?"]),
    st.none() | golds,
    ignored,
)
comments = st.sampled_from(
    ["", "", *(f"<!-- evidencedesk: {what} -->\n\n" for what in ("ignore ED205", "ignore-file", "ignore ED301 ED108"))]
)
edits = st.one_of(
    st.builds(Change, st.sampled_from(["labels.json", "more.json"]), st.lists(entries, max_size=4).map(json.dumps)),
    st.builds(
        lambda path, front, comment, page: Change(path, f"{front}{comment}{page}"),
        st.sampled_from([*PAGES, "new.md"]),
        fronts,
        comments,
        st.lists(sentences, max_size=5).map("\n\n".join),
    ),
    st.builds(
        Change,
        st.just("evidencedesk.toml"),
        st.sampled_from(
            [
                '[rules]\nseverity = { ED3 = "hint", ED301 = "error" }\n',
                '[rules]\nselect = ["ED2", "ED3", "ED9"]\n[retrieval]\nk = 1\nfloor = 0.016\n',
                '[retrieval]\nsearcher = "sparse"\nk = 2\nfloor = 1.0\n[scope]\nstatuses = ["current", "superseded"]\n',
            ]
        ),
    ),
    st.tuples(st.sampled_from([*PAGES, "new.md"]), st.sampled_from(["a.md", "z/last.md"])),
    st.sampled_from(["accept", "save"]),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(edits, min_size=2, max_size=8))
def test_what_is_kept_of_evaluations_and_problems_is_what_would_be_made_afresh(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Change | tuple[str, str] | str]
) -> None:
    workspace = Workspace.open(
        write(tmp_path_factory.mktemp("edited"), {**PAGES, "labels.json": json.dumps(LABELS)}), today=TODAY
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PARANOID, "1")  # every snapshot is compared with a fresh one of the same files and standings
        for step in steps:
            if isinstance(step, Change):
                workspace.apply([step])
            elif isinstance(step, tuple):
                text = workspace.snapshot.texts.get(step[0])
                workspace.apply([Change(step[0], None), Change(step[1], text)])
            elif step == "accept":
                workspace.accept_baseline()
            else:
                workspace.mark_saved()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.lists(entries, min_size=3, max_size=7),
    steps=st.lists(st.tuples(st.integers(0, 6), st.none() | entries | st.just(" \n"), st.booleans()), max_size=6),
    indent=st.sampled_from([None, 1]),
)
def test_labels_that_move_in_their_file_have_what_they_would_be_given_there(
    tmp_path_factory: pytest.TempPathFactory,
    start: list[dict[str, object]],
    steps: list[tuple[int, dict[str, object] | str | None, bool]],
    indent: int | None,
) -> None:
    """An entry comes, goes, takes the place of another, or space comes above all."""
    config = '[retrieval]\nk = 1\nfloor = 0.016\n[chunking]\nstrategy = "fixed"\nsize = 60\noverlap = 5\n'
    files = {**PAGES, "labels.json": json.dumps(start, indent=indent), "evidencedesk.toml": config}
    workspace = Workspace.open(write(tmp_path_factory.mktemp("edited"), files), today=TODAY)
    labels, space = list(start), ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PARANOID, "1")
        for place, entry, is_instead in steps:
            if isinstance(entry, str):
                space += entry
            else:
                labels[place : place + (is_instead or entry is None)] = [entry] if entry else []
            workspace.apply([Change("labels.json", space + json.dumps(labels, indent=indent))])


class Stopwatch:
    """Progress that is given up at the call with a number."""

    def __init__(self) -> None:
        self.left = 0

    def __call__(self, step: str, done: int, total: int) -> None:
        self.left -= 1
        if self.left == 0:
            raise Cancelled


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(changes() | edits.filter(lambda one: isinstance(one, Change)), st.integers(1, 60))))
def test_a_snapshot_after_work_that_was_given_up_is_what_would_be_made_afresh(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Change, int]]
) -> None:
    root = write(tmp_path_factory.mktemp("edited"), {**PAGES, "labels.json": json.dumps(LABELS)})
    watch = Stopwatch()
    workspace = Workspace.open(root, today=TODAY, progress=watch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PARANOID, "1")
        for change, calls in steps:
            before = workspace.snapshot
            watch.left = calls
            try:
                workspace.apply([change])
            except Cancelled:
                assert workspace.snapshot is before
        watch.left = 0
        workspace.apply([])
        workspace.apply([Change("new.md", "# New\n\nA page that makes the next snapshot another one.\n")])


def test_equal_files_have_the_same_snapshot(root: Path) -> None:
    workspace = Workspace.open(root, today=TODAY)
    first = workspace.apply([])  # what is compared with the state at opening
    (root / "program.py").write_text("print(1)\n", encoding="utf-8")
    assert workspace.refresh(["program.py", "returns.md", "evidencedesk.toml"]) is first
    assert workspace.apply([Change("returns.md", PAGES["returns.md"])]) is first


def test_a_snapshot_that_diverges_is_told_with_its_place(root: Path) -> None:
    snapshot = Workspace.open(root, today=TODAY).snapshot
    demand_equal(snapshot, replace(snapshot, revision=9))
    evaluations = dict(snapshot.evaluations)
    evaluations["q1"] = replace(evaluations["q1"], scores=(1.0,))
    broken = replace(snapshot, facts=replace(snapshot.facts, evaluations=evaluations))
    with pytest.raises(DivergedError, match=r"facts\.evaluations\['q1'\]\.scores"):
        demand_equal(snapshot, broken)


SITE_WORDS = ["bike", "chain", "oil", "wheel", "rim", "brake", "pad", "lever", "cable", "saddle", "post", "bolt"]
SITE_SETTINGS = [
    "[retrieval]\nk = 1\ndepth = 3\n",
    '[retrieval]\nk = 2\ndepth = 4\nsearcher = "sparse"\nfloor = 0.5\n[scope]\nstatuses = ["current", "superseded"]\n',
    '[retrieval]\nk = 2\ndepth = 4\nsearcher = "dense"\nmmr_lambda = 0.5\n'
    '[analysis.en]\nsynonyms = [["bike", "cycle"]]\n',
    '[retrieval]\nk = 2\ndepth = 5\nsearcher = "lexical"\n',
    '[retrieval]\nk = 2\ndepth = 5\nsearcher = "corrective"\n[retrieval.gate]\naccept = 0.3\n',
]


def site_page(chance: random.Random, number: int) -> str:
    """Sections of few words, half of them the same on many pages."""
    status = "---\nstatus: superseded\n---\n" if chance.random() < 0.2 else ""
    sections = [
        f"## {' '.join(chance.sample(SITE_WORDS, 2))}\n\n"
        + ("See the shop for bikes." if chance.random() < 0.5 else " ".join(chance.choices(SITE_WORDS, k=9)) + ".")
        for _ in range(chance.randint(0, 5))
    ]
    return f"{status}# Page {number % 4}\n\n" + "\n\n".join(sections)


@pytest.mark.parametrize("settings_text", SITE_SETTINGS)
def test_many_saves_in_a_row_end_where_a_fresh_workspace_begins(
    tmp_path_factory: pytest.TempPathFactory, settings_text: str
) -> None:
    chance = random.Random(settings_text)
    labels = [
        {"id": f"q{number}", "question": f"{' '.join(chance.sample([*SITE_WORDS, 'cycle'], 3))}?", "answerable": False}
        for number in range(12)
    ]
    files = {f"p{number}.md": site_page(chance, number) for number in range(25)}
    files |= {"labels.json": json.dumps(labels), "evidencedesk.toml": settings_text}
    workspace = Workspace.open(write(tmp_path_factory.mktemp("edited"), files), today=TODAY)
    for step in range(24):
        number = chance.randrange(40)
        path, text = f"p{number}.md", None if chance.random() < 0.3 else site_page(chance, number)
        changes = [Change(path, text)]
        if step == 15:
            changes = [Change(one, None) for one in files if one.endswith(".md")]
        workspace.apply(changes)
        files = {one: held for one, held in files.items() if one not in {change.path for change in changes}}
        files |= {change.path: change.text for change in changes if change.text is not None}
        if step % 7 == 3:
            workspace.tidy()
        if step % 4 == 3:
            fresh = Workspace.open(write(tmp_path_factory.mktemp("fresh"), files), today=TODAY).snapshot
            demand_equal(plain(workspace.snapshot), plain(fresh))


def test_a_configured_diversification_orders_the_configured_ranking_alone(root: Path) -> None:
    scope = '[scope]\nstatuses = ["current", "superseded"]\n'
    write(root, {"shop.md": "# Shop\n\nBikes are sold on all days but Sunday.\n", "evidencedesk.toml": scope})
    workspace = Workspace.open(root, today=TODAY)
    before = workspace.snapshot.rankings["q1"]
    snapshot = workspace.apply([Change("evidencedesk.toml", f"[retrieval]\nmmr_lambda = 0.0\n{scope}")])
    after = snapshot.rankings["q1"]
    assert (after["sparse"], after["dense"]) == (before["sparse"], before["dense"])
    assert [found.chunk.id for found in before["hybrid"]][:3] == ["returns:c0", "returns-old:c0", "shop:c0"]
    # The old page says nearly what the new one does.
    assert [found.chunk.id for found in after["hybrid"]][:3] == ["returns:c0", "shop:c0", "returns-old:c0"]
    assert workspace.searchers["hybrid"].search("Within how many days do bikes come back?", 20) == after["hybrid"]
    assert "diversified with lambda 0.0" in snapshot.facts.contract.settings_text("")


@pytest.mark.parametrize(("accept", "kept"), [(0.0, True), (1.0, False)])
def test_the_gate_lets_all_or_nothing_into_the_prompt(root: Path, accept: float, kept: bool) -> None:
    (root / "evidencedesk.toml").write_text(f"[retrieval.gate]\naccept = {accept}\n")
    (root / "labels.json").write_text(json.dumps([{**LABELS[0], "question": "When do bikes come back to the shop?"}]))
    (evaluation,) = Workspace.open(root, today=TODAY).snapshot.evaluations.values()
    assert evaluation.grade is not None and 0 < evaluation.grade < 1
    assert evaluation.trace.context == (evaluation.retrieved if kept else [])
    assert bool(evaluation.trace.closed) is not kept
    assert evaluation.standing.in_context is kept
    assert [(found.stage, found.label) for found in evaluation.findings] == (
        [] if kept else [("context", "missed_evidence")]
    )


def test_a_snapshot_with_analysis_gate_and_diversification_equals_a_fresh_one(root: Path) -> None:
    settings = (
        '[retrieval]\nsearcher = "lexical"\nmmr_lambda = 0.5\n[retrieval.gate]\naccept = 0.4\n'
        '[analysis.en]\nstemmer = "english"\nsynonyms = [["bike", "cycle"]]\n'
    )
    workspace = Workspace.open(root, today=TODAY)
    workspace.apply([Change("evidencedesk.toml", settings)])
    changed = workspace.apply([Change("returns.md", PAGES["returns.md"].replace("Bikes", "Cycles"))])
    write(root, {"evidencedesk.toml": settings, "returns.md": PAGES["returns.md"].replace("Bikes", "Cycles")})
    demand_equal(plain(changed), plain(Workspace.open(root, today=TODAY).snapshot))
    assert set(changed.rankings["q1"]) == {"sparse", "dense", "hybrid", "lexical"}
