"""Ad hoc search: what any question brings, and why. Invariant: the searchers are those that made the snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evidencedesk.retrieval.candidates import Candidate, RankedList
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.explain import TermPart, explain_bm25, explain_rrf
from evidencedesk.retrieval.pipeline import Diversified
from evidencedesk.retrieval.searchers import SparseSearcher
from evidencedesk.text.spans import Span
from evidencedesk_server.messages import Question
from evidencedesk_server.ranking_table import fusion_legend, ranking_table
from evidencedesk_server.readings.state import State
from evidencedesk_server.verdicts import count, shorten

_USUAL = ("sparse", "dense", "hybrid")
_EXCERPT = 300
_BRIEF = 120
_CHUNK_TEXT = 600


def search(state: State, question: Question) -> list[Any]:
    """The page about a question: a table of what each searcher finds, then each chunk with its text and its parts."""
    (query,) = question.words
    rankings = _rankings(state, query)
    lines = [f"# “{state.escape(query)}”", *_about(state, query), *_table(state, rankings)]
    lines += _details(state, query, rankings)
    return ["\n\n".join(lines)]


def search_in_brief(state: State, question: Question) -> list[Any]:
    """The table alone, and how the best chunk of the configured searcher begins."""
    (query,) = question.words
    rankings = _rankings(state, query)
    lines = [f"“{state.escape(query)}”", *_about(state, query), *_table(state, rankings)]
    for found in rankings[state.snapshot.facts.contract.searcher][:1]:
        lines.append(f"{state.chunk_link(found.chunk.id)}: {state.escape(shorten(found.chunk.text, _EXCERPT))}")
    return ["\n\n".join(lines)]


def found_places(state: State, question: Question) -> list[Any]:
    """Location links to the chunks that the configured searcher finds for a question, best first."""
    (query,) = question.words
    contract = state.snapshot.facts.contract
    found = state.searchers[contract.searcher].search(query, contract.k, state.allowed)
    return [_link(state, _now(state, one.chunk)) for one in found]


def chunk_places(state: State, question: Question) -> list[Any]:
    """The location link to the chunk with this id."""
    chunk = state.snapshot.facts.catalog.by_id.get(question.words[0])
    return [_link(state, chunk)] if chunk is not None else []


def chunk_texts(state: State, question: Question) -> list[Any]:
    """What a chunk is to the labels, and its text."""
    chunk = state.snapshot.facts.catalog.by_id.get(question.words[0])
    if chunk is None:
        return []
    return [f"{state.hovers.chunk(chunk)}\n\n{state.escape(shorten(chunk.text, _CHUNK_TEXT))}"]


def _now(state: State, chunk: Chunk) -> Chunk:
    """A chunk that a searcher found as it stands now: searchers may know its page from before it moved."""
    return state.snapshot.facts.catalog.by_id.get(chunk.id, chunk)


def _link(state: State, chunk: Chunk) -> Any:
    span = chunk.location.span
    return {
        "targetUri": state.texts.uri_of(chunk.path),
        "targetRange": state.texts.range(chunk.path, span),
        "targetSelectionRange": state.texts.range(chunk.path, Span(span.start, span.start)),
    }


def _rankings(state: State, query: str) -> dict[str, RankedList]:
    contract = state.snapshot.facts.contract
    names = dict.fromkeys((*_USUAL, contract.searcher))
    depth = max(contract.k, contract.depth)
    return {name: state.searchers[name].search(query, depth, state.allowed) for name in names}


def _words(state: State) -> SparseSearcher | None:
    sparse = state.searchers["sparse"]
    found = sparse.first if isinstance(sparse, Diversified) else sparse
    return found if isinstance(found, SparseSearcher) else None


def _about(state: State, query: str) -> Iterator[str]:
    """What was searched with what, and the words that stand nowhere."""
    contract, chunks = state.snapshot.facts.contract, state.snapshot.facts.catalog.chunks
    scope = ", ".join(sorted(contract.scope.statuses | contract.scope.audiences | (contract.scope.langs or set())))
    hidden = len(chunks) - len(state.allowed)
    beyond = f"; {count(hidden, 'chunk')} outside of it" if hidden else ""
    yield f"Top {contract.k}; {contract.searcher} is the configured searcher; scope {state.escape(scope)}{beyond}."
    searcher = _words(state)
    unknown = [term for term in searcher.terms(query) if not searcher.bm25.df.get(term)] if searcher else []
    if unknown:
        verb = "stands" if len(unknown) == 1 else "stand"
        yield f"{', '.join(state.escape(term) for term in unknown)} {verb} in no chunk."


def _table(state: State, rankings: dict[str, RankedList]) -> Iterator[str]:
    contract = state.snapshot.facts.contract
    yield ranking_table(rankings, contract.searcher, contract.k, state.escape) or "Nothing is found."
    if legend := fusion_legend(rankings, contract.rrf_k):
        yield legend


def _details(state: State, query: str, rankings: dict[str, RankedList]) -> Iterator[str]:
    """Each chunk that is found, in the order of the configured searcher, then of the others."""
    searcher = _words(state)
    terms = searcher.terms(query) if searcher else {}
    contract = state.snapshot.facts.contract
    lists = (rankings[contract.searcher], *rankings.values())
    seen: set[str] = set()
    for found in (one for ranking in lists for one in ranking[: contract.k]):
        chunk = _now(state, found.chunk)
        if chunk.id in seen:
            continue
        seen.add(chunk.id)
        ranks = (
            f"{name} {one.rank}" for name, ranking in rankings.items() for one in ranking if one.chunk.id == chunk.id
        )
        heading = f" · {state.escape(chunk.section)}" if chunk.section else ""
        yield f"## {state.chunk_link(chunk.id)}{heading}"
        yield f"{' · '.join(ranks)} · {state.escape(chunk.path)}:{chunk.location.first_line}"
        if found.passage:
            yield f"Passage: {state.escape(shorten(found.passage, _BRIEF))}"
        yield f"> {state.escape(shorten(chunk.text, _EXCERPT))}"
        parts = explain_bm25(searcher.bm25, terms, chunk.id) if searcher else ()
        why = [_term(state, part) for part in parts if part.tf]
        why += [f"{found.source}: {_fusion(state, found)}"] if found.parts else []
        yield "\n".join(f"- {one}" for one in why) if why else "- no word of the question stands here"


def _term(state: State, part: TermPart) -> str:
    weight = f", weight {part.weight:g}" if part.weight != 1 else ""
    times = count(part.tf, "time")
    return (
        f"{state.escape(part.term)}: {times} here, in {count(part.df, 'chunk')} (idf {part.idf:.3g}{weight}), "
        f"gives {part.contribution:.3g}"
    )


def _fusion(state: State, found: Candidate) -> str:
    rrf_k = state.snapshot.facts.contract.rrf_k
    parts = explain_rrf(found, rrf_k)
    return " + ".join(f"1/{rrf_k + part.rank} ({part.source} rank {part.rank})" for part in parts)
