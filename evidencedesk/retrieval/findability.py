"""Sections that their own headings do not retrieve. Invariant: needs no labels; twins and namesakes count as itself.

A section is asked for by its title and heading (`tries`). It is found where one of its chunks is among the k best by
words; or where fewer than k of the chunks that compete by vectors are nearer (`nearness`); or where the fusion of
both, of deeper lists, or the configured searcher brings it. So whatever is told is beaten by at least k chunks in each
of these ways. Each way is tried for what those before it miss, and again only for queries whose list or page changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.candidates import RankedList, ranked
from evidencedesk.retrieval.corpus import Corpus, InScope, Mask
from evidencedesk.retrieval.embedding import Model
from evidencedesk.retrieval.evaluation import Contract
from evidencedesk.retrieval.facts import ChunkedDocument, UnfindablePage, UnfindableSection
from evidencedesk.retrieval.fusion import rrf
from evidencedesk.retrieval.nearness import Near, near
from evidencedesk.retrieval.searcher import Best, Searcher, Tick, untold
from evidencedesk.retrieval.tries import Numbers, Tries, collect_tries
from evidencedesk.retrieval.twin_keys import TwinKeys

Flags = NDArray[np.bool_]
Marks = NDArray[np.object_]

Words = Callable[[Sequence[str], int], Best]
"""Finds the best k for queries by words."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """Whether something brings queries, by their numbers; `marks` are of the lists they rest on, None for none."""

    marks: Marks
    found: Flags

    @classmethod
    def after(cls, before: Verdicts | None, tries: Tries) -> Verdicts:
        """Those that still hold."""
        many = tries.size
        made = cls(np.full(many, None, dtype=np.object_), np.zeros(many, dtype=np.bool_))
        if before:
            made.marks[: len(before.marks)], made.found[: len(before.found)] = before.marks, before.found
            made.marks[tries.stirred] = None
        return made

    def take(self, numbers: Numbers, marks: Marks, judge: Callable[[Numbers, Numbers], Flags]) -> Flags:
        """The verdicts on some queries whose lists have these marks; `judge` gives those that do not hold any more.

        It is given the queries' numbers and their places among those asked for.
        """
        places = np.flatnonzero(self.marks[numbers] != marks)
        if len(places):
            again = numbers[places]
            self.found[again] = judge(again, places)
            self.marks[again] = marks[places]
        return self.found[numbers]


@dataclass(frozen=True, slots=True, eq=False)
class Findability:
    """What came of trying all headings, and what the next time starts from. `pages` are by path."""

    pages: Mapping[str, UnfindablePage]
    contract: Contract
    tries: Tries
    is_told: Flags
    marks: Marks
    by_words: Verdicts
    by_vectors: Verdicts
    by_fusion: Verdicts


def find_unfindable(
    before: Findability | None,
    documents: Mapping[str, ChunkedDocument],
    keys: Mapping[str, TwinKeys],
    corpus: Corpus,
    words: Words,
    model: Model | None,
    searchers: Mapping[str, Searcher],
    contract: Contract,
    tick: Tick = untold,
) -> Findability:
    """The sections in scope that nothing brings into the top k; without a `model` vectors and fusion are not tried.

    What came instead is what the words bring, whatever the searcher. `documents` are by id, `keys` by path. From
    `before` it takes over what rests on pages and lists that did not change; `tick` is told how it goes.
    """
    before = before if before and before.contract == contract else None
    scope = InScope(corpus, contract.scope)
    mask = corpus.mask(scope)
    tries = collect_tries(before.tries if before else None, documents, keys, corpus, mask, tick)
    if before and tries.queries is not before.tries.queries:
        before = None
    best = _by_number(words(tries.texts, contract.k), tries.asked, tries.size)
    by_words = Verdicts.after(before.by_words if before else None, tries)
    asked = tries.asked
    missed = asked[~by_words.take(asked, best.marks[asked], lambda n, _: tries.holds_own(best.slots[n], n))]
    by_vectors = Verdicts.after(before.by_vectors if before else None, tries)
    by_fusion = Verdicts.after(before.by_fusion if before else None, tries)
    if model is not None:
        by_page = _ByPage(tries, corpus, mask, model, contract, tick)
        missed = missed[~by_vectors.take(missed, best.marks[missed], lambda n, _: by_page.among(n, best.slots[n]))]
        deep = words(tries.some(missed), max(contract.k, contract.depth))
        missed = missed[~by_fusion.take(missed, deep.marks, lambda n, at: by_page.fused(n, deep, at))]
    if contract.searcher not in ("sparse", "dense", "hybrid"):
        found = searchers[contract.searcher].search_many(tries.some(missed), contract.k, scope)
        missed = missed[~tries.holds_own(_slots(found, contract.k, corpus), missed)]
    is_told = np.zeros(tries.size, dtype=np.bool_)
    is_told[missed] = True
    pages = _pages(before, tries, is_told, best)
    return Findability(pages, contract, tries, is_told, best.marks, by_words, by_vectors, by_fusion)


@dataclass(frozen=True, slots=True)
class _ByPage:
    """What vectors and fusion find among the chunks of the queries' pages and those that words bring."""

    tries: Tries
    corpus: Corpus
    mask: Mask
    model: Model
    contract: Contract
    tick: Tick

    def among(self, numbers: Numbers, brought: NDArray[np.int32]) -> Flags:
        """Whether fewer than k are nearer than a chunk of their own."""
        places = [one.places_of_own(count) for count, one in self._near(numbers, brought)]
        return np.concatenate(places) < self.contract.k

    def fused(self, numbers: Numbers, deep: Best, rows: Numbers) -> Flags:
        """Whether fusion brings a chunk of their own that words bring further down; `rows` are those in `deep`.

        What no words bring at all cannot win, since k chunks are nearer, and words bring others.
        """
        found = self.tries.holds_own(deep.slots[rows], numbers)
        rows = rows[found]
        chunks, k, rrf_k = self.corpus.chunks, self.contract.k, self.contract.rrf_k
        verdicts = []
        each = chain.from_iterable(one.each(count) for count, one in self._near(numbers[found], deep.slots[rows]))
        for row, one in zip(rows.tolist(), each, strict=True):
            pairs = zip(one.slots.tolist(), one.scores.tolist(), strict=True)
            dense = ranked(((chunks[slot], score) for slot, score in list(pairs)[: deep.slots.shape[1]]), "dense")
            own = {chunks[slot].id for slot in one.slots[one.is_own].tolist()}
            verdicts.append(any(fused.chunk.id in own for fused in rrf([deep[row], dense], rrf_k, k)))
        found[found] = verdicts
        return found

    def _near(self, numbers: Numbers, brought: NDArray[np.int32]) -> Iterator[tuple[int, Near]]:
        return near(numbers, brought, self.tries, self.corpus, self.mask, self.model, self.tick)


def _by_number(best: Best, numbers: Numbers, many: int) -> Best:
    """Rankings of queries with these numbers, as rows of an array of all."""
    slots = np.full((many, best.slots.shape[1]), -1, dtype=np.int32)
    marks = np.full(many, None, dtype=np.object_)
    slots[numbers], marks[numbers] = best.slots, best.marks
    return replace(best, slots=slots, marks=marks)


def _slots(lists: Sequence[RankedList], k: int, corpus: Corpus) -> NDArray[np.int32]:
    slots = np.full((len(lists), k), -1, dtype=np.int32)
    for row, found in enumerate(lists):
        slots[row, : len(found)] = [corpus.slot_of(one.chunk) for one in found[:k]]
    return slots


def _pages(before: Findability | None, tries: Tries, is_told: Flags, best: Best) -> Mapping[str, UnfindablePage]:
    """The pages with sections that are told; the same objects as before where all is the same."""
    is_changed = np.ones(len(is_told), dtype=np.bool_)
    if before:
        many = len(before.is_told)
        is_changed[:many] = before.is_told != is_told[:many]
        told = np.flatnonzero(is_told[:many])
        is_changed[told] |= before.marks[told] != best.marks[told]
        is_changed[tries.stirred] = True
    changed = set(tries.own_page[is_changed[tries.own_query]].tolist())
    pairs = np.flatnonzero(is_told[tries.own_query])
    of_pages, starts = np.unique(tries.own_page[pairs], return_index=True)
    every, found = list(tries.pages.values()), {}
    for page, (first, last) in zip(of_pages.tolist(), pairwise([*starts.tolist(), len(pairs)]), strict=True):
        tried, path = every[page], every[page].document.path
        known = before.pages.get(path) if before and page not in changed else None
        if known is None:
            places = dict.fromkeys(tries.own_place[pairs[first:last]].tolist())
            own = (_section(tries, best, path, tried.anchors[place], int(tried.numbers[place])) for place in places)
            known = UnfindablePage(path, tuple(own))
        found[path] = known
    return found


def _section(tries: Tries, best: Best, path: str, anchor: str, number: int) -> UnfindableSection:
    winners = tuple(best.chunks[slot].id for slot in best.slots[number].tolist() if slot >= 0)
    return UnfindableSection(path, anchor, tries.queries.texts[number], winners)
