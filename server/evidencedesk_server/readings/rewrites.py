"""What can be made of a place that has no problem. Invariant: each rewriting says which texts it was made for."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evidencedesk.repairs.keeping import keep_comment
from evidencedesk.repairs.quoting import sentence_around
from evidencedesk.retrieval.places import occurrence, quoted
from evidencedesk.text.spans import Span, TextEdit
from evidencedesk_server.messages import ActionEntry, Question, text_hash
from evidencedesk_server.readings.state import State
from evidencedesk_server.to_lsp import workspace_edit

KIND = "refactor.rewrite"


def rewrites(state: State, question: Question) -> list[ActionEntry]:
    """Evidence widened to its sentence, in labels; the block at the place kept together, in pages."""
    found = [*_widened(state, question), *_kept(state, question)]
    return [_entry(state, question.path, title, edit) for title, edit in found]


def _widened(state: State, question: Question) -> Iterator[tuple[str, TextEdit]]:
    for mention in state.mentions.made_in.get(question.path, ()):
        shown, document = occurrence(mention.place), mention.place.document
        if mention.evidence is None or shown is None or document is None or not _touches(mention.evidence, question):
            continue
        sentence = sentence_around(document, shown.span)
        if sentence != shown.span and sentence.contains(shown.span):
            quote = sentence.of(document.text)
            title = f"Widen the evidence to its sentence: “{quoted(quote, 60)}”"
            yield title, TextEdit(mention.evidence, json.dumps(quote, ensure_ascii=False))


def _kept(state: State, question: Question) -> Iterator[tuple[str, TextEdit]]:
    chunked = state.snapshot.facts.documents.get(question.path)
    if chunked is None:
        return
    document = chunked.document
    for block in document.blocks:
        if _touches(block.span, question) and not any(keep.span.overlaps(block.span) for keep in document.kept):
            if block.kind != "html":
                yield "Keep this block together", keep_comment(document, block.span)
            return


def _entry(state: State, path: str, title: str, edit: TextEdit) -> ActionEntry:
    made = workspace_edit({path: (edit,)}, state.texts, state.style["document_changes"])
    needs = {state.texts.uri_of(path): text_hash(state.snapshot.texts[path])}
    return ActionEntry(needs=needs, action={"title": title, "kind": KIND, "edit": made})


def _touches(span: Span, question: Question) -> bool:
    return span.start <= question.end and question.offset <= span.end
