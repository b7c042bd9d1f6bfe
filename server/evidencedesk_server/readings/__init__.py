"""What clients ask about a place or a file, answered from one snapshot. Invariant: readings know nothing of each other.

A reading takes the state and a question and gives LSP's own JSON, with `Chars` where a range of the very file that was
asked about belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evidencedesk_server.messages import Question
from evidencedesk_server.readings.actions import actions
from evidencedesk_server.readings.completions import completions, explanations
from evidencedesk_server.readings.hovers import hovers
from evidencedesk_server.readings.marks import boundaries, evidence, lenses, rankings
from evidencedesk_server.readings.navigation import definitions, highlights, links, references
from evidencedesk_server.readings.new_labels import new_labels
from evidencedesk_server.readings.outline import folds, symbols, workspace_symbols
from evidencedesk_server.readings.rename import move_edits, rename_edits, rename_place
from evidencedesk_server.readings.searching import (
    chunk_places,
    chunk_texts,
    found_places,
    search,
    search_in_brief,
)
from evidencedesk_server.readings.state import State

READINGS: Mapping[str, Callable[[State, Question], list[Any]]] = {
    "hovers": hovers,
    "completions": completions,
    "explanations": explanations,
    "new-labels": new_labels,
    "actions": actions,
    "rename-place": rename_place,
    "rename-edits": rename_edits,
    "move-edits": move_edits,
    "definitions": definitions,
    "references": references,
    "highlights": highlights,
    "links": links,
    "symbols": symbols,
    "folds": folds,
    "workspace-symbols": workspace_symbols,
    "search": search,
    "search-in-brief": search_in_brief,
    "found-places": found_places,
    "chunk-places": chunk_places,
    "chunk-texts": chunk_texts,
    "lenses": lenses,
    "rankings": rankings,
    "boundaries": boundaries,
    "evidence": evidence,
}
