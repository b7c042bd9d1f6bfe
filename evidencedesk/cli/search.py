"""`evidencedesk search`: what a question retrieves, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evidencedesk.cli.console import notice, write
from evidencedesk.cli.opening import NoCache, find_target, open_configured
from evidencedesk.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from evidencedesk.retrieval.catalog import Scope
    from evidencedesk.workspace import Workspace


def search(
    query: Annotated[str, typer.Argument(help="A question, as a reader would ask it.")],
    path: Annotated[Path, typer.Option(help="The workspace, or a folder in it.", show_default=".")] = Path(),
    k: Annotated[
        int | None, typer.Option("--k", "-k", min=1, help="Chunks per searcher; as configured unless given.")
    ] = None,
    searcher: Annotated[
        list[str] | None, typer.Option(help="Only this searcher (sparse, dense, hybrid, lexical); may be repeated.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the BM25 scores term by term.")] = False,
    status: Annotated[list[str] | None, typer.Option(help="Only documents with this status; may be repeated.")] = None,
    audience: Annotated[list[str] | None, typer.Option(help="Only for this audience; may be repeated.")] = None,
    lang: Annotated[list[str] | None, typer.Option(help="Only in this language; may be repeated.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Search all documents, whatever their scope.")] = False,
    no_cache: NoCache = False,
) -> None:
    """Show what a question retrieves, per searcher, and why."""
    from evidencedesk.reports.ranking_text import ranking_lines
    from evidencedesk.retrieval.explain import explain_bm25
    from evidencedesk.retrieval.pipeline import Diversified
    from evidencedesk.retrieval.searchers import SparseSearcher

    target = find_target([path])
    workspace = open_configured(target, no_cache)
    facts = workspace.snapshot.facts
    if not facts.catalog.chunks:
        raise InputError(f"Nothing to search in {target.root}: its documents hold no text.")
    names = _names(workspace, searcher or [])
    scope = _scope(facts.contract.scope, status, audience, lang)
    allowed = None if everything else facts.catalog.allowed(scope)
    searchers = workspace.searchers
    words = searchers["sparse"].first if isinstance(searchers["sparse"], Diversified) else searchers["sparse"]
    for name in names:
        found = searchers[name].search(query, k or facts.contract.k, allowed)
        terms = {}
        if explain and isinstance(words, SparseSearcher) and (name == "sparse" or "sparse" not in names):
            terms = {one.chunk.id: explain_bm25(words.bm25, words.terms(query), one.chunk.id) for one in found}
        write(ranking_lines(name, found, facts.contract.rrf_k, target.shown, terms))
    if allowed is not None and (hidden := len(facts.catalog.chunks) - len(allowed)):
        notice(f"{hidden} of {len(facts.catalog.chunks)} chunks are out of scope; --all searches them too.")


def _names(workspace: Workspace, wanted: list[str]) -> list[str]:
    known = list(workspace.searchers)
    for name in wanted:
        if name not in known:
            raise UnknownNameError(f"There is no searcher {name}; there are {', '.join(known)}.")
    usual = ("sparse", "dense", "hybrid", workspace.config.retrieval.searcher)
    return list(dict.fromkeys(wanted or usual))


def _scope(configured: Scope, status: list[str] | None, audience: list[str] | None, lang: list[str] | None) -> Scope:
    from evidencedesk.retrieval.catalog import Scope

    return Scope(
        statuses=frozenset(status) if status else configured.statuses,
        audiences=frozenset(audience) if audience else configured.audiences,
        langs=frozenset(lang) if lang else configured.langs,
    )
