"""Rankings side by side as a Markdown table. Invariant: narrow, since popups are: an id once, then ranks and scores."""

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
    lines = [f"| chunk | {' | '.join(rankings)} |", f"|:--|{':--|' * len(rankings)}"]
    for chunk_id in ids:
        cells = (_cell(found.get(chunk_id)) for found in places.values())
        lines.append(f"| {named(chunk_id)} | {' | '.join(cells)} |")
    return "\n".join(lines)


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
