"""Values survive being written as bytes, and bytes that are something else are refused."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from evidencedesk.workspace.columns import Codec, UnreadableError, UnwritableError


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Point(NamedTuple):
    x: int
    y: float


@dataclass(frozen=True, slots=True)
class Leaf:
    name: str
    kind: Literal["a", "b"]
    at: Point
    flag: bool = field(kw_only=True)
    note: str | None


@dataclass(frozen=True, slots=True)
class Tree:
    leaves: tuple[Leaf, ...]
    by_name: Mapping[str, tuple[int, ...]]
    pair: tuple[str, Point] | None
    colours: frozenset[str]
    colour: Colour
    value: object
    day: date
    either: Leaf | Point | int
    data: bytes


TEXTS = st.text(st.characters(), max_size=8)  # lone surrogates included
WHOLE = st.integers(-(1 << 63), (1 << 63) - 1)
POINTS = st.builds(Point, WHOLE, st.floats(allow_nan=False))
LEAVES = st.builds(Leaf, TEXTS, st.sampled_from(["a", "b"]), POINTS, flag=st.booleans(), note=st.none() | TEXTS)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
TREES = st.builds(
    Tree,
    st.lists(LEAVES, max_size=4).map(tuple),
    st.dictionaries(TEXTS, st.lists(WHOLE, max_size=3).map(tuple), max_size=3),
    st.none() | st.tuples(TEXTS, POINTS),
    st.frozensets(TEXTS, max_size=3),
    st.sampled_from(Colour),
    PLAIN,
    st.dates(),
    LEAVES | POINTS | WHOLE,
    st.binary(max_size=5),
)
CODEC: Codec[Tree] = Codec(Tree)


@given(TREES)
def test_a_value_comes_back_as_it_was(tree: Tree) -> None:
    back = CODEC.decode(CODEC.encode(tree))
    assert back == tree
    assert repr(back) == repr(tree) or tree.colours  # types too: 1 is not True; a set may come in another order
    assert list(back.by_name) == list(tree.by_name)


@given(TREES, TREES)
def test_equal_values_are_equal_bytes(first: Tree, second: Tree) -> None:
    again = CODEC.decode(CODEC.encode(first))
    assert CODEC.encode(again) == CODEC.encode(first)
    assert CODEC.encode(first) != CODEC.encode(second) or repr(first) == repr(second) or first == second


@given(TREES, st.data())
def test_cut_or_changed_bytes_are_refused_or_another_value_but_never_anything_else(tree: Tree, data: Any) -> None:
    written = bytearray(CODEC.encode(tree))
    if data.draw(st.booleans()):
        del written[data.draw(st.integers(0, len(written) - 1)) :]
    else:
        written[data.draw(st.integers(0, len(written) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with suppress(UnreadableError):
        assert isinstance(CODEC.decode(bytes(written)), Tree)


def test_shared_texts_are_not_written_and_come_back_as_the_same_objects() -> None:
    page = "A long page. " * 50
    codec: Codec[tuple[str, ...]] = Codec(tuple[str, ...])
    written = codec.encode((page, "short", page), (page,))
    assert len(written) < 100
    first, second, third = codec.decode(written, (page,))
    assert first is page and third is page and second == "short"


ARRAYS = [
    np.arange(6, dtype=np.int16).reshape(2, 3),
    np.zeros((0, 4), dtype=np.int16),
    np.array([-1, 2], dtype=np.int16)[::-1],
]


@pytest.mark.parametrize("made", ARRAYS)
def test_arrays_keep_shape_and_elements_and_are_read_only(made: NDArray[np.int16]) -> None:
    codec: Codec[tuple[str, NDArray[np.int16]]] = Codec(tuple[str, NDArray[np.int16]])
    _, back = codec.decode(codec.encode(("x", made)))
    assert back.dtype == made.dtype and back.shape == made.shape and back.tolist() == made.tolist()
    assert not back.flags.writeable


def test_digests_may_be_arrays_of_bytes() -> None:
    codec: Codec[NDArray[np.bytes_]] = Codec(NDArray[np.bytes_])
    made = np.array([b"0123456789abcdef", b""], dtype="S16")
    assert codec.decode(codec.encode(made)).tolist() == made.tolist()


def _laughs() -> object:
    value: list[object] = ["ha"]
    for _ in range(40):
        value = [value, value]
    return value


def _circle() -> object:
    value: list[object] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    "value",
    [date(2026, 1, 1), {1: 2}, [object()], _laughs(), _circle(), (1,), 10**5000],
    ids=["date", "number as key", "object", "billions", "circle", "tuple", "huge"],
)
def test_what_json_does_not_give_back_is_refused(value: object) -> None:
    with pytest.raises(UnwritableError):
        Codec(object).encode(value)


@pytest.mark.parametrize(("kind", "value"), [(int, 1 << 64), (str, 5), (NDArray[np.int16], np.zeros(2))])
def test_a_value_of_another_type_is_refused(kind: Any, value: object) -> None:
    with pytest.raises(UnwritableError):
        Codec(kind).encode(value)


def test_the_schema_names_every_field_and_type() -> None:
    assert Codec(Point).schema == "Point(x int, y float)"
    assert Codec(tuple[Leaf, ...]).schema == (
        "tuple(Leaf(name text, kind text, at Point(x int, y float), note (text | None), flag bool)...)"
    )


def test_a_type_without_columns_is_a_fault_of_the_program() -> None:
    with pytest.raises(TypeError):
        Codec(list[complex])
