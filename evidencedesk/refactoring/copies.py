"""Repeated passages kept once. Invariant: only whole blocks that stand elsewhere word for word give way to a link.

Labels whose evidence stood in a copy follow to the place that is kept.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from evidencedesk.documents.document import Document
from evidencedesk.documents.links import anchors, as_link
from evidencedesk.repairs.front_matter import key_of, set_field
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.chunking.build import is_comment
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import chunk_of, document_of, reference, section_at
from evidencedesk.rule import Fix, Problem
from evidencedesk.text.normal import fold
from evidencedesk.text.spans import Span, TextEdit

_CODE = "ED205"


@dataclass(frozen=True, slots=True)
class _Run:
    """Blocks `first` to `last` of a copy, which say what as many blocks of the original from `origin` on say."""

    copy: Document
    first: int
    last: int
    original: Document
    origin: int

    @property
    def span(self) -> Span:
        return Span(self.copy.blocks[self.first].span.start, self.copy.blocks[self.last].span.end)


def fixes_of_copies(problem: Problem, facts: Facts) -> Iterator[Fix]:
    """What can be done about a problem of duplicate-chunk.

    The rule itself offers nothing: which labels follow is found out when it is wanted, not at every change.
    """
    # The line that counts the rest of a file's problems is of no passage and no page.
    if problem.code != _CODE or "by_severity" in problem.values:
        return
    passages, page = problem.values.get("passages", ()), facts.documents[problem.path].document
    paths = list(dict.fromkeys(chunk_of(facts, name).path for ids in passages for name in ids))
    if "passages" not in problem.values:
        marked = set_field(page, "status", key_of("status", (page,)), "superseded")
        if marked and "superseded" not in facts.contract.scope.statuses:
            yield Fix("Mark this page as superseded", {page.path: (marked,)})
    elif len(paths) == 1:
        yield from _keep_once("Keep the first of these and link to it from the others", passages, paths[0], facts)
    elif paths:
        yield from _keep_once(f"Keep this here and link to it from {paths[1]}", passages, paths[0], facts)
        yield from _keep_once(f"Keep this in {paths[1]} and link to it from here", passages, paths[1], facts)


def _keep_once(title: str, passages: Sequence[Sequence[str]], kept: str, facts: Facts) -> Iterator[Fix]:
    """The fix that keeps of each passage, given as chunk ids, its first occurrence in the page `kept`.

    Nothing where blocks that the chunks touch differ, or where something of a copy is to be kept together.
    """
    runs: dict[tuple[str, int, int], _Run] = {}
    for ids in passages:
        chunks = [chunk_of(facts, name) for name in ids]
        original = next((chunk for chunk in chunks if chunk.path == kept), None)
        for chunk in chunks:
            if original is None or (chunk is not original and (run := _run(chunk, original, facts)) is None):
                return
            if chunk is not original and run is not None:
                runs[run.copy.path, run.first, run.last] = run
    found = _without_overlaps(runs.values())
    # What is kept as the original of one copy must not be taken away as another copy.
    if not found or any(_takes(run, other) for run in found for other in found):
        return
    edits: dict[str, list[TextEdit]] = {}
    for run in found:
        edits.setdefault(run.copy.path, []).extend(_links(run))
    for path, edit in _labels(found, facts):
        edits.setdefault(path, []).append(edit)
    yield Fix(title, {path: tuple(dict.fromkeys(one)) for path, one in edits.items()})


def _run(chunk: Chunk, original: Chunk, facts: Facts) -> _Run | None:
    """The longest run of equal blocks around a chunk and its original; None where blocks that they touch differ."""
    copy, source = document_of(facts, chunk), document_of(facts, original)
    here, there = _touched(copy, chunk.location.span), _touched(source, original.location.span)
    if not here or len(here) != len(there):
        return None
    before = after = 0
    while _equal(copy, here[0] - before - 1, source, there[0] - before - 1):
        before += 1
    while _equal(copy, here[-1] + after + 1, source, there[-1] + after + 1):
        after += 1
    pairs = zip(here, there, strict=True)
    run = _Run(copy, here[0] - before, here[-1] + after, source, there[0] - before)
    if not all(_equal(copy, one, source, other) for one, other in pairs):
        return None
    if any(keep.span.overlaps(run.span) for keep in copy.kept):
        return None
    return run


def _touched(document: Document, span: Span) -> list[int]:
    return [number for number, block in enumerate(document.blocks) if span.overlaps(block.span)]


def _equal(one: Document, first: int, other: Document, second: int) -> bool:
    if not (0 <= first < len(one.blocks) and 0 <= second < len(other.blocks)) or (one is other and first == second):
        return False
    here, there = one.blocks[first], other.blocks[second]
    if here.kind != there.kind or is_comment(one, here):
        return False
    return fold(here.span.of(one.text)) == fold(there.span.of(other.text))


def _without_overlaps(runs: Iterable[_Run]) -> list[_Run]:
    """The runs in order, each without the blocks that one before it takes."""
    found: list[_Run] = []
    for run in sorted(runs, key=lambda run: (run.copy.path, run.first, -run.last)):
        last = found[-1].last if found and found[-1].copy.path == run.copy.path else -1
        taken = max(0, last + 1 - run.first)
        if run.first + taken <= run.last:
            found.append(replace(run, first=run.first + taken, origin=run.origin + taken))
    return found


def _takes(run: _Run, other: _Run) -> bool:
    """Whether a run takes away what another one's link leads to."""
    last = other.origin + other.last - other.first
    return run.copy.path == other.original.path and run.first <= last and other.origin <= run.last


def _links(run: _Run) -> Iterator[TextEdit]:
    """A link in place of the blocks under one heading here that stand under one heading there."""

    def headings(number: int) -> tuple[int, int]:
        return run.copy.blocks[number].section, run.original.blocks[run.origin + number - run.first].section

    for (_, section), under in groupby(range(run.first, run.last + 1), key=headings):
        first, *more = under
        span = Span(run.copy.blocks[first].span.start, run.copy.blocks[[first, *more][-1]].span.end)
        yield TextEdit(span, f"See {_link(run, section)}.")


def _link(run: _Run, section: int) -> str:
    anchor = next((name for name, number in anchors(run.original).items() if number == section), "")
    name = run.original.sections[section].heading or run.original.title
    target = "" if run.original.path == run.copy.path else run.original.path
    if target:
        relative = posixpath.relpath(target, posixpath.dirname(run.copy.path) or ".")
        target = as_link(relative, angled=False)
    return f"[{name.replace('[', '(').replace(']', ')')}]({target}{'#' if anchor else ''}{anchor})"


def _labels(runs: Sequence[_Run], facts: Facts) -> Iterator[tuple[str, TextEdit]]:
    """The gold whose evidence stands nowhere else in the page of the copy is that of the original from now on."""
    names = tuple({run.copy.doc_id for run in runs})
    sources = (source for file in facts.label_files.values() for source in file.entries)
    # Of a thousand evaluations only those are looked at that may change the fix.
    asked = [source.label.id for source in sources if any(gold.section.startswith(names) for gold in source.label.gold)]
    for evaluation in filter(None, map(facts.evaluations.get, asked)):
        for number, place in enumerate(evaluation.places):
            section = evaluation.source.spans.get(f"gold[{number}].section")
            if place.document is None or not place.matches or section is None:
                continue
            mine = [run for run in runs if run.copy.path == place.document.path]
            held = [next((run for run in mine if run.span.contains(match.span)), None) for match in place.matches]
            run = held[0]
            if run is None or not all(held):
                continue
            at = place.matches[0].span.start
            block = next(n for n in range(run.first, run.last + 1) if run.copy.blocks[n].span.end > at)
            home = section_at(run.original, run.original.blocks[run.origin + block - run.first].span.start)
            new = json.dumps(reference(run.original, home), ensure_ascii=False)
            yield evaluation.source.path, TextEdit(section, new)
