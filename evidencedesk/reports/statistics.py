"""The causes above single problems: Snapshot → Statistics. Invariant: figures count cases; shares add up."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evidencedesk.documents.document import Document
from evidencedesk.reports.figures import answer_rank, grades
from evidencedesk.reports.summary import weight
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Evaluation, Judgement, judgements
from evidencedesk.retrieval.facts import ChunkedDocument, Facts, UnfindableSection
from evidencedesk.retrieval.places import found_beside
from evidencedesk.retrieval.repeats import copies_of, repeats
from evidencedesk.retrieval.tables import split_tables, tables
from evidencedesk.rule import Problem
from evidencedesk.text.spans import Span
from evidencedesk.workspace.snapshot import Snapshot

_LIMIT = re.compile(r"(\w+)\(.*?\bsize=(\d+)")
_ITEM = r"[ \t]*(?:[-*+>][ \t]|\d{1,9}[.)][ \t]|```|~~~|<)"
_NEW_ITEM = re.compile(rf"\s*[\r\n]{_ITEM}")
_SENTENCE_END = re.compile(rf"[.!?:;…।॥。！？；：](?=[\s\"'”’»)\]*_]|$)|[。！？]|\n[ \t]*\n|[\r\n](?={_ITEM})")
_INK = re.compile(r"\S")
_AROUND = 36


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a cause: the file it is in, what made it happen ("" when nothing more is known), and, for a cut,
    the text at both sides of it as `tail ‖ head`."""

    path: str
    reason: str = ""
    boundary: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that goes wrong in many places: `name`, then `len(cases)` of `total` `unit` that `clause`.

    `totals` counts the units per path, so that a share can be told for one file as for all.
    """

    name: str
    unit: str
    clause: str
    totals: Mapping[str, int]
    cases: tuple[Case, ...]

    @property
    def total(self) -> int:
        """How many units there are."""
        return sum(self.totals.values())

    @property
    def reasons(self) -> tuple[tuple[str, int], ...]:
        """Known reasons and their number of cases, most first."""
        return _most(case.reason for case in self.cases if case.reason)

    @property
    def files(self) -> tuple[tuple[str, int], ...]:
        """Paths and their number of cases, most first."""
        return _most(case.path for case in self.cases)

    @property
    def sentence(self) -> str:
        """Such as "answers split: 51 of 372 chunks end inside an answer; 48 of them by the 400-character limit"."""
        text = f"{self.name}: {len(self.cases):,} of {self.total:,} {self.unit} {self.clause}"
        if not self.reasons:
            return text
        if len(self.cases) == 1:
            return f"{text}; {self.reasons[0][0]}"
        (first, most), *others = self.reasons
        shares = [f"{'all' if most == len(self.cases) else f'{most:,}'} of them {first}"]
        return f"{text}; {', '.join([*shares, *(f'{count:,} {reason}' for reason, count in others)])}"

    def boundary_in(self, path: str) -> str:
        """The first cut shown for a file; "" when the cause has none there."""
        return next((case.boundary for case in self.cases if case.path == path and case.boundary), "")

    def within(self, takes: Callable[[str], bool]) -> Cause:
        """This cause in the files that `takes` accepts."""
        return replace(
            self,
            totals={path: count for path, count in self.totals.items() if takes(path)},
            cases=tuple(case for case in self.cases if takes(case.path)),
        )


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many problems of one rule there are, those beyond the number shown per file included."""

    code: str
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """`causes` that have cases, `rules` and `files` (path, number of problems) most first."""

    causes: tuple[Cause, ...]
    rules: tuple[RuleCount, ...]
    files: tuple[tuple[str, int], ...]


def statistics(
    snapshot: Snapshot, problems: Sequence[Problem] | None = None, takes: Callable[[str], bool] = lambda path: True
) -> Statistics:
    """Causes and counts of a snapshot: of all its problems, or of those given, in the files that `takes` accepts."""
    counted = snapshot.problems if problems is None else problems
    rules: Counter[tuple[str, str]] = Counter()
    files: Counter[str] = Counter()
    for problem in counted:
        if takes(problem.path):
            rules[problem.code, problem.name] += weight(problem)
            files[problem.path] += weight(problem)
    return Statistics(
        causes=tuple(cause for cause in find_causes(snapshot.facts, takes) if cause.cases),
        rules=tuple(
            RuleCount(code, name, count)
            for (code, name), count in sorted(rules.items(), key=lambda item: (-item[1], item[0]))
        ),
        files=tuple(sorted(files.items(), key=lambda item: (-item[1], item[0]))),
    )


def find_causes(facts: Facts, takes: Callable[[str], bool] = lambda path: True) -> Iterator[Cause]:
    """All causes in the files that `takes` accepts, with or without cases, in the order in which a question meets them.

    Other pages are hardly looked at.
    """
    documents = {path: chunked for path, chunked in facts.documents.items() if takes(path)}
    return (cause.within(takes) for cause in _causes(facts, documents))


def _causes(facts: Facts, documents: Mapping[str, ChunkedDocument]) -> Iterator[Cause]:
    """The causes in these documents; some have cases elsewhere as well."""
    cutter = _Cutter(facts.chunking)
    chunks = {path: len(chunked.chunks) for path, chunked in documents.items()}
    answers: dict[str, list[Evaluation]] = {}
    for label_id, judgement in judgements(facts.evaluations).items():
        if judgement.label.answerable and (path := _page_of(judgement)) in documents:
            answers.setdefault(path, []).append(facts.evaluations[label_id])
    questions = {path: len(evaluations) for path, evaluations in answers.items()}
    twin_of = {chunk_id: group[0] for group in facts.twins.equal for chunk_id in group}

    yield Cause("answers split", "chunks", "end inside an answer", chunks, tuple(_split_answers(facts, cutter)))
    yield Cause(
        "sentences cut",
        "chunks",
        "end inside a sentence that no chunk holds whole",
        chunks,
        tuple(case for chunked in documents.values() for case in _cut_sentences(chunked, cutter)),
    )
    yield Cause(
        "tables cut",
        "tables",
        "have rows that stand in no chunk with their header",
        {path: sum(1 for _ in tables(chunked)) for path, chunked in documents.items()},
        tuple(Case(path) for path, chunked in documents.items() for _ in split_tables(chunked)),
    )
    yield Cause("repeated text", "chunks", "say the same as another chunk", chunks, tuple(_repeated(facts)))
    yield Cause(
        "answers missed",
        "questions with gold",
        f"do not find their answer in the top {facts.contract.k}",
        questions,
        tuple(_missed(path, one) for path, all_of in answers.items() for one in all_of if _is_missed(one)),
    )
    yield Cause(
        "answers outranked",
        "questions with gold",
        "find something else at rank 1",
        questions,
        tuple(
            Case(path, _winner(one, twin_of))
            for path, all_of in answers.items()
            for one in all_of
            if (one.standing.rank or 1) > 1
        ),
    )
    yield Cause(
        "answers dropped",
        "questions with gold",
        "find their answer, but it does not reach the prompt",
        questions,
        tuple(
            Case(path, "by the gate" if one.trace.closed else f"by the floor of {one.contract.floor}")
            for path, all_of in answers.items()
            for one in all_of
            if one.standing.rank and not one.standing.in_context
        ),
    )
    yield Cause(
        "sections unfindable",
        "sections",
        "are not found by their own heading",
        {path: sum(1 for section in chunked.document.sections if section.level) for path, chunked in documents.items()},
        tuple(_unfindable(one, facts) for page in facts.unfindable_pages.values() for one in page.sections),
    )


def _most(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _page_of(judgement: Judgement) -> str:
    return next((place.document.path for place in judgement.places if place.document), "")


class _Cutter:
    """Says why a chunk ends where it does, for one chunking strategy."""

    def __init__(self, chunking: str) -> None:
        found = _LIMIT.match(chunking)
        self.limit = int(found[2]) if found else 0
        self.in_words = bool(found) and chunking.startswith("tokens")
        self.by_limit = f"by the {self.limit}-{'word' if self.in_words else 'character'} limit"

    def reason(self, document: Document, chunk: Chunk) -> str:
        """What ended `chunk`: the size limit when the rest of its block, or the next one, would not have fitted."""
        end = chunk.location.span.end
        place = bisect_left(document.blocks, end, key=lambda block: block.span.start)
        block = document.blocks[place - 1] if place else None
        following = document.blocks[place].span if place < len(document.blocks) else Span(end, end)
        inside = block is not None and _INK.search(document.text, end, block.span.end) is not None
        if self.limit and (inside or self._too_long(chunk.text, following.of(document.text))):
            return self.by_limit
        if inside:
            return "between the rows of a table" if block and block.kind == "table" else "inside a block"
        if any(end <= section.heading_span.start <= following.start for section in document.sections if section.level):
            return "at a heading"
        return "between two blocks"

    def _too_long(self, text: str, following: str) -> bool:
        if self.in_words:
            return len(text.split()) + len(following.split()) > self.limit
        return len(text) + len(following) > self.limit


def _boundary(text: str, tail_end: int, head_start: int) -> str:
    tail = text[max(0, tail_end - _AROUND) : tail_end].split()
    head = text[head_start : head_start + _AROUND].split()
    # The outer words are probably cut; a text without spaces is one long word and stays.
    return f"{' '.join(tail[len(tail) > 2 :])} ‖ {' '.join(head[: len(head) - (len(head) > 2)])}"


def _split_answers(facts: Facts, cutter: _Cutter) -> Iterator[Case]:
    seen: set[str] = set()
    for judgement in judgements(facts.evaluations).values():
        for place in judgement.places:
            if place.document is None or place.holders or not place.matches:
                continue
            wanted = (place.in_section or place.matches)[0].span
            chunked = facts.documents.get(place.document.path)
            for chunk in chunked.chunks if chunked else ():
                span = chunk.location.span
                if span.overlaps(wanted) and span.end < wanted.end and chunk.id not in seen:
                    seen.add(chunk.id)
                    ink = _INK.search(place.document.text, span.end)
                    boundary = _boundary(place.document.text, span.end, ink.start() if ink else span.end)
                    yield Case(place.document.path, cutter.reason(place.document, chunk), boundary)


def _cut_sentences(chunked: ChunkedDocument, cutter: _Cutter) -> Iterator[Case]:
    text = chunked.document.text
    for chunk, following in zip(chunked.chunks, chunked.chunks[1:], strict=False):
        end = chunk.location.span.end
        place = bisect_right(chunked.document.blocks, end - 1, key=lambda block: block.span.start) - 1
        if place < 0:
            continue
        block = chunked.document.blocks[place]
        if block.kind not in ("paragraph", "list", "quote") or not _INK.search(text, end, block.span.end):
            continue
        start = max(block.span.start, chunk.location.span.start)
        sentence = start
        for found in _SENTENCE_END.finditer(text, start, end):
            sentence = found.end()
        going_on = text[sentence:end].rstrip()
        if not going_on or _NEW_ITEM.match(text, sentence + len(going_on), block.span.end):
            continue
        # A chunk that overlaps this one from before the sentence's start may hold it whole.
        if following.location.span.start > sentence + 1:
            yield Case(chunked.document.path, cutter.reason(chunked.document, chunk), _boundary(text, end, end))


def _repeated(facts: Facts) -> Iterator[Case]:
    for group in facts.equal_pages.values():
        # Each group stands there once for each of its pages.
        for page in copies_of(group, facts)[1:] if group.path == group.paths[0] else ():
            yield from (Case(page.path, "because whole pages are equal") for _ in facts.documents[page.path].chunks)
    for repeat in repeats(facts):
        for first, *others in repeat.passages:
            for other in others:
                yield Case(other.path, "on one page" if other.path == first.path else "on different pages")


def _is_missed(evaluation: Evaluation) -> bool:
    return evaluation.standing.rank is None and 2 in grades(evaluation).values()


def _missed(path: str, evaluation: Evaluation) -> Case:
    configured, k = evaluation.contract.searcher, evaluation.contract.k
    ranks = {name: answer_rank(evaluation, name) for name in evaluation.rankings if name != configured}
    finders = [name for name, rank in ranks.items() if rank and rank <= k]
    found = f"found by {' and '.join(finders)} but not by {configured}" if finders else "found by no searcher"
    return Case(path, found)


def _winner(evaluation: Evaluation, twin_of: Mapping[str, str]) -> str:
    winner = evaluation.retrieved[0].chunk
    answer = evaluation.retrieved[(evaluation.standing.rank or 1) - 1].chunk
    if winner.status != "current":
        return "on a page that is not current"
    if twin_of.get(winner.id, winner.id) == twin_of.get(answer.id, answer.id):
        return "with the same text"
    return "on the same page" if winner.doc_id == answer.doc_id else "on another page"


def _unfindable(section: UnfindableSection, facts: Facts) -> Case:
    found = found_beside(section, facts)
    return Case(section.path, "on a page that is found" if found is not None else "on a page that is not found either")
