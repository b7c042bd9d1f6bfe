"""What is shown inside the text: lenses, chunk boundaries, gold evidence. Invariant: one line a mark, one state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from evidencedesk.documents.document import Section
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.text.spans import Span
from evidencedesk_server.mentions import chunks_by_heading, own_evaluation
from evidencedesk_server.messages import SHOW_RANKING, Question
from evidencedesk_server.readings.state import State, chars
from evidencedesk_server.verdicts import answer_ranks, change_mark, count, verdict


def lenses(state: State, question: Question) -> list[Any]:
    """Over each label its answer's ranks and what became of it; over each heading its chunks and its questions."""
    facts = state.snapshot.facts
    if (chunked := facts.documents.get(question.path)) is not None:
        return list(_heading_lenses(state, chunked))
    file = facts.label_files.get(question.path)
    evaluations = (own_evaluation(state.snapshot, entry) for entry in file.entries) if file is not None else ()
    return [_label_lens(state, evaluation) for evaluation in evaluations if evaluation is not None]


def rankings(state: State, question: Question) -> list[Any]:
    """For each label id among the words its rankings, as hovers tell them."""
    evaluations = state.snapshot.evaluations
    return [state.hovers.label(evaluations[label]) for label in question.words if label in evaluations]


def boundaries(state: State, question: Question) -> list[Any]:
    """Where each chunk starts, with its number and its size."""
    chunked = state.snapshot.facts.documents.get(question.path)
    if chunked is None:
        return []
    found = []
    for chunk in chunked.chunks:
        start = chunk.location.span.start
        label = f"{chunk.id.rpartition(':')[2]} · {len(chunk.text):,} chars"
        found.append({"at": chars(Span(start, start)), "label": label, "tooltip": f"{chunk.id} ({chunk.kind})"})
    return found


def evidence(state: State, question: Question) -> list[Any]:
    """The gold evidence of a document without overlaps; `stale` in one that is not current."""
    chunked = state.snapshot.facts.documents.get(question.path)
    if chunked is None:
        return []
    stale = chunked.document.status != "current"
    mentions = state.mentions.about.get(question.path, ())
    spans = _joined(match.span for mention in mentions for match in mention.place.matches)
    return [{"range": chars(span), "stale": stale} for span in spans]


def _label_lens(state: State, evaluation: Evaluation) -> Any:
    facts = state.snapshot.facts
    said = verdict(evaluation, facts)
    if evaluation.label.answerable:
        said = f"rank: {answer_ranks(evaluation, '–')} | {change_mark(evaluation, facts)}{said}"
    start = evaluation.source.span.start
    return _lens(Span(start, start + 1), said, state.texts.uri_of(evaluation.source.path), [evaluation])


def _heading_lenses(state: State, chunked: ChunkedDocument) -> Iterator[Any]:
    uri = state.texts.uri_of(chunked.document.path)
    gold: dict[Section, dict[str, Evaluation]] = defaultdict(dict)
    for mention in state.mentions.about.get(chunked.document.path, ()):
        for section in mention.homes():
            gold[section][mention.evaluation.label.id] = mention.evaluation
    under = chunks_by_heading(chunked)
    for section in chunked.document.sections:
        if not section.level:
            continue
        asked = list(gold.get(section, {}).values())
        missing = sum(evaluation.standing.rank is None for evaluation in asked)
        chunks = under.get(section.heading_span, ())
        if not chunks and not asked:
            continue  # A title right above the next heading: nothing can be found under it, nor is it asked for.
        parts = [count(len(chunks), "chunk")]
        parts += [f"gold for {count(len(asked), 'question')}"] if asked else []
        parts += [f"{missing} not found"] if missing else []
        yield _lens(section.heading_span, " · ".join(parts), uri, asked)


def _lens(span: Span, title: str, uri: str, asked: Iterable[Evaluation]) -> Any:
    """A lens that shows the rankings of some questions; without any it is only a text, which an empty command means."""
    ids = [evaluation.label.id for evaluation in asked]
    run = {"command": SHOW_RANKING, "arguments": [uri, ids]} if ids else {"command": ""}
    return {"range": chars(span), "command": {"title": title, **run}}


def _joined(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in sorted(set(spans)):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined
