from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.corpus import Site, count_chunks, labels, write_site
from evidencedesk.workspace import Workspace


@pytest.mark.parametrize("chunks", [60, 600, 5000])
def test_a_site_has_about_as_many_chunks_as_asked_for(chunks: int) -> None:
    pages = Site().pages(chunks)
    assert sum(map(count_chunks, pages)) == pytest.approx(chunks, rel=0.1, abs=60)


def test_a_large_site_begins_with_the_pages_of_a_smaller_one_and_another_seed_gives_others() -> None:
    small = Site().pages(200)
    assert Site().pages(4500)[: len(small)] == small
    assert Site(8).pages(200)[0].text != small[0].text


def test_a_generated_site_is_like_real_ones_and_its_labels_are_right(tmp_path: Path) -> None:
    write_site(tmp_path, 1500, 100)
    snapshot = Workspace.open(tmp_path).snapshot
    assert {problem.code for problem in snapshot.problems if problem.code[:3] in ("ED1", "ED7")} == set()
    texts = Counter(chunk.text for chunk in snapshot.chunks)
    assert 0.2 < 1 - len(texts) / len(snapshot.chunks) < 0.4
    assert {chunk.kind for chunk in snapshot.chunks} == {"text", "list", "table", "code"}
    assert len(snapshot.labels) == 100
    assert sum(not label.answerable for label in snapshot.labels) == 5
    for evaluation in snapshot.evaluations.values():
        assert all(place.in_section for place in evaluation.places)
    found = sum(evaluation.standing.rank is not None for evaluation in snapshot.evaluations.values())
    assert found > 50


def test_labels_are_spread_over_all_pages() -> None:
    pages = Site().pages(600)
    made = json.loads(json.dumps(labels(pages, 40)))
    asked = {gold["section"].split("#")[0] for label in made for gold in label.get("gold", ())}
    assert {pages[0].doc_id, pages[-1].doc_id} <= asked
    assert len({label["id"] for label in made}) == len(made) == 40
