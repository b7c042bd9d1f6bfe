"""Problems, fixes and paths in the client's terms. Invariant: pure.

The results are plain JSON: the engine process makes them, and importing lsprotocol's classes would double its start-up.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import evidencedesk.rules
from evidencedesk.rule import Fix, Problem, Severity, Tag
from evidencedesk.rules import RULES
from evidencedesk.text.spans import Encoding, LineIndex, Span, TextEdit
from evidencedesk_server.messages import ACCEPT_BASELINE, Style
from evidencedesk_server.ranges import Json, range_of

SOURCE = "evidencedesk"
QUICK_FIX = "quickfix"
FIX_ALL = "source.fixAll.evidencedesk"

_SEVERITIES: Mapping[Severity, int] = {
    Severity.ERROR: 1,
    Severity.WARNING: 2,
    Severity.INFORMATION: 3,
    Severity.HINT: 4,
}

_LSP_TAGS: Mapping[Tag, int] = {Tag.UNNECESSARY: 1, Tag.DEPRECATED: 2}
_TAGS: Mapping[str, list[int]] = {rule.code: [_LSP_TAGS[tag] for tag in rule.tags] for rule in RULES}

# Editors open the file itself: it works offline, and Markdown reads well as it stands.
_REFERENCE = Path(evidencedesk.rules.__file__).with_name("README.md")


def _rule_lines() -> Mapping[str, int]:
    try:
        lines = _REFERENCE.read_text(encoding="utf-8").split("\n")
    except OSError:
        return {}
    return {line.split()[1]: number for number, line in enumerate(lines, start=1) if line.startswith("## ED")}


_RULE_LINES = _rule_lines()


def uri_below(folder: str, path: str) -> str:
    """The URI of a file below a folder, in the folder's own spelling; escaped as the strictest client escapes."""
    return f"{folder}/{quote(os.fsencode(path))}"


@dataclass(slots=True)
class Texts:
    """The texts of one state by path, with their line indexes made once; `uri_of` names a path as the client does."""

    texts: Mapping[str, str]
    uri_of: Callable[[str], str]
    encoding: Encoding
    _indexes: dict[str, LineIndex] = field(default_factory=dict)

    def range(self, path: str, span: Span) -> Json:
        """The range of a span in a file."""
        return range_of(self.index(path), span, self.encoding)

    def index(self, path: str) -> LineIndex:
        """The line index of a file's text; of an empty one when there is no such file."""
        text = self.texts.get(path, "")
        known = self._indexes.get(path)
        if known is None or known.text is not text:
            known = self._indexes[path] = LineIndex(text)
        return known

    def with_texts(self, texts: Mapping[str, str]) -> Texts:
        """The same for the next state; indexes of unchanged texts are kept."""
        # A copy: another thread may be adding to these for the state shown last.
        kept = {path: index for path, index in self._indexes.copy().items() if texts.get(path) is index.text}
        return Texts(texts, self.uri_of, self.encoding, kept)


def rule_href(code: str) -> str | None:
    """Where a rule's page is: a line of the reference that comes with the program; None when it is not there."""
    line = _RULE_LINES.get(code)
    return f"{_REFERENCE.as_uri()}#L{line}" if line else None


def diagnostic(problem: Problem, texts: Texts, style: Style) -> Json:
    """The diagnostic of a problem, with related places, tags and the rule's page as far as the client shows them."""
    shown: Json = {
        "range": texts.range(problem.path, problem.span),
        "message": problem.message,
        "severity": _SEVERITIES[problem.severity],
        "code": problem.code,
        "source": SOURCE,
        "data": {"fingerprint": problem.fingerprint, "name": problem.name},
    }
    if style["tags"] and (tags := _TAGS.get(problem.code)):
        shown["tags"] = tags
    if style["rule_links"] and (href := rule_href(problem.code)):
        shown["codeDescription"] = {"href": href}
    if style["related"] and problem.related:
        shown["relatedInformation"] = [
            {
                "location": {"uri": texts.uri_of(place.path), "range": texts.range(place.path, place.span)},
                "message": place.message,
            }
            for place in problem.related
        ]
    return shown


def workspace_edit(edits: Mapping[str, tuple[TextEdit, ...]], texts: Texts, document_changes: bool) -> Json:
    """The edits of several files; as versioned document changes if the client takes them, versions left open.

    A file that is not there yet is created, which only such a client can do.
    """
    by_uri = {
        texts.uri_of(path): [{"range": texts.range(path, edit.span), "newText": edit.text} for edit in file_edits]
        for path, file_edits in edits.items()
    }
    if not document_changes:
        return {"changes": by_uri}
    created = [texts.uri_of(path) for path in edits if path not in texts.texts]
    return {
        "documentChanges": [
            *({"kind": "create", "uri": uri, "options": {"ignoreIfExists": True}} for uri in created),
            *(
                {"textDocument": {"uri": uri, "version": None}, "edits": file_edits}
                for uri, file_edits in by_uri.items()
            ),
        ]
    }


def quick_fix(fix: Fix, shown: Json, texts: Texts, document_changes: bool) -> Json:
    """The code action that applies a fix; a safe one is preferred, so that "fix" without a choice takes it."""
    action = {
        "title": fix.title,
        "kind": QUICK_FIX,
        "diagnostics": [shown],
        "edit": workspace_edit(fix.edits, texts, document_changes),
    }
    return {**action, "isPreferred": True} if fix.safe else action


def refused_fix(title: str, reason: str, shown: Json) -> Json:
    """A code action that cannot be done, and why."""
    return {"title": title, "kind": QUICK_FIX, "diagnostics": [shown], "disabled": {"reason": reason}}


def accept_baseline(folder: str, shown: Json) -> Json:
    """The code action that makes a folder's present state its baseline."""
    title = "Accept the present state as the baseline"
    command = {"title": title, "command": ACCEPT_BASELINE, "arguments": [folder]}
    return {"title": title, "kind": QUICK_FIX, "diagnostics": [shown], "command": command}
