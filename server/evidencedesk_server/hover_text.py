"""What hovers say: Snapshot → Markdown for spans of a file. Invariant: pure; text from documents is always escaped."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

from evidencedesk.reports.figures import grades
from evidencedesk.reports.statistics import Cause, find_causes
from evidencedesk.retrieval.changes import Mapped, mapped
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corrective import CorrectionResult
from evidencedesk.retrieval.evaluation import Evaluation, GoldPlace, Judgement, judgements
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.label_runs import difference
from evidencedesk.retrieval.run_file import RunLine
from evidencedesk.text.spans import Span
from evidencedesk.workspace.snapshot import Snapshot
from evidencedesk_server.mentions import chunks_by_heading, own_evaluation
from evidencedesk_server.ranking_table import fusion_legend, ranking_table
from evidencedesk_server.verdicts import answer_ranks, count, shorten, verdict

Escape = Callable[[str], str]

# Everything that starts markup, HTML, a link, a bare link (`http://`, `www.`, `a@b`) or a new table cell.
_ACTIVE = re.compile(r"[\\`*_\[\]<>|&~#!@$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_MAX_QUESTIONS = 6
_MAX_CHUNKS = 3
_MAX_ROWS = 20
_PASSAGE_WIDTH = 240


def escape_markdown(text: str) -> str:
    """`text` so that Markdown shows it letter by letter: no markup, no link, no HTML, no table cell can start in it."""
    return _ACTIVE.sub(r"\\\g<0>", " ".join(text.split()))


def plain(text: str) -> str:
    """`text` on one line, for clients that show no Markdown."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class _Parts:
    """Who plays a part in one question: ids of chunks that hold its gold, of chunks that are retrieved in place of an
    answer, and of the documents in which no chunk holds its evidence whole."""

    answers: tuple[str, ...]
    wrong: tuple[str, ...]
    split: tuple[str, ...]


Parts = Mapped[str, Judgement, _Parts]
"""The parts in each question, by label id."""


def _parts_in(judgement: Judgement) -> _Parts:
    graded = grades(judgement)
    rank = judgement.standing.rank
    above = judgement.found.context if not judgement.label.answerable else judgement.top[: rank and rank - 1]
    return _Parts(
        tuple(graded),
        tuple([chunk.id for chunk in above if chunk.id not in graded]),
        tuple(dict.fromkeys([place.gold.doc_id for place in judgement.places if _is_split(place)])),
    )


def _is_split(place: GoldPlace) -> bool:
    return place.document is not None and not place.holders


class _Uses:
    """The parts in all questions, by who plays them: each with its judgements, in the labels' order."""

    def __init__(self, parts: Parts) -> None:
        self.answers: dict[str, list[Judgement]] = defaultdict(list)
        self.wrong: dict[str, list[Judgement]] = defaultdict(list)
        self.split: dict[str, list[Judgement]] = defaultdict(list)
        for judgement, own in zip(parts.source.values(), parts.made.values(), strict=True):
            for names, uses in ((own.answers, self.answers), (own.wrong, self.wrong), (own.split, self.split)):
                for name in names:
                    uses[name].append(judgement)


class HoverTexts:
    """Hovers for the files of one snapshot. Texts of a label or a chunk are made once, when first asked for.

    `link` makes a chunk's id lead to its text, where the client shows links. Tables have none, so that they stay narrow
    where links are shown as they are written; what they name can be opened from the line below.
    `last_parts` are those of an earlier state: they save work and change no text.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        escape: Escape = escape_markdown,
        link: Escape | None = None,
        last_parts: Parts | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._last_parts = last_parts
        self._escape = escape
        self._link = link
        self._twins = snapshot.facts.twins

    # What a hover on a label does not need is made when the first one on a page asks for it.

    @cached_property
    def _uses_of(self) -> _Uses:
        return _Uses(self._parts)

    @cached_property
    def _parts(self) -> Parts:
        return mapped(self._last_parts, judgements(self._snapshot.evaluations), _parts_in)

    @property
    def parts(self) -> Parts | None:
        """The parts in questions as far as a hover has needed them, for the state that follows."""
        made: Parts | None = self.__dict__.get("_parts", self._last_parts)
        return made

    def of_file(self, path: str) -> Iterator[tuple[Span, Callable[[], str]]]:
        """Spans of a file and what to say there, said when called; smaller spans say more special things."""
        if (chunked := self._snapshot.facts.documents.get(path)) is not None:
            yield from self._of_document(chunked)
        elif (file := self._snapshot.facts.label_files.get(path)) is not None:
            for entry in file.entries:
                if (evaluation := own_evaluation(self._snapshot, entry)) is not None:
                    yield entry.span, partial(self.label, evaluation)
        elif (runs := self._snapshot.facts.run_files.get(path)) is not None:
            for line in runs.lines:
                yield line.span, partial(self.record, line)

    # Labels

    def label(self, evaluation: Evaluation) -> str:
        """Rankings of a question, where its answer stands in each, and what went wrong."""
        label, contract = evaluation.label, evaluation.contract
        marks = self._marks(evaluation)
        lines = [f"**{self._escape(label.id)}** · {verdict(evaluation, self._snapshot.facts)}"]
        if evaluation.findings:
            said = (f"- {finding.stage}: {self._escape(finding.detail)}" for finding in evaluation.findings)
            lines.append("\n".join(said))
        if label.answerable:
            absent = f"not in the first {max(contract.k, contract.depth)}"
            lines.append(f"Answer at rank: {answer_ranks(evaluation, absent)}")
        if evaluation.correction is not None:
            lines.append(self._rounds(evaluation.correction))
        lines += self._table(evaluation, marks)
        lines += self._opening(found.chunk.id for found in evaluation.retrieved)
        lines += self._passages(evaluation)
        settings = [f"top {contract.k} by {contract.searcher}"]
        settings.append("no floor" if contract.floor is None else f"floor {contract.floor:g}")
        if contract.mmr_lambda is not None:
            settings.append(f"diversified with λ {contract.mmr_lambda:g}")
        if contract.gate is not None and evaluation.grade is not None:
            state = "open" if contract.gate.admits(evaluation.grade) else "closed"
            settings.append(f"gate {state}: {contract.gate.verdict(evaluation.grade)}")
        settings.append("scope " + ", ".join(sorted(contract.scope.statuses | contract.scope.audiences)))
        lines.append(f"*{'; '.join(settings)}*")
        return "\n\n".join(lines)

    def _table(self, evaluation: Evaluation, marks: dict[str, str]) -> Iterator[str]:
        rankings, contract = evaluation.rankings, evaluation.contract

        def named(chunk_id: str) -> str:
            return f"{self._escape(chunk_id)} {marks.get(chunk_id, '')}".rstrip()

        table = ranking_table(rankings, contract.searcher, contract.k, named)
        if not table:
            yield "No searcher finds anything."
            return
        yield table
        shown = {found.chunk.id for ranking in rankings.values() for found in ranking[: contract.k]}
        used = "".join(mark for chunk_id, mark in marks.items() if chunk_id in shown)
        legend = [meaning for mark, meaning in _LEGEND.items() if mark in used]
        if legend := [*legend, *filter(None, [fusion_legend(rankings, contract.rrf_k)])]:
            yield " · ".join(legend)

    def _passages(self, evaluation: Evaluation) -> Iterator[str]:
        """The passages that decided, where the configured searcher names them."""
        passages = [
            f"{found.rank}. “{self._escape(shorten(found.passage, _PASSAGE_WIDTH))}” ({self._escape(found.chunk.id)})"
            for found in evaluation.retrieved
            if found.passage
        ]
        if passages:
            yield "Passages:\n" + "\n".join(passages)

    @staticmethod
    def _marks(evaluation: Evaluation) -> dict[str, str]:
        marks = {chunk: "★" if grade == 2 else "☆" for chunk, grade in grades(evaluation).items()}
        for ranking in evaluation.rankings.values():
            for found in ranking:
                if found.chunk.status != "current":
                    marks[found.chunk.id] = marks.get(found.chunk.id, "") + "⌛"
        return marks

    def _rounds(self, correction: CorrectionResult) -> str:
        """What was searched for in each round, and what was thought of it."""
        told = [f"Corrective: {correction.verdict}"]
        for one in correction.rounds:
            grade = f"{one.grade.grade} ({self._escape(one.grade.reason)})"
            told.append(f"- {one.name}: “{self._escape(shorten(one.query))}” is {grade}")
        return "\n".join(told)

    # Recorded runs

    def record(self, line: RunLine) -> str:
        """A record: its question, ranking and prompt as they were, and what became of the question since."""
        record = line.record
        kept = {row["chunk_id"] for row in record["context"]}
        lines = [f"**{self._escape(line.test_id)}** · “{self._escape(shorten(_written(record, 'search_question')))}”"]
        status = self._escape(_written(record, "status")) or "completed"
        lines.append(f"{status}; recorded {self._escape(_written(record, 'created_at')) or 'at an unknown time'}")
        if record["ranking"]:
            table = ["| rank | chunk | score | in the prompt |", "|--:|:--|--:|:--|"]
            for rank, row in enumerate(record["ranking"][:_MAX_ROWS], start=1):
                star = " ★" if rank == record.get("expected_rank") else ""
                used = "yes" if row["chunk_id"] in kept else "–"
                table.append(f"| {rank} | {self._escape(row['chunk_id'])}{star} | {row['score']:.4g} | {used} |")
            lines.append("\n".join(table))
            lines += self._opening(row["chunk_id"] for row in record["ranking"])
        else:
            lines.append("Nothing was found.")
        if line.answer is not None:
            cited = ", ".join(map(self._escape, line.cited)) or "nothing"
            lines.append(f"Answer: “{self._escape(shorten(line.answer, _PASSAGE_WIDTH))}”, citing {cited}")
        evaluation = self._snapshot.evaluations.get(line.test_id)
        if evaluation is None:
            lines.append("No label has this id.")
        else:
            lines.append(f"Now: {self._escape(difference(record, evaluation)) or 'the same ranking'}")
        return "\n\n".join(lines)

    # Documents

    def _of_document(self, chunked: ChunkedDocument) -> Iterator[tuple[Span, Callable[[], str]]]:
        for span, chunks in _segments(chunked.chunks):
            yield span, partial(self._chunks, chunks)
        first = next((section for section in chunked.document.sections if section.level), None)
        under = chunks_by_heading(chunked)
        for section in chunked.document.sections:
            here = under.get(section.heading_span, [])
            if section.level and (here or section is first):
                yield section.heading_span, partial(self._heading, here, chunked if section is first else None)

    def _chunks(self, chunks: Sequence[Chunk]) -> str:
        return "\n\n".join(map(self.chunk, chunks))

    def _heading(self, here: Sequence[Chunk], page: ChunkedDocument | None) -> str:
        """The chunks under a heading; below the `page` that it is the first one of."""
        said = [] if page is None else [self.page(page)]
        said += map(self.chunk, here[:_MAX_CHUNKS])
        if len(here) > _MAX_CHUNKS:
            said.append(f"{len(here) - _MAX_CHUNKS} more chunks in this section")
        return "\n\n".join(said)

    def page(self, chunked: ChunkedDocument) -> str:
        """A whole file: its size, its problems' causes, the pages that are equal to it."""
        document = chunked.document
        words = sum(len(chunk.text.split()) for chunk in chunked.chunks)
        about = [self._escape(document.status), self._escape(document.audience)]
        lines = [
            f"**{self._escape(document.doc_id)}** · {', '.join(about)} · "
            f"{count(len(chunked.chunks), 'chunk')}, {count(words, 'word')}"
        ]
        lines += self._cause_lines(document.path)
        equal = [path for path in self._twins.pages_of.get(document.path, ()) if path != document.path]
        if equal:
            lines.append(f"Says the same as {self._listed(equal)}")
        return "\n\n".join(lines)

    def _cause_lines(self, path: str) -> Iterator[str]:
        causes = find_causes(self._snapshot.facts, path.__eq__)
        sentences = [self._cause(cause, path) for cause in causes if cause.cases]
        if sentences:
            yield "\n".join(f"- {sentence}" for sentence in sentences)

    def _cause(self, cause: Cause, path: str) -> str:
        boundary = cause.boundary_in(path)
        return self._escape(cause.sentence) + (f" (…{self._escape(boundary)}…)" if boundary else "")

    def chunk(self, chunk: Chunk) -> str:
        """A chunk: id, kind, size, the questions it answers, those that find it wrongly, its twins."""
        words = len(chunk.text.split())
        lines = [
            f"Chunk **{self._escape(chunk.id)}** · {chunk.kind} · {count(words, 'word')}, "
            f"{count(len(chunk.text), 'character')}"
        ]
        uses = self._uses_of
        answers = uses.answers.get(chunk.id, ())
        split = [one for one in uses.split.get(chunk.doc_id, ()) if self._holds_part(chunk, one)]
        parts = {one.label.id for one in split}
        wrong = [one for one in uses.wrong.get(chunk.id, ()) if one.label.id not in parts]
        lines += self._uses("Answers", answers, lambda one: _share(chunk, one) + _ranks_of(chunk.id, one))
        lines += self._uses("Holds only a part of the answer to", split, lambda one: _ranks_of(chunk.id, one))
        lines += self._uses("Wrongly retrieved for", wrong, lambda one: _wrong_at(chunk.id, one))
        equal = [twin for twin in self._twins.equal_of.get(chunk.id, ()) if twin != chunk.id]
        if equal:
            lines.append(f"Same text: {self._listed(equal, self._link)}")
        pairs = self._twins.near_of.get(chunk.id, ())
        near = [(pair.second if pair.first == chunk.id else pair.first, pair.similarity) for pair in pairs]
        near.sort(key=lambda twin: (-twin[1], twin[0]))
        if near:
            shares = {twin: f" ({share:.0%})" for twin, share in near}
            link = self._link or self._escape
            lines.append(f"Nearly the same: {self._listed(shares, lambda twin: link(twin) + shares[twin])}")
        return "\n\n".join(lines)

    def _holds_part(self, chunk: Chunk, judgement: Judgement) -> bool:
        """Whether a chunk has a share of evidence that no chunk holds whole."""
        chunked = self._snapshot.facts.by_id.get(chunk.doc_id)
        spans = [other.location.span for other in chunked.chunks if other.id == chunk.id] if chunked else []
        matches = [
            match.span
            for place in judgement.places
            if place.gold.doc_id == chunk.doc_id and _is_split(place)
            for match in place.matches
        ]
        return any(span.overlaps(match) for span in spans for match in matches)

    def _uses(self, title: str, uses: Sequence[Judgement], why: Callable[[Judgement], str]) -> Iterator[str]:
        if not uses:
            return
        lines = [f"{title}:"]
        for use in uses[:_MAX_QUESTIONS]:
            question = self._escape(shorten(use.label.question))
            lines.append(f"- “{question}” ({self._escape(use.label.id)}): {why(use)}")
        if len(uses) > _MAX_QUESTIONS:
            lines.append(f"- and {len(uses) - _MAX_QUESTIONS} more")
        yield "\n".join(lines)

    def _opening(self, chunk_ids: Iterable[str]) -> Iterator[str]:
        """Links to the first of these chunks."""
        if self._link is not None and (names := list(dict.fromkeys(chunk_ids))[:_MAX_QUESTIONS]):
            yield f"Open: {' · '.join(map(self._link, names))}"

    def _listed(self, names: Iterable[str], written: Escape | None = None) -> str:
        names = list(names)
        shown = ", ".join((written or self._escape)(name) for name in names[:_MAX_QUESTIONS])
        return shown + (f" and {len(names) - _MAX_QUESTIONS} more" if len(names) > _MAX_QUESTIONS else "")


def _written(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


_LEGEND = {"★": "★ holds the whole answer", "☆": "☆ holds a part", "⌛": "⌛ not current"}


def _ranks_of(chunk_id: str, judgement: Judgement) -> str:
    ranks = []
    for name, chunks in judgement.found.rankings.items():
        rank = next((rank for rank, chunk in enumerate(chunks, start=1) if chunk.id == chunk_id), None)
        ranks.append(f"{name} {rank if rank is not None else '–'}")
    return ", ".join(ranks)


def _share(chunk: Chunk, judgement: Judgement) -> str:
    return "" if grades(judgement)[chunk.id] == 2 else "a part; "


def _wrong_at(chunk_id: str, judgement: Judgement) -> str:
    """At which rank a chunk is that does not belong there, and what became of the answer."""
    answer = judgement.standing.rank
    reason = "its answer is not found" if answer is None else f"its answer is at rank {answer}"
    rank = next(rank for rank, chunk in enumerate(judgement.top, start=1) if chunk.id == chunk_id)
    return f"rank {rank}; {reason if judgement.label.answerable else 'it has no answer'}"


def _segments(chunks: tuple[Chunk, ...]) -> Iterator[tuple[Span, list[Chunk]]]:
    """The document cut wherever a chunk starts or ends, with the chunks that cover each piece."""
    cuts = sorted({edge for chunk in chunks for edge in chunk.location.span})
    active: list[Chunk] = []
    waiting = sorted(chunks, key=lambda chunk: chunk.location.span.start, reverse=True)
    for start, end in pairwise(cuts):
        active = [chunk for chunk in active if chunk.location.span.end > start]
        while waiting and waiting[-1].location.span.start <= start:
            active.append(waiting.pop())
        if active:
            yield Span(start, end), list(active)
