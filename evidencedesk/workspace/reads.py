"""What a computation read of the facts, and what of them changed since.

Invariant: whoever reads through a view again when none of its noted paths changed meets the same values.

A *path* names what can be read on its own: a field (`("contract",)`), an entry of a field that is a mapping
(`("by_id", "returns")`, whether it exists or not), the keys of such a mapping with their order (`("by_id", KEYS)`), and
a field of an evaluation (`("evaluations", "q1", "standing")`). A computation is given a view of the facts, which notes
the paths it takes. `changed_paths` compares two states once, and a result stays good while its paths are none of those.
`Readers` lead from the changed paths to the results that may rest on them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields
from datetime import date
from itertools import compress
from operator import attrgetter, is_not
from typing import Any, Protocol, TypeVar, cast

from evidencedesk.retrieval.changes import changed_keys, difference
from evidencedesk.retrieval.evaluation import Contract, Evaluations, Judgement, Standing
from evidencedesk.retrieval.facts import Facts

Path = tuple[Hashable, ...]
Reader = TypeVar("Reader", bound=Hashable)
Note = Callable[[Path], None]

KEYS = object()
"""Stands in a path for all keys of a mapping."""

_FACTS = tuple(field.name for field in fields(Facts))
_JUDGEMENT = tuple(field.name for field in fields(Judgement))
_parts_of = attrgetter(*_JUDGEMENT)
# What moves with every change is no part of what rules see: they read `found` and `scores` instead of `scored`.
_EVALUATION = (*_JUDGEMENT, "source")
# New objects of these types may well be equal to the old ones, and are compared at no cost.
_PLAIN = (str, int, float, date, tuple, frozenset, Contract, Standing)


class Reading:
    """Facts that note what is read of them."""

    def __init__(self, facts: Facts) -> None:
        self._paths: set[Path] = set()
        self.facts = cast(Facts, _FactsView(facts, (), self.note))

    def note(self, path: Path) -> None:
        """Say that a path was taken."""
        self._paths.add(path)

    def taken(self) -> frozenset[Path]:
        """The paths taken since this was last asked."""
        paths, self._paths = frozenset(self._paths), set()
        return paths


class _View:
    """Stands for a value, and notes which of its fields are read."""

    def __init__(self, value: Any, path: Path, note: Note) -> None:
        self._value = value
        self._path = path
        self._note = note
        self._entries: dict[str, _Entries] = {}


def _field_of_facts(name: str) -> property:
    def read(view: _View) -> Any:
        if (entries := view._entries.get(name)) is not None:
            return entries
        value = getattr(view._value, name)
        if isinstance(value, Mapping):
            return view._entries.setdefault(name, _Entries(name, value, view._note))
        view._note((name,))
        return value

    return property(read)


def _field_of_evaluation(name: str) -> property:
    def read(view: _View) -> Any:
        view._note((*view._path, name))
        return view._value.part(view._path[1], name)

    return property(read)


# Properties run on the view, so that what they read is noted as well.
_FactsView = type("_FactsView", (_View,), {name: _field_of_facts(name) for name in _FACTS})
_EvaluationView = type(
    "_EvaluationView",
    (_View,),
    {name: kind for name, kind in vars(Judgement).items() if isinstance(kind, property)}
    | {name: _field_of_evaluation(name) for name in _EVALUATION},
)


class _Entries(Mapping[Any, Any]):
    """Stands for a mapping among the facts."""

    def __init__(self, name: str, data: Mapping[Any, Any], note: Note) -> None:
        self._name = name
        self._data = data
        self._note = note

    def __getitem__(self, key: Hashable) -> Any:
        path = (self._name, key)
        self._note(path)
        if not isinstance(self._data, Evaluations):
            return self._data[key]
        if key not in self._data:
            raise KeyError(key)
        return _EvaluationView(self._data, path, self._note)

    def __contains__(self, key: object) -> bool:
        self._note((self._name, key))
        return key in self._data

    def __iter__(self) -> Iterator[Any]:
        self._note((self._name, KEYS))
        return iter(self._data)

    def __len__(self) -> int:
        self._note((self._name, KEYS))
        return len(self._data)


class HasReads(Protocol):
    """A kept result."""

    @property
    def reads(self) -> frozenset[Path]:
        """What was read for it."""


class Readers:
    """Who read which paths. It only ever gains: whoever reads something no more is merely looked at in vain."""

    def __init__(self) -> None:
        self._of: dict[Path, dict[Hashable, None]] = {}

    def add(self, reader: Hashable, paths: Iterable[Path]) -> None:
        """Say what someone has read."""
        for path in paths:
            self._of.setdefault(path, {})[reader] = None

    def in_doubt(self, known: Mapping[Reader, HasReads], changed: AbstractSet[Path]) -> list[Reader]:
        """Those of what is known, under the names of readers, that read a changed path."""
        found: dict[Any, None] = {}
        for path in changed:
            found |= self._of.get(path, {})
        return [reader for reader in found if reader in known and not known[reader].reads.isdisjoint(changed)]


def changed_paths(before: Facts, now: Facts) -> set[Path]:
    """All paths that lead to something else now."""
    changed: set[Path] = set()
    for name in _FACTS:
        old, new = getattr(before, name), getattr(now, name)
        if isinstance(new, Mapping):
            changed.update(_changed_entries(name, old, new))
        elif not _same(old, new):
            changed.add((name,))
    return changed


def _changed_entries(name: str, before: Mapping[Any, Any], now: Mapping[Any, Any]) -> Iterator[Path]:
    if isinstance(before, Evaluations) and isinstance(now, Evaluations):
        sources = changed_keys(before.sources, now.sources)
        yield from ((name, key, "source") for key in sources if key in before.sources and key in now.sources)
        # A page that moved changes no judgement of it: who shows a place of a chunk reads it in its page.
        before, now = before.judgements, now.judgements
    if before is now:
        return
    changed, is_alike = difference(before, now)
    if not is_alike:
        yield name, KEYS
    for key in changed:
        if key not in before or key not in now:
            yield name, key
        elif isinstance(now[key], Judgement):
            old, new = _parts_of(before[key]), _parts_of(now[key])
            for part in compress(range(len(_JUDGEMENT)), map(is_not, old, new)):
                if not _same(old[part], new[part]):
                    yield name, key, _JUDGEMENT[part]
        elif not _same(before[key], now[key]):
            yield name, key


def _same(one: object, other: object) -> bool:
    return one is other or (isinstance(one, _PLAIN) and one == other)
