"""A ranking for a terminal: what was found, and which parts make its score. Invariant: no part is re-derived."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.segment import Segment
from rich.style import Style

from evidencedesk.reports.excerpt import WIDTH, excerpt, visible
from evidencedesk.reports.summary import number
from evidencedesk.retrieval.candidates import Candidate, RankedList
from evidencedesk.retrieval.explain import TermPart, explain_rrf
from evidencedesk.text.spans import LineIndex, Span

_BOLD = Style(bold=True)
_DIM = Style(dim=True)
_INDENT = " " * 15


def ranking_lines(
    name: str,
    found: RankedList,
    rrf_k: int,
    shown: Callable[[str], str],
    terms: Mapping[str, Sequence[TermPart]],
) -> Iterator[Segment]:
    """A searcher's list, best first; `terms` holds BM25 parts per chunk id for the chunks to be explained."""
    yield Segment(f"{name}\n", _BOLD)
    if not found:
        yield Segment("  nothing matches\n")
    for candidate in found:
        chunk = candidate.chunk
        yield Segment(f"  {candidate.rank:>2}  {candidate.score:>9.5f}  ")
        yield Segment(visible(chunk.id), _BOLD)
        section = f"  {visible(chunk.section)}" if chunk.section else ""
        yield Segment(f"  {visible(shown(chunk.path))}:{chunk.location.first_line}{section}\n")
        text = " ".join(chunk.text.split())
        yield Segment(f"{_INDENT}{excerpt(LineIndex(text), Span(0, 0), WIDTH).text}\n", _DIM)
        if candidate.passage:
            passage = " ".join(candidate.passage.split())
            yield Segment(f"{_INDENT}passage: {excerpt(LineIndex(passage), Span(0, 0), WIDTH).text}\n")
        if candidate.parts:
            yield Segment(f"{_INDENT}= {_fusion(candidate, rrf_k)}\n")
        yield from _terms(terms.get(chunk.id, ()))
    yield Segment("\n")


def _fusion(candidate: Candidate, rrf_k: int) -> str:
    return " + ".join(
        f"1/{rrf_k + part.rank} ({part.source} rank {part.rank}, score {part.score:.5f})"
        for part in explain_rrf(candidate, rrf_k)
    )


def _weight(part: TermPart) -> str:
    return f", weight {part.weight:g}" if part.weight != 1 else ""


def _terms(parts: Sequence[TermPart]) -> Iterator[Segment]:
    for part in parts:
        yield Segment(
            f"{_INDENT}{part.contribution:>9.5f}  {visible(part.term)}: {number(part.tf, 'time')} here, "
            f"in {number(part.df, 'chunk')} (idf {part.idf:.5f}{_weight(part)})\n"
        )
    if parts:
        total = sum(part.contribution for part in parts)
        yield Segment(f"{_INDENT}{total:>9.5f}  BM25 in all; {number(parts[0].length, 'word')} here\n")
