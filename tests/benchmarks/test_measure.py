from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.corpus import Site
from benchmarks.edits import EDITS
from benchmarks.measure import Clock, Outcome, Target, p95
from benchmarks.stages import BEFORE, Stages
from evidencedesk.workspace.config import Config
from evidencedesk.workspace.files import Source
from evidencedesk.workspace.reading import read_document


@pytest.mark.parametrize(
    ("measured", "at_least", "is_met"), [(30, True, True), (29.9, True, False), (30, False, True), (30.1, False, False)]
)
def test_a_target_is_met_on_its_own_side(measured: float, at_least: bool, is_met: bool) -> None:
    line = Target("x", 30, "times", measured, at_least).line()
    assert line.endswith("; met" if is_met else "; not met")


def test_the_95th_percentile_of_few_values_is_the_greatest() -> None:
    assert p95([3.0, 1.0, 2.0]) == 3.0
    assert p95([float(value) for value in range(100)]) == 95.0


def test_an_outcome_is_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = Outcome("try")
    clocks = {"ours": Clock([0.002, 0.004], [0.003, 0.003]), "theirs": Clock([0.03], [0.03]), "neither": Clock()}
    outcome.clocks({"chunks": 1000}, clocks, "ours")
    outcome.target(Target("as fast", 5, "times", 10.0, at_least=True))
    outcome.write(tmp_path / "try.json")
    shown = capsys.readouterr().out.split("\n")
    assert shown[1] == "try: 1,000 chunks"
    assert shown[4].split() == ["theirs", "30.00", "30.00", "30.00", "10.00"]
    written = json.loads((tmp_path / "try.json").read_text())
    assert written["parts"][0]["seconds"]["ours"]["cpu_median"] == 0.003
    assert written["targets"][0]["met"] is True


def test_stages_add_up_to_what_the_work_took() -> None:
    stages = Stages()

    def work() -> int:
        for step in ("one", "two", "one"):
            stages(step, 0, 1)
            sum(range(10_000))
        return 3

    clock = Clock()
    assert clock.run(lambda: stages.run("kind", work)) == 3
    spent = {step: one.cpu[0] for step, one in stages.of_kind["kind"].items()}
    assert list(spent) == [BEFORE, "one", "two"]
    assert sum(spent.values()) <= clock.cpu[0]


def test_edits_do_what_they_are_called() -> None:
    page = Site().page(3)
    config = Config()

    def chunks_after(kind: str) -> list[str]:
        text = EDITS[kind](read_document(Source(page.path, page.text), config).document, 1)
        assert text is not None
        return [chunk.text for chunk in read_document(Source(page.path, text), config).chunks]

    before = [chunk.text for chunk in read_document(Source(page.path, page.text), config).chunks]
    assert chunks_after("same text") == before
    assert chunks_after("front matter") == before
    assert sum(map(len, chunks_after("paragraph"))) > sum(map(len, before))
    assert sum(map(len, chunks_after("section removed"))) < sum(map(len, before))
    assert "edited1" in " ".join(chunks_after("word"))
