"""Values as bytes and back, column by column. Invariant: what is read back equals what was written; bytes hold no code.

A codec is made from a type: text, numbers, dates, arrays, and tuples, mappings, named tuples, enumerations and
dataclasses of these. Values of one type lie beside each other, field by field, so that a thousand chunks are a dozen
arrays; every text is written once, in a table. Nothing but the declared types is ever built from bytes.
"""

from __future__ import annotations

import dataclasses
import json
import math
import struct
import types
import typing
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from enum import Enum
from functools import cache, partial
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from evidencedesk.workspace.column_bytes import Bytes, In, Out, UnreadableError, UnwritableError

__all__ = ["Codec", "UnreadableError", "UnwritableError"]

Value = TypeVar("Value")
_MAX_NODES = 10_000


class Codec(Generic[Value]):
    """Writes and reads values of one type; `schema` names the type down to its last field.

    `shared` texts, such as the text of the page that a value was made from, are not written: whoever reads gives the
    same ones, and gets the very same objects in the value.
    """

    def __init__(self, kind: Any) -> None:
        self._column = _column(kind)
        self.schema = self._column.schema

    def encode(self, value: Value, shared: Sequence[str] = ()) -> bytes:
        """The value as bytes. Raises UnwritableError."""
        out = Out(shared)
        try:
            self._column.write([value], out)
            return out.bytes()
        except (ValueError, OverflowError, TypeError, AttributeError, RecursionError) as error:
            raise UnwritableError(str(error)) from error

    def decode(self, data: Bytes, shared: Sequence[str] = (), known: dict[str, str] | None = None) -> Value:
        """The value back; its arrays are read-only. Raises UnreadableError.

        A text that is `known` is that very object; the others become known.
        """
        try:
            value: Value = self._column.read(1, In(memoryview(data), shared, known))[0]
        except (ValueError, LookupError, TypeError, OverflowError, struct.error, RecursionError, MemoryError) as error:
            raise UnreadableError(f"{type(error).__name__}: {error}") from error
        return value


class _Column(ABC):
    """How values of one type are written beside each other."""

    schema: str

    @abstractmethod
    def write(self, values: Sequence[Any], out: Out) -> None:
        """Add a column."""

    @abstractmethod
    def read(self, count: int, data: In) -> list[Any]:
        """Read a column of so many values."""


class _Text(_Column):
    schema = "text"

    def write(self, values: Sequence[Any], out: Out) -> None:
        out.texts(values)

    def read(self, count: int, data: In) -> list[Any]:
        return data.texts(count)


class _Whole(_Column):
    schema = "int"

    def write(self, values: Sequence[Any], out: Out) -> None:
        out.numbers.extend(values)

    def read(self, count: int, data: In) -> list[Any]:
        return data.whole(count)


class _Truth(_Column):
    schema = "bool"

    def write(self, values: Sequence[Any], out: Out) -> None:
        out.numbers.extend(values)

    def read(self, count: int, data: In) -> list[Any]:
        return [bool(number) for number in data.whole(count)]


class _Real(_Column):
    schema = "float"

    def write(self, values: Sequence[Any], out: Out) -> None:
        out.raw(array("d", values).tobytes())

    def read(self, count: int, data: In) -> list[Any]:
        return data.raw(8 * count).cast("d").tolist()


class _Nothing(_Column):
    schema = "None"

    def write(self, values: Sequence[Any], out: Out) -> None:
        return

    def read(self, count: int, data: In) -> list[Any]:
        return [None] * min(count, len(data.numbers))


class _Plain(_Column):
    """What YAML, TOML or JSON gave, as JSON; dates inside it, or more than 10,000 values, are not written."""

    schema = "json"

    def write(self, values: Sequence[Any], out: Out) -> None:
        for value in values:
            _check_plain(value)
        out.texts([json.dumps(values, ensure_ascii=False)])

    def read(self, count: int, data: In) -> list[Any]:
        values: list[Any] = json.loads(data.texts(1)[0])
        if len(values) != count:
            raise UnreadableError("a column is cut short")
        return values


class _Date(_Column):
    schema = "date"

    def write(self, values: Sequence[Any], out: Out) -> None:
        out.numbers += [day.toordinal() for day in values]

    def read(self, count: int, data: In) -> list[Any]:
        return [date.fromordinal(number) for number in data.whole(count)]


class _Member(_Column):
    """An enumeration, by the names of its members."""

    def __init__(self, kind: type[Enum]) -> None:
        self._kind = kind
        self.schema = f"{kind.__name__}({'|'.join(kind.__members__)})"

    def write(self, values: Sequence[Any], out: Out) -> None:
        out.texts([member.name for member in values])

    def read(self, count: int, data: In) -> list[Any]:
        return [self._kind[name] for name in data.texts(count)]


class _Blob(_Column):
    schema = "bytes"

    def write(self, values: Sequence[Any], out: Out) -> None:
        out.numbers += [len(value) for value in values]
        out.raw(b"".join(values))

    def read(self, count: int, data: In) -> list[Any]:
        ends = [0, *accumulate(data.whole(count))]
        joined = bytes(data.raw(ends[-1]))
        return [joined[start:end] for start, end in pairwise(ends)]


class _Array(_Column):
    """Arrays of one type of element and any shape; elements of the type `bytes_` may have any size."""

    def __init__(self, kind: type[np.generic]) -> None:
        self._kind = kind
        self.schema = f"array({kind.__name__})"

    def write(self, values: Sequence[Any], out: Out) -> None:
        out.texts([matrix.dtype.str for matrix in values])
        out.numbers += [matrix.ndim for matrix in values]
        for matrix in values:
            self._check(matrix.dtype)
            out.numbers += matrix.shape
            out.raw(_bytes_of(matrix) if matrix.nbytes else b"")

    def read(self, count: int, data: In) -> list[Any]:
        dtypes = list(map(np.dtype, data.texts(count)))
        dimensions = data.whole(count)
        return [self._read(dtype, data.whole(number), data) for dtype, number in zip(dtypes, dimensions, strict=True)]

    def _read(self, dtype: np.dtype[Any], shape: list[int], data: In) -> NDArray[Any]:
        self._check(dtype)
        # A view would keep all of the record.
        made = np.frombuffer(data.raw(math.prod(shape) * dtype.itemsize), dtype).reshape(shape).copy()
        made.setflags(write=False)
        return made

    def _check(self, dtype: np.dtype[Any]) -> None:
        if dtype.type is not self._kind:
            raise UnwritableError(f"an array of {dtype} instead of {self._kind.__name__}")


class _Many(_Column):
    """Tuples of any length, or sets, of one type."""

    def __init__(self, of: _Column, kind: type[tuple[Any, ...]] | type[frozenset[Any]]) -> None:
        self._of = of
        self._kind = kind
        self.schema = f"{kind.__name__}({of.schema}...)"

    def write(self, values: Sequence[Any], out: Out) -> None:
        groups = values if self._kind is tuple else [sorted(group) for group in values]
        out.numbers += [len(group) for group in groups]
        self._of.write([item for group in groups for item in group], out)

    def read(self, count: int, data: In) -> list[Any]:
        ends = [0, *accumulate(data.whole(count))]
        flat = self._of.read(ends[-1], data)
        return [self._kind(flat[start:end]) for start, end in pairwise(ends)]


class _Table(_Column):
    """Mappings, in their order."""

    def __init__(self, keys: _Column, items: _Column) -> None:
        self._keys = _Many(keys, tuple)
        self._items = items
        self.schema = f"mapping({keys.schema}: {items.schema})"

    def write(self, values: Sequence[Any], out: Out) -> None:
        self._keys.write([tuple(table) for table in values], out)
        self._items.write([item for table in values for item in table.values()], out)

    def read(self, count: int, data: In) -> list[Any]:
        keys = self._keys.read(count, data)
        items = iter(self._items.read(sum(map(len, keys)), data))
        # The keys run out first, so no item is lost between two tables.
        return [dict(zip(own, items, strict=False)) for own in keys]


class _Record(_Column):
    """Dataclasses, named tuples and tuples of a fixed form: a column for each field."""

    def __init__(self, make: Any, name: str, fields: Mapping[str, _Column], by_place: bool) -> None:
        self._make = make
        self._fields = tuple(fields.items())
        self._by_place = by_place
        # With one name an attrgetter gives the value itself.
        self._values = None if by_place or len(fields) < 2 else attrgetter(*fields)
        self.schema = f"{name}({', '.join(f'{field} {column.schema}' for field, column in self._fields)})"

    def write(self, values: Sequence[Any], out: Out) -> None:
        if self._by_place or self._values:
            rows = map(self._values, values) if self._values else values
            columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(self._fields)
        else:
            columns = [[getattr(value, name) for value in values] for name, _ in self._fields]
        for (_, column), own in zip(self._fields, columns, strict=True):
            column.write(own, out)

    def read(self, count: int, data: In) -> list[Any]:
        columns = [column.read(count, data) for _, column in self._fields]
        if not self._by_place:
            return list(map(self._make, *columns))
        # What a named tuple's own constructor does, a third of the time.
        return list(map(partial(tuple.__new__, self._make), zip(*columns, strict=True)))


class _OneOf(_Column):
    """Values of several types, each in the columns of its own."""

    def __init__(self, kinds: Sequence[type], columns: Sequence[_Column]) -> None:
        self._kinds = {kind: number for number, kind in enumerate(kinds)}
        self._columns = columns
        self.schema = f"({' | '.join(column.schema for column in columns)})"

    def write(self, values: Sequence[Any], out: Out) -> None:
        numbers = [self._number(value) for value in values]
        out.numbers += numbers
        for number, column in enumerate(self._columns):
            column.write([value for own, value in zip(numbers, values, strict=True) if own == number], out)

    def read(self, count: int, data: In) -> list[Any]:
        numbers = data.whole(count)
        found = [iter(column.read(numbers.count(number), data)) for number, column in enumerate(self._columns)]
        return [next(found[number]) for number in numbers]

    def _number(self, value: object) -> int:
        number = self._kinds.get(type(value))
        if number is None:
            raise UnwritableError(f"{type(value).__name__} is none of {self.schema}")
        return number


_SIMPLE: Mapping[Any, type[_Column]] = types.MappingProxyType(
    {
        str: _Text,
        int: _Whole,
        bool: _Truth,
        float: _Real,
        bytes: _Blob,
        type(None): _Nothing,
        date: _Date,
        object: _Plain,
        Any: _Plain,
    }
)


@cache
def _column(kind: Any) -> _Column:
    """The column of a type. Raises TypeError for a type that has none."""
    if kind in _SIMPLE:
        return _SIMPLE[kind]()
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is np.ndarray:
        return _Array(typing.get_args(inner[1])[0])
    if origin is typing.Literal:
        return _one_of(dict.fromkeys(type(value) for value in inner))
    if origin in (typing.Union, types.UnionType):
        return _one_of(inner)
    if origin is tuple and inner[-1] is not Ellipsis:
        fields = {str(place): _column(one) for place, one in enumerate(inner)}
        return _Record(tuple, "tuple", fields, True)
    if origin is tuple:
        return _Many(_column(inner[0]), tuple)
    if origin in (frozenset, AbstractSet):
        return _Many(_column(inner[0]), frozenset)
    if origin in (dict, Mapping):
        return _Table(*map(_column, inner))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _Member(kind)
    hints = typing.get_type_hints(kind) if isinstance(kind, type) else {}
    if hasattr(kind, "_fields"):
        return _Record(kind, kind.__name__, {name: _column(hints[name]) for name in kind._fields}, True)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        columns = {field.name: _column(hints[field.name]) for field in dataclasses.fields(kind)}
        named = [field.name for field in dataclasses.fields(kind) if field.kw_only]
        ordered = {name: columns[name] for name in (*(name for name in columns if name not in named), *named)}
        return _Record(partial(_with_names, kind, named) if named else kind, kind.__name__, ordered, False)
    raise TypeError(f"{kind} cannot be written as columns")


def _bytes_of(matrix: NDArray[Any]) -> memoryview:
    """The elements, not copied."""
    return np.ascontiguousarray(matrix).reshape(-1).view(np.uint8).data


def _with_names(kind: Any, names: Sequence[str], *values: Any) -> Any:
    """An object of a dataclass whose last fields are given by their names."""
    first = len(values) - len(names)
    return kind(*values[:first], **dict(zip(names, values[first:], strict=True)))


def _one_of(kinds: Iterable[Any]) -> _Column:
    columns = {typing.get_origin(one) or one: _column(one) for one in kinds}
    return _OneOf(list(columns), list(columns.values())) if len(columns) > 1 else next(iter(columns.values()))


def _check_plain(value: object) -> None:
    """Raise UnwritableError unless JSON gives the value back: aliases in YAML can mean billions of values."""
    waiting = [value]
    for _ in range(_MAX_NODES):
        if not waiting:
            return
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            waiting += one.values()
            if not all(type(key) is str for key in one):
                raise UnwritableError("a key that is no text")
        elif not isinstance(one, str | int | float | None):
            raise UnwritableError(f"a value of type {type(one).__name__}")
    if waiting:
        raise UnwritableError("too many values")
