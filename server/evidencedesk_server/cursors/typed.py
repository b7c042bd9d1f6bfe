"""What is being typed, and how what completes it is written there. Invariant: plain values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from evidencedesk.text.spans import Span

Form = Literal["plain", "string", "key"]
"""How a value is written: as it is; as text between quotation marks; as a key of JSON, with its colon and value."""


@dataclass(frozen=True, slots=True)
class Typed:
    """`kind` says what is wanted, in the words of the reading `completions`; `more` is what else that needs to know.

    `span` is what gets replaced: the inside of quotation marks where the cursor is in some (`quoted`), of keys with
    these marks. `text` is the decoded text up to the cursor. `closed` says whether a closing mark follows, `colon`
    whether a key has its colon. `follow` is written after what is inserted; `comma_at` is where a comma is missing.
    """

    kind: str
    span: Span
    text: str
    more: tuple[str, ...] = ()
    form: Form = "plain"
    quoted: bool = False
    closed: bool = False
    colon: bool = False
    follow: str = ""
    comma_at: int | None = None

    def written(self, value: str, bare: bool, of_key: str) -> str:
        """A value as it stands in the file; a `bare` one without quotation marks; `of_key` is what a key opens with."""
        if self.form == "plain" or bare:
            return value + self.follow
        string = json.dumps(value, ensure_ascii=False)
        if self.form == "key":
            return string + ("" if self.colon else f": {of_key}{self.follow}")
        if not self.quoted:
            return string + self.follow
        return string[1:-1] if self.closed else string[1:] + self.follow
