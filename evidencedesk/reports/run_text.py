"""Run records for a reader: asked, found, kept, expected. Invariant: nothing is shown that is not recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evidencedesk.reports.excerpt import WIDTH, excerpt, visible
from evidencedesk.text.spans import LineIndex, Span

Record = Mapping[str, Any]


def record_lines(record: Record, since: Iterable[str] = ()) -> Iterator[str]:
    """One record as a page of lines; `since` says what became of its question since."""
    yield f"{_text(record.get('test_id'))}  {_text(record.get('search_question') or '(no question)')}"
    yield ""
    yield _field("status", _status(record))
    yield _field("recorded", _text(record.get("created_at")))
    yield _field("result", _text(record.get("result_id")))
    yield _field("run", _text(record.get("run_id")))
    yield _field("test set", f"{_text(record.get('test_set_version'))}, turn {_text(record.get('turn_id'))}")
    yield _field("contract", _text(record.get("contract_hash")))
    yield ""
    ranking, context = record["ranking"], record["context"]
    yield f"Ranking: {_counted(len(ranking), 'chunk')} before the filter"
    yield from _rows(ranking, record.get("expected_rank"))
    yield ""
    yield f"Filter: {_filter(record)}"
    yield f"Prompt: {_counted(len(context), 'chunk')}" + (f" ({_why(record)})" if not context else "")
    yield from _rows(context, None)
    yield ""
    yield from _measured(record)
    if record.get("answer") is not None:
        yield f"Answer: {_text(record['answer'])}"
        yield f"Cited: {', '.join(map(_text, record.get('cited') or ())) or 'nothing'}"
    yield f"Configuration: {_configuration(record)}"
    yield from since


def overview_lines(records: Sequence[Record]) -> Iterator[str]:
    """A line per record, and what they come to."""
    width = max((len(_text(record.get("test_id"))) for record in records), default=0)
    for record in records:
        rank = record.get("expected_rank")
        found = f"rank {rank}" if rank else ("–" if record.get("metric_reason") else "not found")
        question = excerpt(LineIndex(_text(record.get("search_question"))), Span(0, 0), WIDTH - width - 40).text
        prompt = f"{len(record['context'])} in prompt"
        yield f"{_text(record.get('test_id')):<{width}}  {found:<9}  {prompt:>12}  {question}"
    yield from totals(records)


def totals(records: Sequence[Record]) -> Iterator[str]:
    """What the records come to, in words."""
    measured = [record for record in records if record.get("hit_at_k") is not None]
    errors = sum(record.get("status") == "execution_error" for record in records)
    hits, first = (sum(record[name] for record in measured) for name in ("hit_at_k", "hit_at_1"))
    whole, some = (sum(_context_metric(record, name) for record in measured) for name in ("all_groups", "any_group"))
    yield ""
    yield f"{_counted(len(records), 'record')}, {len(measured)} of questions with expected evidence."
    if measured:
        yield f"Evidence found: {first} at rank 1, {hits} in the ranking, of {len(measured)}."
        yield f"Evidence in the prompt: some for {some}, all of it for {whole}, of {len(measured)}."
    empty = sum(not record["context"] for record in records if record.get("metric_reason") == "no_expected_chunk")
    without = sum(record.get("metric_reason") == "no_expected_chunk" for record in records)
    if without:
        yield f"Nothing expected: {without}; {empty} of them left the prompt empty."
    if errors:
        yield f"Not executed: {errors}."


def _context_metric(record: Record, name: str) -> bool:
    return bool(((record.get("metrics") or {}).get("context") or {}).get(name))


def _rows(rows: Sequence[Record], expected_rank: int | None) -> Iterator[str]:
    for rank, row in enumerate(rows, start=1):
        metadata = row.get("metadata") or {}
        lines = metadata.get("lines") or []
        where = f"  {_text(metadata.get('source'))}" + (f":{lines[0]}" if lines else "")
        mark = "  ← expected" if rank == expected_rank else ""
        yield f"  {rank:>2}  {row['score']:>9.5f}  {_text(row['chunk_id'])}{where}{mark}"
        yield f"{'':17}{excerpt(LineIndex(_text(row['text'])), Span(0, 0), WIDTH - 17).text}"


def _status(record: Record) -> str:
    error = record.get("error")
    return _text(record.get("status")) + (f": {_text(error)}" if error else "")


def _filter(record: Record) -> str:
    threshold = (record.get("config") or {}).get("similarity_threshold")
    if threshold is None:
        return "no threshold"
    below = sum(row["score"] < threshold for row in record["ranking"])
    return f"threshold {threshold:g}, {below} of {len(record['ranking'])} below it"


def _why(record: Record) -> str:
    reasons = {
        "no_results": "nothing was found",
        "below_threshold": "every score is below the threshold",
        "no_usable_results": "nothing that was found can be used",
    }
    return reasons.get(str(record.get("context_reason")), "the turn was not executed")


def _measured(record: Record) -> Iterator[str]:
    reason = record.get("metric_reason")
    if reason:
        yield "Measured: nothing; " + ("no evidence is expected" if reason == "no_expected_chunk" else _text(reason))
        return
    for name in ("ranking", "context"):
        metric = (record.get("metrics") or {}).get(name) or {}
        if metric.get("groups"):
            place = "prompt" if name == "context" else name
            yield f"Evidence in the {place}: {metric['covered']} of {_counted(metric['groups'], 'group')}"
    yield f"Hit at 1: {record.get('hit_at_1')}, at {record.get('metric_k')}: {record.get('hit_at_k')}"


def _configuration(record: Record) -> str:
    config = record.get("config") or {}
    if "settings" in config:
        return _text(config["settings"])
    return ", ".join(f"{_text(name)} = {_text(value)}" for name, value in config.items()) or "not recorded"


def _field(name: str, value: str) -> str:
    return f"{name:<9} {value}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun if number == 1 else noun + 's'}"


def _text(value: object) -> str:
    return visible(" ".join(str("–" if value is None else value).split()))
