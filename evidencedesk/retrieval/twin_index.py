"""Documents → Twins, also from those of an earlier state. Invariant: exact, and the same whatever was there before.

Every chunk has a *row*. The rows of a document that goes away die, those of a new one come at the end; an edited one
does both. Chunks of one text are found by its digest, and only the first of them takes part in near pairs: its row is
*active*. A change touches the groups of the texts that it took away or brought, and these may get another first chunk;
all other groups and pairs stay.

Near pairs are found by a prefix filter (Chaudhuri, Ganti and Kaushik 2006): put all triples in one order. Two sets with
a Jaccard similarity of SIMILAR or more share a triple among the first `n - ceil(SIMILAR · n) + 1` of each (n its size).
So a table of the keys of these triples leads from a row to all rows that may be near it, and the words decide. Any
order serves, if it is the same for all: triples come first that were rare when the index was built, and that order
stays until the next build. Keys of different triples may be equal, also in one text: that key counts as often as it has
triples, so the shared triple has its key among the first of each set, and nothing is missed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import is_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.key_table import KeyTable
from evidencedesk.retrieval.likeness import ROUNDING, SIMILAR, Likeness
from evidencedesk.retrieval.twin_groups import Change, EqualGroups
from evidencedesk.retrieval.twin_keys import TripleKeys, TwinKeys, twin_keys
from evidencedesk.retrieval.twin_rows import Flags, Rarity, RowNumbers, TwinRows
from evidencedesk.retrieval.twins import NearTwin, Twins

_SPARE_ROWS = 1024
_BLOCK = 1 << 17


def find_twins(documents: Iterable[tuple[Document, Sequence[Chunk]]]) -> Twins:
    """The twins among all chunks, and among all pages, of documents in catalog order; each has its own path.

    Texts are equal when they are so up to letter case, Unicode form and white space; blank ones are not compared. Of
    an equal group only the first chunk takes part in `near`, and only prose does, of MIN_WORDS to MAX_WORDS words: code
    and table rows are alike by nature. Near twins hold the same numbers, as often, and every name of one (a capitalised
    word inside a sentence, a word of inline code) occurs in the other. Of chunks that share an id only the first
    counts; chunk ids begin with their document's id.
    """
    return update_twins(None, [twin_keys(document, chunks) for document, chunks in documents]).twins


@dataclass(frozen=True, slots=True, eq=False)
class TwinIndex:
    """The twins of one state, and what the next state can take over."""

    twins: Twins
    pages: tuple[TwinKeys, ...]
    """In catalog order."""
    slots: RowNumbers
    """Where `rows` holds them."""
    ids: Mapping[str, int]
    """How many of them have a document id."""
    hidden: Mapping[str, frozenset[int]]
    """By path, the numbers of the chunks whose id an earlier page has, where one has the document's id."""
    rows: TwinRows
    built: int
    """How many rows there were when the index was built from nothing."""
    live: Flags
    """Rows that the state has, and that count."""
    texts: EqualGroups
    """The live rows, by text."""
    bodies: EqualGroups
    """The slots, by body."""
    active: Flags
    """Live rows that take part in near pairs."""
    posted: Flags
    """Rows whose first triples are in `triples`."""
    triples: KeyTable[np.uint32]
    """Key of a triple → rows that have it among their first."""
    rarity: Rarity
    pairs: NDArray[np.int32]
    """The rows of each of `twins.near`: shape (n, 2)."""


def _nothing() -> TwinIndex:
    none = np.empty(0, dtype=np.int32)
    flags = np.empty(0, dtype=np.bool_)
    return TwinIndex(
        twins=Twins((), (), ()),
        pages=(),
        slots=none,
        ids={},
        hidden={},
        rows=TwinRows.empty(),
        built=0,
        live=flags,
        texts=EqualGroups.none(),
        bodies=EqualGroups.none(),
        active=flags,
        posted=flags,
        triples=KeyTable(),
        rarity=Rarity.among(np.empty(0, dtype=np.uint32)),
        pairs=none.reshape(0, 2),
    )


def update_twins(before: TwinIndex | None, pages: Sequence[TwinKeys]) -> TwinIndex:
    """The index of these pages, in catalog order; what `before` holds of the very same keys is taken over."""
    start = before or _nothing()
    step = _step(start, pages)
    if len(start.rows) > 2 * start.built + _SPARE_ROWS or not step.in_order:
        start = _nothing()
        step = _step(start, pages)
    if not step.gone and not step.new:
        return start
    rows = start.rows.after(step.gone, step.new)
    change = _chunk_change(start, step, rows)
    texts, touched, firsts = start.texts.after(change, lambda own: rows.names[own].tolist())
    bodies = start.bodies.after(
        _page_change(start, step, rows), lambda slots: [rows.page(slot).document.path for slot in slots.tolist()]
    ).groups

    active = _grown(start.active, len(rows))
    active[touched] = False
    active[firsts[rows.sizes[firsts] > 0]] = True
    fresh = np.flatnonzero(active & ~_grown(start.active, len(rows))).astype(np.int32)
    rarity = start.rarity if start.built else Rarity.among(rows.triples(fresh))
    keys, owners = rows.prefixes(fresh, rarity)
    posted = _grown(start.posted, len(rows))
    missing = ~posted[owners]
    triples = start.triples.add(keys[missing], owners[missing], change.live)
    posted[fresh] = True
    pairs, near = _near(start, active, _candidates(keys, owners, triples, active, rows), rows, change.position)
    return TwinIndex(
        twins=_renewed(start.twins, Twins(texts.names, near, bodies.names)),
        pages=tuple(pages),
        slots=step.slots,
        ids=step.ids,
        hidden=step.hidden,
        rows=rows,
        built=start.built or len(rows),
        live=change.live,
        texts=texts,
        bodies=bodies,
        active=active,
        posted=posted,
        triples=triples,
        rarity=rarity,
        pairs=pairs,
    )


class _Step(NamedTuple):
    """From the pages of one state to those of the next: the slots that go, the pages that come, and what is said next.

    `in_order` is whether the pages that stay do so in their order. `slots`, `ids` and `hidden` are of the next state.
    """

    gone: list[int]
    new: list[TwinKeys]
    in_order: bool
    slots: RowNumbers
    ids: Mapping[str, int]
    hidden: Mapping[str, frozenset[int]]


def _step(start: TwinIndex, pages: Sequence[TwinKeys]) -> _Step:
    # What lies before the first and behind the last change is only compared with `is`: a look at each page takes long.
    head = _common(start.pages, pages)
    tail = _common(start.pages[head:][::-1], pages[head:][::-1])
    ids = _count_ids(start.ids, start.pages[head : len(start.pages) - tail], pages[head : len(pages) - tail])
    hidden = _hidden(pages, ids) if len(ids) < len(pages) else {}
    paths = {path for path in {*hidden, *start.hidden} if hidden.get(path) != start.hidden.get(path)}
    if paths:
        head = tail = 0
    old = start.pages[head : len(start.pages) - tail]
    old_slots = start.slots[head : len(start.pages) - tail].tolist()
    slot_of = {id(page): slot for page, slot in zip(old, old_slots, strict=True) if page.document.path not in paths}
    stay: list[int] = []
    new: list[TwinKeys] = []
    slots: list[int] = []
    for page in pages[head : len(pages) - tail]:
        slot = slot_of.get(id(page))
        if slot is None:
            slots.append(len(start.rows.pages) + len(new))
            new.append(page)
        else:
            slots.append(slot)
            stay.append(slot)
    kept = set(stay)
    return _Step(
        gone=[slot for slot in old_slots if slot not in kept],
        new=new,
        in_order=stay == [slot for slot in old_slots if slot in kept],
        slots=np.concatenate([start.slots[:head], slots, start.slots[len(start.slots) - tail :]]).astype(np.int32),
        ids=ids,
        hidden=hidden,
    )


def _common(some: Sequence[TwinKeys], others: Sequence[TwinKeys]) -> int:
    """At how many places from the first on two sequences hold the same objects."""
    return [*map(is_, some, others), False].index(False)


def _count_ids(before: Mapping[str, int], old: Iterable[TwinKeys], new: Iterable[TwinKeys]) -> dict[str, int]:
    counts = dict(before)
    for page in new:
        counts[page.document.doc_id] = counts.get(page.document.doc_id, 0) + 1
    for page in old:
        counts[page.document.doc_id] -= 1
        if not counts[page.document.doc_id]:
            del counts[page.document.doc_id]
    return counts


def _hidden(pages: Sequence[TwinKeys], ids: Mapping[str, int]) -> dict[str, frozenset[int]]:
    """By path, the numbers of the chunks whose id an earlier page has; only where a page has its document's id too."""
    taken: dict[str, set[str]] = defaultdict(set)
    hidden: dict[str, frozenset[int]] = {}
    for page in (page for page in pages if ids[page.document.doc_id] > 1):
        earlier = taken[page.document.doc_id]
        if earlier:
            hidden[page.document.path] = frozenset(place for place, one in enumerate(page.chunks) if one.id in earlier)
        earlier.update(chunk.id for chunk in page.chunks)
    return hidden


def _chunk_change(start: TwinIndex, step: _Step, rows: TwinRows) -> Change:
    """What becomes of the rows. Blank chunks do not count, nor do those whose id an earlier one has."""
    went = np.array([row for slot in step.gone for row in rows.of(slot)], dtype=np.int32)
    went = went[start.live[went]]
    came = np.array(
        [
            row
            for slot, page in enumerate(step.new, len(start.rows.pages))
            for place, row in enumerate(rows.of(slot))
            if place not in step.hidden.get(page.document.path, ())
        ],
        dtype=np.int32,
    )
    came = came[rows.texts[came] != b""]
    live = _grown(start.live, len(rows))
    live[went], live[came] = False, True
    counts = np.diff(rows.starts, append=len(rows))[step.slots]
    first = np.zeros(len(rows.pages), dtype=np.int64)
    first[step.slots] = np.cumsum(counts) - counts
    position = (first - rows.starts)[rows.slot] + np.arange(len(rows))
    return Change(rows.texts[went], rows.texts[came], came, live, position)


def _page_change(start: TwinIndex, step: _Step, rows: TwinRows) -> Change:
    """The same for slots. Blank bodies do not count."""
    went = np.array(step.gone, dtype=np.int32)
    came = np.arange(len(start.rows.pages), len(rows.pages), dtype=np.int32)
    came = came[rows.bodies[came] != b""]
    live = np.zeros(len(rows.pages), dtype=np.bool_)
    live[step.slots] = True
    position = np.zeros(len(rows.pages), dtype=np.int64)
    position[step.slots] = np.arange(len(step.slots))
    return Change(rows.bodies[went[rows.bodies[went] != b""]], rows.bodies[came], came, live, position)


def _grown(flags: Flags, length: int) -> Flags:
    """A copy with False for each new row."""
    return np.append(flags, np.zeros(length - len(flags), dtype=np.bool_))


def _candidates(
    keys: TripleKeys, owners: RowNumbers, triples: KeyTable[np.uint32], active: Flags, rows: TwinRows
) -> NDArray[np.int64]:
    """Pairs of one of `owners`, by its `keys`, and another active row that share a key and are alike in size.

    Shape (n, 2); a pair stands there once, in one of its two orders.
    """
    owning = np.zeros(len(rows), dtype=np.bool_)
    owning[owners] = True
    found = [np.empty(0, dtype=np.int64)]
    for begin in range(0, len(keys), _BLOCK):
        places, others = triples.find(keys[begin : begin + _BLOCK])
        ones = owners[begin:][places]
        sizes, other_sizes = rows.sizes[ones], rows.sizes[others]
        alike = np.minimum(sizes, other_sizes) >= SIMILAR * np.maximum(sizes, other_sizes) - ROUNDING
        # Two owners find each other both ways.
        fits = alike & active[others] & (~owning[others] | (ones < others))
        found.append(np.unique(ones[fits].astype(np.int64) << 32 | others[fits]))
    pairs = np.unique(np.concatenate(found))
    return np.stack([pairs >> 32, pairs & 0xFFFFFFFF], axis=1)


def _near(
    start: TwinIndex, active: Flags, candidates: NDArray[np.int64], rows: TwinRows, position: NDArray[np.int64]
) -> tuple[NDArray[np.int32], tuple[NearTwin, ...]]:
    """The rows of all near pairs, and the pairs, in catalog order."""
    in_order = position[candidates[:, 0]] < position[candidates[:, 1]]
    candidates = np.where(in_order[:, None], candidates, candidates[:, ::-1])
    kept: Flags = np.all(active[start.pairs], axis=1)
    near = list(compress(start.twins.near, kept.tolist()))
    new: list[tuple[int, int]] = []
    likeness = {row: Likeness(rows.chunk(row).text) for row in np.unique(candidates).tolist()}
    for one, other in candidates.tolist():
        similarity = likeness[one].similarity(likeness[other])
        if similarity:
            new.append((one, other))
            near.append(NearTwin(rows.names[one], rows.names[other], similarity))
    pairs = np.concatenate([start.pairs[kept], np.array(new, dtype=np.int32).reshape(-1, 2)])
    order = np.argsort(position[pairs[:, 0]] << 32 | position[pairs[:, 1]], kind="stable")
    return pairs[order], tuple(map(near.__getitem__, order.tolist()))


def _renewed(old: Twins, new: Twins) -> Twins:
    """`new`, made of what is the same in `old`."""
    if new == old:
        return old
    return Twins(
        old.equal if new.equal == old.equal else new.equal,
        old.near if new.near == old.near else new.near,
        old.pages if new.pages == old.pages else new.pages,
    )
