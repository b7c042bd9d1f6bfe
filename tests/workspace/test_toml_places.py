"""Places in TOML: checked against tomllib, value by value."""

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.text.spans import Span
from evidencedesk.workspace.toml_places import Path, find_places, place_of

TEXT = (
    """# comment with [brackets] = "and" quotes
top = "a # b" # comment
"quoted key" = 'it is ''
"""
    + '''dotted . inner.'x y' = [1, 2.5, [ "three", { four = 4 } ], # comment ]
  """multi
line ] "quoted" """, \'\'\'raw ' ] \'\'\',
]
date = 1979-05-27T07:32:00Z
"k\\u00e9y" = true

[table."sub.table"] # comment
inline = { a = 1, b.c = "}", d = [ ] }
escaped = "a \\" ] b"

[[ list ]]
n = 1
[[list]]
n = 2
  [list.child]
  deep = "x"
  [[list.more]]
  m = 1
  [[list.more]]
  m = 2
[late]
'''
)


def leaves(value: Any, path: Path = ()) -> dict[Path, Any]:
    if isinstance(value, dict) and value:
        return {key: leaf for name, inner in value.items() for key, leaf in leaves(inner, (*path, name)).items()}
    if isinstance(value, list) and value:
        return {key: leaf for place, inner in enumerate(value) for key, leaf in leaves(inner, (*path, place)).items()}
    return {path: value}


def check(text: str) -> None:
    places = find_places(text)
    for path, value in leaves(tomllib.loads(text)).items():
        if value != {}:
            written = places[path].value.of(text)
            assert tomllib.loads(f"v = {written}")["v"] == value, path
            for length in range(1, len(path)):
                assert path[:length] in places


def test_every_value_is_found_where_it_is_written() -> None:
    text = TEXT.replace("'it is ''\n", "'it is'\n")
    check(text)
    places = find_places(text)
    assert places["late",].key.of(text) == "late"
    assert places["list", 1, "child"].key.of(text) == "child"
    assert places["kéy",].key.of(text) == '"k\\u00e9y"'
    check(text.replace("\n", "\r\n"))


def test_what_is_not_written_stands_at_its_nearest_parent() -> None:
    text = "[retrieval]\nk = 3\n"
    places = find_places(text)
    assert place_of(places, ("retrieval", "floor", 2)) == places["retrieval",]
    assert place_of(places, ("rules",)).key == Span(0, 0)


KEYS = st.text(alphabet="ab.\"'\\ é", min_size=1, max_size=5)
VALUES = st.recursive(
    st.integers() | st.booleans() | st.text(alphabet="a\"'\\#]},\n=é", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return '"' + "".join(f"\\u{ord(char):04x}" if char in '"\\\n' else char for char in value) + '"'
    if isinstance(value, list):
        return "[ " + ',\n # ] , "\n'.join(map(written, value)) + " ]"
    return "{" + ", ".join(f"{written(key)} = {written(inner)}" for key, inner in value.items()) + "}"


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.dictionaries(KEYS, VALUES, max_size=3))
def test_places_agree_with_tomllib_on_generated_files(top: dict[str, Any], table: dict[str, Any]) -> None:
    lines = [f"{written(key)} = {written(value)}" for key, value in top.items()]
    lines += ["[[zz]]", *(f"{written(key)} = {written(value)}" for key, value in table.items())]
    check("\n".join(lines))
