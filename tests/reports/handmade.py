"""Snapshots made by hand, so that reports are tested against known facts and not against what rules find today."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from evidencedesk.documents.document import Document
from evidencedesk.retrieval.candidates import RankedList, ranked
from evidencedesk.retrieval.catalog import Catalog
from evidencedesk.retrieval.chunk import Chunk, Location
from evidencedesk.retrieval.evaluation import Contract, Evaluation, GoldPlace, Retrieved, Standing
from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.retrieval.label_file import LabelSource
from evidencedesk.retrieval.labels import Gold, Label
from evidencedesk.retrieval.taxonomy import Finding
from evidencedesk.retrieval.twins import Twins
from evidencedesk.rule import Fix, Problem, Related, Severity
from evidencedesk.text.spans import Span
from evidencedesk.workspace.snapshot import Snapshot


def span_of(text: str, wanted: str) -> Span:
    start = text.index(wanted)
    return Span(start, start + len(wanted))


def problem(
    path: str,
    span: Span,
    code: str = "ED201",
    name: str = "answer-split",
    severity: Severity = Severity.WARNING,
    message: str = "The answer is cut.",
    related: tuple[Related, ...] = (),
    fixes: tuple[Fix, ...] = (),
    more: int = 0,
) -> Problem:
    """A problem; with `more`, the line that stands for that many further ones."""
    fingerprint = f"{code}-more-{more}" if more else f"{path}-{span.start}"
    return Problem(
        code, name, severity, path, span, message, related, fixes, fingerprint, {"more": more} if more else {}
    )


def chunk(chunk_id: str, text: str = "text", status: str = "current", path: str = "guide.md") -> Chunk:
    return Chunk(
        id=chunk_id,
        doc_id=chunk_id.rpartition(":")[0],
        text=text,
        kind="text",
        location=Location("Guide, lines 1-1", Span(0, len(text)), 1, 1, Span(0, 0)),
        path=path,
        status=status,
    )


def evaluation(
    label_id: str,
    rankings: dict[str, Sequence[str]],
    gold: str = "",
    tags: tuple[str, ...] = (),
    contract: Contract | None = None,
    findings: tuple[Finding, ...] = (),
    context: int = 1,
    whole: bool = True,
) -> Evaluation:
    """A question whose answer is the chunk `gold` ("": it has none), with the ranked chunk ids per searcher."""
    contract = contract or Contract(k=3, depth=5)
    lists: dict[str, RankedList] = {
        name: ranked([(chunk(one), 1.0) for one in ids], name) for name, ids in rankings.items()
    }
    top = lists[contract.searcher][: contract.k]
    rank = next((found.rank for found in top if found.chunk.id == gold), None)
    entry = Gold("guide#Guide", "the answer")
    label = Label(label_id, f"Question {label_id}?", tags, bool(gold), (entry,) if gold else ())
    holders = (gold,) if gold and whole else ()
    document = Document("guide", "guide.md", "# Guide\n\nthe answer\n")
    scored = Retrieved(lists, lambda: top, lambda: top[:context])
    return Evaluation(
        label=label,
        source=LabelSource(label, "labels.json", Span(0, 1), {}),
        contract=contract,
        places=(GoldPlace(entry, document, (), (), (), holders),) if gold else (),
        found=scored.found(None),
        findings=findings,
        standing=Standing(rank, whole, any(found.chunk.id == gold for found in top[:context]), ""),
        scores=scored.scores(contract),
        grade=None,
        scored=scored,
    )


def snapshot(
    texts: dict[str, str],
    problems: Sequence[Problem] = (),
    evaluations: Sequence[Evaluation] = (),
    contract: Contract | None = None,
) -> Snapshot:
    """A snapshot whose Markdown files are documents of one chunk each."""
    documents = {
        path: ChunkedDocument(
            Document(path.removesuffix(".md"), path, text),
            (chunk(f"{path.removesuffix('.md')}:c0", text, path=path),),
        )
        for path, text in sorted(texts.items())
        if path.endswith(".md")
    }
    chunks = [one for chunked in documents.values() for one in chunked.chunks]
    facts = Facts(
        documents=documents,
        by_id={chunked.document.doc_id: chunked for chunked in documents.values()},
        label_files={},
        catalog=Catalog(chunks, {}),
        contract=contract or Contract(k=3, depth=5),
        chunking="fixed(size=400, overlap=0)",
        evaluations={one.label.id: one for one in evaluations},
        twins=Twins((), (), ()),
        word_limit=None,
        before={},
        before_name="the baseline",
        config_defects=(),
        rule_codes=frozenset(),
        today=date(2026, 1, 1),
    )
    return Snapshot(1, facts, tuple(problems), texts)
