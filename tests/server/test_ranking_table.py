"""Rankings side by side stay narrow and lose nothing."""

from __future__ import annotations

from chunk_making import chunk
from evidencedesk.retrieval.candidates import ranked
from evidencedesk_server.ranking_table import fusion_legend, ranking_table


def test_each_chunk_among_the_best_has_one_row_with_its_rank_in_every_list() -> None:
    a, b, c = (chunk(name, "text") for name in ("a:c0", "b:c0", "c:c0"))
    rankings = {
        "sparse": ranked([(a, 3.14159), (b, 1.0)], "sparse"),
        "dense": ranked([(c, 0.5), (a, 0.25)], "dense"),
    }
    assert ranking_table(rankings, "dense", 1, str.upper).splitlines() == [
        "| chunk | sparse   | dense    |",
        "|:------|:---------|:---------|",
        "| C:C0  | –        | 1 (0.5)  |",
        "| A:C0  | 1 (3.14) | 2 (0.25) |",
    ]
    assert ranking_table({"sparse": [], "dense": []}, "dense", 5, str) == ""
    assert fusion_legend(rankings, 60) == ""
