"""Our terms in the client's: paths → URIs, spans → ranges, problems → diagnostics. Invariant: pure."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from lsprotocol import types

from evidencedesk.rule import Fix, Problem, Severity
from evidencedesk.text.spans import Encoding, LineIndex, Span, TextEdit

SOURCE = "evidencedesk"
ACCEPT_BASELINE = "evidencedesk.acceptBaseline"
"""A command. Arguments: the URI of a folder or of any file in it; without one, every open folder."""

_SEVERITIES: Mapping[Severity, types.DiagnosticSeverity] = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}


def uri_below(folder: str, path: str) -> str:
    """The URI of a file below a folder, in the folder's own spelling; escaped as the strictest client escapes."""
    return f"{folder}/{quote(os.fsencode(path))}"


def range_of(index: LineIndex, span: Span, encoding: Encoding) -> types.Range:
    """Lines and columns of a span."""
    start, end = index.position(span.start, encoding), index.position(span.end, encoding)
    return types.Range(types.Position(*start), types.Position(*end))


@dataclass(slots=True)
class Texts:
    """The texts of one state by path, with their line indexes made once; `uri_of` names a path as the client does."""

    texts: Mapping[str, str]
    uri_of: Callable[[str], str]
    encoding: Encoding
    _indexes: dict[str, LineIndex] = field(default_factory=dict)

    def range(self, path: str, span: Span) -> types.Range:
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
        kept = {path: index for path, index in self._indexes.items() if texts.get(path) is index.text}
        return Texts(texts, self.uri_of, self.encoding, kept)


def diagnostic(problem: Problem, texts: Texts, related: bool) -> types.Diagnostic:
    """The diagnostic of a problem, with its related places if the client shows them."""
    return types.Diagnostic(
        range=texts.range(problem.path, problem.span),
        message=problem.message,
        severity=_SEVERITIES[problem.severity],
        code=problem.code,
        source=SOURCE,
        related_information=[
            types.DiagnosticRelatedInformation(
                types.Location(texts.uri_of(place.path), texts.range(place.path, place.span)), place.message
            )
            for place in problem.related
        ]
        if related and problem.related
        else None,
        data={"fingerprint": problem.fingerprint, "name": problem.name},
    )


def workspace_edit(
    edits: Mapping[str, tuple[TextEdit, ...]], texts: Texts, document_changes: bool
) -> types.WorkspaceEdit:
    """The edits of several files; as versioned document changes if the client takes them, versions left open."""
    by_uri = {
        texts.uri_of(path): [types.TextEdit(texts.range(path, edit.span), edit.text) for edit in file_edits]
        for path, file_edits in edits.items()
    }
    if not document_changes:
        return types.WorkspaceEdit(changes=dict(by_uri))
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri), list(file_edits))
            for uri, file_edits in by_uri.items()
        ]
    )


def quick_fix(fix: Fix, shown: types.Diagnostic | None, texts: Texts, document_changes: bool) -> types.CodeAction:
    """The code action that applies a fix; a safe one is preferred, so that "fix" without a choice takes it."""
    return types.CodeAction(
        title=fix.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[shown] if shown is not None else None,
        is_preferred=True if fix.safe else None,
        edit=workspace_edit(fix.edits, texts, document_changes),
    )


def accept_baseline(folder: str, shown: types.Diagnostic) -> types.CodeAction:
    """The code action that makes a folder's present state its baseline."""
    title = "Accept the present state as the baseline"
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[shown],
        command=types.Command(title, ACCEPT_BASELINE, arguments=[folder]),
    )
