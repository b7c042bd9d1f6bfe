"""The baseline file: what is written is read again, and a damaged file is told, not trusted."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.errors import InputError
from evidencedesk.retrieval.evaluation import Standing
from evidencedesk.workspace.baseline import BASELINE_PATH, Baseline, baseline_text, parse_baseline, write_baseline

STANDINGS = st.builds(Standing, st.none() | st.integers(1, 100), st.booleans(), st.booleans(), st.text())
BASELINE = Baseline(
    "hybrid, k = 5",
    {
        "q2": Standing(None, False, False, ""),
        "q1": Standing(1, True, True, "doc:c0"),
        "ф": Standing(2, True, False, "é"),
    },
)


@given(st.builds(Baseline, st.text(), st.dictionaries(st.text(), STANDINGS)))
def test_a_baseline_reads_back_as_written(baseline: Baseline) -> None:
    assert parse_baseline(baseline_text(baseline)) == (baseline, ())


def test_equal_standings_give_equal_bytes_whatever_their_order() -> None:
    turned = Baseline(BASELINE.contract, dict(reversed(list(BASELINE.standings.items()))))
    assert baseline_text(turned) == baseline_text(BASELINE)
    assert [line.split(":")[0].strip() for line in baseline_text(BASELINE).splitlines()[4:7]] == ['"q1"', '"q2"', '"ф"']


def test_a_damaged_standing_loses_only_itself() -> None:
    text = baseline_text(BASELINE).replace('"rank": 1,', '"rank": "1",')
    read, (defect,) = parse_baseline(text)
    assert set(read.standings) == {"q2", "ф"}
    assert defect.path == BASELINE_PATH
    assert defect.message == "the standing of q1 is damaged and was left out"
    assert defect.span.start == text.index('{"rank": "1"')


@pytest.mark.parametrize(
    "text", ["", "[]", "nonsense", '{"version": 2, "standings": {}}', "[" * 9999, '{"standings": 5}']
)
def test_a_file_that_is_no_baseline_is_told(text: str) -> None:
    read, defects = parse_baseline(text)
    assert read == Baseline("")
    assert [defect.message for defect in defects] == [
        "this is not a baseline of version 1; `evidencedesk baseline accept` writes a new one"
    ]


def test_a_file_cut_in_the_middle_keeps_what_is_whole() -> None:
    text = baseline_text(BASELINE)
    read, defects = parse_baseline(text[: text.index('"q2"') + 8])
    assert dict(read.standings) == {"q1": BASELINE.standings["q1"]}
    assert defects


def test_writing_replaces_the_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    write_baseline(tmp_path, Baseline("old"))
    write_baseline(tmp_path, BASELINE)
    assert parse_baseline((tmp_path / BASELINE_PATH).read_text("utf-8")) == (BASELINE, ())
    assert [path.name for path in (tmp_path / BASELINE_PATH).parent.iterdir()] == ["baseline.json"]


def test_writing_never_leaves_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / ".evidencedesk").symlink_to(tmp_path / "outside")
    with pytest.raises(InputError, match="symbolic link"):
        write_baseline(tmp_path / "root", BASELINE)
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_place_that_cannot_be_written_is_said_and_the_old_file_stays(tmp_path: Path) -> None:
    (tmp_path / ".evidencedesk").write_text("a file")
    with pytest.raises(InputError, match="could not be written"):
        write_baseline(tmp_path, BASELINE)
    assert (tmp_path / ".evidencedesk").read_text() == "a file"
