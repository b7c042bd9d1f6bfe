"""Where two snapshots that should be equal differ. Invariant: everything is compared, the revision aside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass

from evidencedesk.documents.versions import Versions
from evidencedesk.retrieval.catalog import Catalog
from evidencedesk.workspace.snapshot import Snapshot


class DivergedError(AssertionError):
    """A snapshot that was made from an earlier one is not what a fresh one would be: a fault of this program."""


def demand_equal(kept: Snapshot, fresh: Snapshot) -> None:
    """Raise DivergedError, naming the first value that differs, when a snapshot is not what a fresh one is."""
    where = next(differences(kept, fresh), "")
    if where:
        raise DivergedError(f"The snapshot differs from a fresh one at {where}")


def differences(kept: Snapshot, fresh: Snapshot) -> Iterator[str]:
    """Every value that differs, as a path through fields, keys and positions, with what was kept and what is fresh."""
    yield from _compare("facts", kept.facts, fresh.facts)
    yield from _compare("problems", kept.problems, fresh.problems)
    yield from _compare("texts", kept.texts, fresh.texts)


def _compare(where: str, kept: object, fresh: object) -> Iterator[str]:
    if isinstance(kept, Catalog) and isinstance(fresh, Catalog):
        yield from _compare(f"{where}.chunks", kept.chunks, fresh.chunks)
        yield from _compare(f"{where}.audience", kept.audience, fresh.audience)
    elif isinstance(kept, Versions) and isinstance(fresh, Versions):
        yield from _compare(f"{where}.heads", kept.heads, fresh.heads)
    elif isinstance(kept, Mapping) and isinstance(fresh, Mapping):
        if list(kept) != list(fresh):
            yield _said(f"{where} (its keys)", list(kept), list(fresh))
        for key in kept:
            if key in fresh:
                yield from _compare(f"{where}[{key!r}]", kept[key], fresh[key])
    elif type(kept) is not type(fresh):
        yield _said(where, kept, fresh)
    elif is_dataclass(kept) and not isinstance(kept, type) and any(field.compare for field in fields(kept)):
        for field in fields(kept):
            if field.compare:
                yield from _compare(f"{where}.{field.name}", getattr(kept, field.name), getattr(fresh, field.name))
    elif isinstance(kept, Sequence) and isinstance(fresh, Sequence) and not isinstance(kept, str):
        if len(kept) != len(fresh):
            yield _said(f"{where} (its length)", kept, fresh)
        for number, (one, other) in enumerate(zip(kept, fresh, strict=False)):
            yield from _compare(f"{where}[{number}]", one, other)
    elif kept != fresh:
        yield _said(where, kept, fresh)


def _said(where: str, kept: object, fresh: object) -> str:
    return f"{where}: {repr(kept)[:300]}, but fresh {repr(fresh)[:300]}"
