"""Rankings side by side as a Markdown table. Invariant: narrow, and aligned where it is shown as written."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evidencedesk.retrieval.candidates import Candidate, RankedList


def ranking_table(rankings: Mapping[str, RankedList], first: str, k: int, named: Callable[[str], str]) -> str:
    """A row per chunk that a searcher has among its best `k`, with its rank and score in every list that has it.

    The rows are in the order of the ranking `first`, then of the others; `named` writes a chunk's id. "" without rows.
    """
    ordered = [rankings[first], *(ranking for name, ranking in rankings.items() if name != first)]
    ids = dict.fromkeys(found.chunk.id for ranking in ordered for found in ranking[:k])
    if not ids:
        return ""
    places = {name: {found.chunk.id: found for found in ranking} for name, ranking in rankings.items()}
    rows = [["chunk", *rankings]]
    rows += [[named(chunk_id), *(_cell(found.get(chunk_id)) for found in places.values())] for chunk_id in ids]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *body = (" | ".join(map(str.ljust, row, widths)) for row in rows)
    rule = "|".join(f":{'-' * (width + 1)}" for width in widths)
    return "\n".join([f"| {head} |", f"|{rule}|", *(f"| {row} |" for row in body)])


def fusion_legend(rankings: Mapping[str, RankedList], rrf_k: int) -> str:
    """How the fused scores among the rankings come about; "" where none is fused."""
    said = []
    for name, ranking in rankings.items():
        sources = dict.fromkeys(part.source for found in ranking for part in found.parts)
        if sources:
            said.append(f"{name} adds up 1/({rrf_k} + rank) of {' and '.join(sources)}")
    return "; ".join(said)


def _cell(found: Candidate | None) -> str:
    return f"{found.rank} ({found.score:.3g})" if found is not None else "–"
