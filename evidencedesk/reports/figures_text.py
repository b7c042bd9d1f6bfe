"""Evaluation figures for a terminal. Invariant: the contract is printed with the figures."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from evidencedesk.reports.excerpt import visible
from evidencedesk.reports.figures import Abstention, Figures, contract_text
from evidencedesk.retrieval.evaluation import Contract
from evidencedesk.retrieval.taxonomy import LABELS, STAGES

_REDUNDANCY = "Redundancy: shared words (Jaccard) with the likest chunk above, mean of ranks and questions"


def figures_page(figures: Figures) -> RenderableType:
    """Hits by tag and searcher, findings by stage and label, abstention, and what the figures mean."""
    parts: list[RenderableType] = [_hits(figures), Text()]
    if figures.findings:
        parts += [_findings(figures), Text()]
    if figures.diversity:
        parts += [_diversity(figures), Text(_REDUNDANCY), Text()]
    questions = figures.answerable + figures.abstention.unanswerable
    parts.append(Text(f"Failed: {figures.failed} of {questions} questions (an answer merely outranked is no failure)"))
    parts.append(Text(_abstention(figures.abstention, figures.contract)))
    parts += [Text(), Text(f"Contract: {contract_text(figures.contract, figures.chunking)}", style="dim")]
    return Group(*parts)


def _hits(figures: Figures) -> Table:
    table = _table("Tag", "Questions", "Searcher", *(f"hit@{k}" for k in figures.cutoffs))
    for row in figures.hits:
        tag, questions = visible(row.tag) or "all answerable", str(row.questions)
        for searcher in figures.searchers:
            mark = "*" if searcher == figures.contract.searcher else ""
            table.add_row(tag, questions, f"{searcher}{mark}", *map(str, row.at[searcher]))
            tag, questions = "", ""
    table.columns[2].justify = "left"
    table.caption = "* the configured searcher"
    table.caption_justify = "left"
    return table


def _findings(figures: Figures) -> Table:
    stages = sorted({stage for stage, _ in figures.findings}, key=STAGES.index)
    labels = sorted({label for _, label in figures.findings}, key=LABELS.index)
    table = _table("Findings", *labels)
    for stage in stages:
        table.add_row(stage, *(str(figures.findings.get((stage, label), 0)) for label in labels))
    return table


def _diversity(figures: Figures) -> Table:
    k = figures.contract.k
    table = _table("Searcher", f"redundancy@{k}", f"distinct evidence@{k}")
    for name, found in figures.diversity.items():
        mark = "*" if name == figures.contract.searcher else ""
        table.add_row(f"{name}{mark}", _share(found.redundancy), _share(found.evidence))
    return table


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    table.add_column(first)
    for other in others:
        table.add_column(other, justify="right")
    return table


def _abstention(abstention: Abstention, contract: Contract) -> str:
    if not abstention.unanswerable:
        return "Unanswerable: no such question among the labels"
    text = f"Unanswerable: {abstention.right} of {abstention.unanswerable} leave the prompt empty"
    if contract.floor is None and contract.gate is None:
        text += " (no floor and no gate is configured, so only a question that finds nothing does)"
    precision, recall = abstention.precision, abstention.recall
    shares = [
        f"{name} {share:.2f}" for name, share in (("precision", precision), ("recall", recall)) if share is not None
    ]
    wrong = f"; so do {abstention.wrong} of the answerable ones"
    return f"{text}{wrong}; abstention {', '.join(shares)}"
