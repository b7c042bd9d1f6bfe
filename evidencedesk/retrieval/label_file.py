"""Label file → labels with the place of every value. Invariant: never fails; a broken entry loses only itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from evidencedesk.retrieval.labels import Label
from evidencedesk.text.spans import Span


@dataclass(frozen=True, slots=True)
class LabelDefect:
    """What is wrong with the file (`syntax`) or with one value of an entry (`schema`); `message` is a sentence."""

    kind: Literal["syntax", "schema"]
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class LabelSource:
    """A label and where it is written. `span` covers the whole object.

    `spans` maps keys to the value's span, quotes included: `id`, `question`, `answerable`, `tags`, `gold`, `ignore`,
    and with indices `gold[0]`, `gold[0].section`, `gold[0].evidence`, `ignore[0]`. A missing key is absent.
    """

    label: Label
    path: str
    span: Span
    spans: Mapping[str, Span]

    def place(self, key: str) -> Span:
        """The span of `key`, else of the question, else of the object's opening brace."""
        return (
            self.spans.get(key)
            or self.spans.get("question")
            or Span(self.span.start, min(self.span.start + 1, self.span.end))
        )


@dataclass(frozen=True, slots=True)
class LabelFile:
    """One label file: its usable entries in file order, and its defects. Key: `path`."""

    path: str
    text: str
    entries: tuple[LabelSource, ...]
    defects: tuple[LabelDefect, ...]
