"""Completion: what can be written at the cursor. Invariant: places are of the present text, choices of the last state.

What is being typed is read from the text that the client has now; what there is to choose comes from the engine as it
last evaluated the folder, so that nobody waits for an evaluation while typing.
"""

from __future__ import annotations

import re

from lsprotocol import types

from evidencedesk.text.spans import LineIndex, Span
from evidencedesk_server.cursors import Typed, cursor_at
from evidencedesk_server.desk import Desk
from evidencedesk_server.looking import look
from evidencedesk_server.messages import Place, Question
from evidencedesk_server.ranges import Json, range_of

_TRIGGERS = ['"', "'", "#", ":", " ", "[", "=", ","]
_SNIPPET = 2
_BLANK, _SPECIAL = re.compile(r"\s"), re.compile(r"[\\$}]")
_TAB_STOP = re.compile(r"\$\{\d+:([^}]*)\}|\$\d+")


def register(desk: Desk) -> None:
    """Complete labels, front matter, configuration and suppressing comments."""
    options = types.CompletionOptions(trigger_characters=_TRIGGERS, resolve_provider=True)
    desk.feature(types.TEXT_DOCUMENT_COMPLETION, options)(_completion)
    desk.feature(types.COMPLETION_ITEM_RESOLVE)(_resolve)


async def _completion(desk: Desk, params: types.CompletionParams) -> Json | None:
    document = desk.session.document(params.text_document.uri)
    if document is None or (place := document.place) is None:
        return None
    index, encoding = document.index, desk.session.profile.encoding
    offset = index.offset(params.position.line, params.position.character, encoding)
    typed = cursor_at(place.path, document.text, offset)
    if typed is None:
        return None
    words = (typed.kind, typed.text, *typed.more)
    found = await look(desk, Question("completions", place.folder, place.path, words=words))
    writer = _Writer(desk, place, index, typed, offset)
    return {"isIncomplete": True, "items": [writer.item(number, given) for number, given in enumerate(found)]}


async def _resolve(desk: Desk, params: types.CompletionItem) -> types.CompletionItem:
    given = params.data
    if isinstance(given, list) and len(given) == 3 and all(isinstance(one, str) for one in given):
        folder, kind, name = given
        for said in await look(desk, Question("explanations", folder, "", words=(kind, name))):
            markdown = desk.session.profile.explains
            params.documentation = types.MarkupContent(types.MarkupKind.Markdown, said) if markdown else said
    return params


class _Writer:
    """Writes what was found for the place and the client."""

    def __init__(self, desk: Desk, place: Place, index: LineIndex, typed: Typed, offset: int) -> None:
        profile = desk.session.profile
        self._folder = place.folder
        self._snippets, self._modes, self._markdown = profile.snippets, profile.insert_modes, profile.explains
        self._typed = typed
        self._replaced = range_of(index, typed.span, profile.encoding)
        self._raw = index.text[typed.span.start : offset]
        self._before: list[Json] = []
        if typed.comma_at is not None:
            here = range_of(index, Span(typed.comma_at, typed.comma_at), profile.encoding)
            self._before = [{"range": here, "newText": ","}]

    def item(self, number: int, given: Json) -> Json:
        """An item of LSP."""
        new_text, is_snippet = self._new_text(given)
        item: Json = {
            "label": given["label"],
            "kind": given["kind"],
            "sortText": f"{number:03}",
            "filterText": self._filter(given["value"], new_text),
            "textEdit": {"range": self._replaced, "newText": new_text},
        }
        if is_snippet:
            item["insertTextFormat"] = _SNIPPET
        # Most editors indent a snippet's lines like its first, whatever they are told, so ours begin at the margin.
        mode = types.InsertTextMode.AdjustIndentation if is_snippet else types.InsertTextMode.AsIs
        if "\n" in new_text and mode in self._modes:
            item["insertTextMode"] = mode.value
        if "detail" in given:
            item["detail"] = given["detail"]
        if "docs" in given:
            item["documentation"] = {"kind": "markdown", "value": given["docs"]} if self._markdown else given["docs"]
        if "explain" in given:
            item["data"] = [self._folder, *given["explain"]]
        if self._before:
            item["additionalTextEdits"] = self._before
        return item

    def _new_text(self, given: Json) -> tuple[str, bool]:
        """What is inserted, and whether it is a snippet: those become plain text for clients that know none."""
        typed, value, snippet = self._typed, given["value"], given.get("snippet", "")
        if self._snippets and snippet and not typed.colon:
            return (typed.written(value, False, snippet) if typed.form == "key" else snippet + typed.follow), True
        bare, of_key = bool(given.get("bare")), _TAB_STOP.sub(r"\1", snippet)
        text = value if given.get("whole") else typed.written(value, bare, of_key)
        # Neovim takes a plain text only up to its first blank.
        if self._snippets and _BLANK.search(text):
            return _SPECIAL.sub(r"\\\g<0>", text), True
        return text, False

    def _filter(self, value: str, new_text: str) -> str:
        """What the client compares with the text that gets replaced: it has been chosen already, so it must fit."""
        raw = self._raw
        return new_text if new_text.casefold().startswith(raw.casefold()) else f"{raw} {value}"
