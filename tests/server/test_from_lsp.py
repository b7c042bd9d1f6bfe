"""Client input in our terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from evidencedesk.text.spans import LineIndex, Span
from evidencedesk_server.from_lsp import apply_changes, path_of, span_of

TEXTS = st.text(st.sampled_from(list("ab é\u2028\x0b\x85😀\r\n")), max_size=30)
ENCODINGS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/a/kb.md", "/home/a/kb.md"),
        ("FILE:///home/a/kb.md", "/home/a/kb.md"),
        ("file://localhost/home/kb.md", "/home/kb.md"),
        ("file:///home/a%20b/%28x%29.md", "/home/a b/(x).md"),
        ("file:///home/a b/(x).md", "/home/a b/(x).md"),
        ("file:///caf%C3%A9.md", "/café.md"),
        ("file:///bad%FFname.md", "/bad\udcffname.md"),
        ("untitled:Untitled-1", None),
        ("git:/home/a.md?ref", None),
        ("vscode-notebook-cell:/a#b", None),
        ("file:///a%00b.md", None),
        ("file://[", None),
        ("", None),
        ("kb.md", None),
    ],
)
def test_uri_names_a_path_however_it_is_escaped(uri: str, path: str | None) -> None:
    assert path_of(uri, windows=False) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/Users/kb/a.md", "C:\\Users\\kb\\a.md"),
        ("file:///c:/Users/kb/a.md", "C:\\Users\\kb\\a.md"),
        ("file:///C:/Users/kb/a.md", "C:\\Users\\kb\\a.md"),
        ("file://host/share/a.md", "\\\\host\\share\\a.md"),
    ],
)
def test_windows_drives_and_shares_come_out_in_one_spelling(uri: str, path: str) -> None:
    assert path_of(uri, windows=True) == path


def position_in(text: str, offset: int, encoding: str) -> types.Position:
    """The oracle: LSP's lines end at CRLF, LF, CR only; columns count code units."""
    before = text[:offset]
    line = before.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    start = max(before.rfind("\n"), before.rfind("\r")) + 1
    return types.Position(line, len(before[start:].encode(ENCODINGS[encoding])) // UNIT[encoding])


def is_between_cr_and_lf(text: str, offset: int) -> bool:
    return text[offset - 1 : offset + 1] == "\r\n"


@given(TEXTS, TEXTS, st.data(), st.sampled_from(sorted(ENCODINGS)))
def test_incremental_change_replaces_exactly_the_range(text: str, new: str, data: st.DataObject, encoding: str) -> None:
    places = st.integers(0, len(text)).filter(lambda offset: not is_between_cr_and_lf(text, offset))
    start, end = sorted((data.draw(places), data.draw(places)))
    change = types.TextDocumentContentChangePartial(
        range=types.Range(position_in(text, start, encoding), position_in(text, end, encoding)), text=new
    )
    index, splices = apply_changes(LineIndex(text), [change], encoding, 2)
    assert index.text == text[:start] + new + text[end:]
    (splice,) = splices
    assert Span(start, end).contains(splice.span)
    assert splice.length - (splice.span.end - splice.span.start) == len(new) - (end - start)
    assert index.text[: splice.span.start] == text[: splice.span.start]
    assert index.text[splice.span.start + splice.length :] == text[splice.span.end :]


def test_each_change_applies_to_the_result_of_the_one_before() -> None:
    changes = [
        types.TextDocumentContentChangePartial(types.Range(types.Position(0, 2), types.Position(0, 2)), "x\n"),
        types.TextDocumentContentChangePartial(types.Range(types.Position(1, 0), types.Position(1, 1)), "Y"),
        types.TextDocumentContentChangeWholeDocument("whole"),
        types.TextDocumentContentChangePartial(types.Range(types.Position(0, 5), types.Position(0, 5)), "!"),
    ]
    index, splices = apply_changes(LineIndex("😀b"), changes, "utf-16", 7)
    assert index.text == "whole!"
    assert [splice.span for splice in splices] == [Span(1, 1), Span(3, 4), Span(0, 4), Span(5, 5)]


def test_a_whole_text_that_hardly_differs_is_a_small_edit() -> None:
    change = types.TextDocumentContentChangeWholeDocument("one two five")
    _, splices = apply_changes(LineIndex("one two three five"), [change], "utf-16", 2)
    assert [(splice.span.of("one two three five"), splice.length) for splice in splices] == [("three ", 0)]


@pytest.mark.parametrize(
    ("start", "end", "span"),
    [
        ((0, 1), (0, 3), Span(1, 3)),
        ((0, 3), (0, 1), Span(1, 3)),
        ((0, 99), (1, 99), Span(3, 7)),
        ((9, 9), (9, 9), Span(7, 7)),
    ],
)
def test_ranges_out_of_order_or_out_of_the_text_are_put_right(
    start: tuple[int, int], end: tuple[int, int], span: Span
) -> None:
    place = types.Range(types.Position(*start), types.Position(*end))
    assert span_of(LineIndex("abc\ndef"), place, "utf-16") == span
