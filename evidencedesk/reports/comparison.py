"""Searchers side by side, over labels. Invariant: an answer withheld is a miss, and is told apart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from evidencedesk.reports.excerpt import visible
from evidencedesk.reports.figures import CUTOFFS, grades
from evidencedesk.retrieval.candidates import RankedList
from evidencedesk.retrieval.catalog import Catalog, Scope
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.corrective import RetrievalScores, evaluate_retrieval
from evidencedesk.retrieval.corrective_searcher import CorrectiveSearcher
from evidencedesk.retrieval.evaluation import Contract, Evaluation
from evidencedesk.retrieval.searchers import LexicalSearcher, Searcher

_NOTE = (
    "Hits count of all answerable questions; an answer withheld is a miss. Abstained: questions for which nothing "
    "enters the prompt. Corrected: answered after another wording. Alone: answers in the first {k} of this one only."
)


@dataclass(frozen=True, slots=True)
class Compared:
    """What became of the questions with one searcher; `alone` are ids of those that it alone answers in the first k."""

    searcher: str
    scores: RetrievalScores
    alone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Searchers in the order asked for, over the same questions, scopes and gate. `questions` are texts by label id."""

    contract: Contract
    chunking: str
    k: int
    rows: tuple[Compared, ...]
    questions: Mapping[str, str]


def compare(
    evaluations: Iterable[Evaluation],
    searchers: Mapping[str, Searcher],
    names: Sequence[str],
    catalog: Catalog,
    contract: Contract,
    chunking: str,
) -> Comparison:
    """Ask the searchers with these names every question, each in its own scope.

    The contract's gate decides over each of them; its floor, which is a score of the configured searcher, over none.
    """
    asked = [_Asked(evaluation) for evaluation in evaluations]
    k = max(contract.k, *CUTOFFS)
    scores: dict[str, RetrievalScores] = {}
    for name in dict.fromkeys(names):
        found = _ask(searchers[name], asked, catalog, k)
        if contract.gate is not None:
            _close(found, asked, contract, searchers)
        scores[name] = evaluate_retrieval(found.__getitem__, asked, k)
    by_question = {label: [name for name in scores if scores[name].ranks[label]] for label in _answerable(asked)}
    rows = tuple(
        Compared(name, one, tuple(label for label, found_by in by_question.items() if found_by == [name]))
        for name, one in scores.items()
    )
    return Comparison(contract, chunking, k, rows, {one.id: one.evaluation.label.question for one in asked})


def comparison_json(comparison: Comparison) -> str:
    """The comparison as a JSON document."""
    rows = [_row(row) for row in comparison.rows]
    contract = comparison.contract.settings_text(comparison.chunking)
    return json.dumps({"contract": contract, "k": comparison.k, "searchers": rows}, indent=1, ensure_ascii=False) + "\n"


def comparison_page(comparison: Comparison) -> RenderableType:
    """The comparison for a terminal."""
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    table.add_column("Searcher")
    answerable = comparison.rows[0].scores.answerable if comparison.rows else 0
    unanswerable = comparison.rows[0].scores.unanswerable if comparison.rows else 0
    heads = (
        *(f"hit@{k}" for k in CUTOFFS),
        "abstained rightly",
        "wrongly",
        "precision",
        "recall",
        "corrected",
        "alone",
    )
    for head in heads:
        table.add_column(head, justify="right")
    for row in comparison.rows:
        one = row.scores
        table.add_row(
            row.searcher + ("*" if row.searcher == comparison.contract.searcher else ""),
            *(str(one.hits_at(k)) for k in CUTOFFS),
            str(len(one.unanswered)),
            str(len(one.wrongly_abstained)),
            _share(one.abstention_precision),
            _share(one.abstention_recall),
            str(len(one.corrected)),
            str(len(row.alone)),
        )
    of = f"Of {answerable} answerable and {unanswerable} unanswerable questions; * the configured searcher"
    parts: list[RenderableType] = [table, Text(of), Text()]
    parts += [Text(line) for line in _alone_lines(comparison)]
    parts += [Text(_NOTE.format(k=comparison.k)), Text()]
    settings = comparison.contract.settings_text(comparison.chunking)
    corrects = comparison.contract.correction.settings_text()
    parts.append(Text(f"Contract: {settings}. corrective is {corrects}.", style="dim"))
    return Group(*parts)


class _Asked:
    """A label as `evaluate_retrieval` reads it: its question stands for itself, since scopes may differ."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.id = self.question = evaluation.label.id
        self.answerable = evaluation.label.answerable
        self._grades = grades(evaluation)

    @property
    def scope(self) -> Scope:
        return self.evaluation.contract.scope

    def grade_of(self, chunk: Chunk) -> int:
        return self._grades.get(chunk.id, 0)


def _answerable(asked: Iterable[_Asked]) -> list[str]:
    return [one.id for one in asked if one.answerable]


def _ask(searcher: Searcher, asked: Sequence[_Asked], catalog: Catalog, k: int) -> dict[str, Any]:
    """What the searcher finds, by label id."""
    found: dict[str, Any] = {}
    for scope in dict.fromkeys(one.scope for one in asked):
        group = [one for one in asked if one.scope == scope]
        texts = [one.evaluation.label.question for one in group]
        search = searcher.correct_many if isinstance(searcher, CorrectiveSearcher) else searcher.search_many
        for one, answer in zip(group, search(texts, k, catalog.allowed(scope)), strict=True):
            found[one.id] = answer
    return found


def _close(
    found: dict[str, Any], asked: Sequence[_Asked], contract: Contract, searchers: Mapping[str, Searcher]
) -> None:
    """Leave nothing where the gate stays shut."""
    lexical = searchers["lexical"]
    if contract.gate is None or not isinstance(lexical, LexicalSearcher):
        return
    for one in asked:
        top: RankedList = list(found[one.id])[: contract.k]
        if not contract.gate.admits(lexical.best_coverage(one.evaluation.label.question, top)):
            found[one.id] = []


def _row(row: Compared) -> dict[str, Any]:
    one = row.scores
    return {
        "searcher": row.searcher,
        "answerable": one.answerable,
        "unanswerable": one.unanswerable,
        "hits": {str(k): one.hits_at(k) for k in CUTOFFS},
        "abstained": {"rightly": one.unanswered, "wrongly": one.wrongly_abstained},
        "abstention_precision": one.abstention_precision,
        "abstention_recall": one.abstention_recall,
        "corrected": one.corrected,
        "alone": row.alone,
    }


def _alone_lines(comparison: Comparison) -> list[str]:
    lines = [
        f"{row.searcher} alone answers: “{visible(' '.join(comparison.questions[row.alone[0]].split()))}” "
        f"({visible(row.alone[0])})"
        for row in comparison.rows
        if row.alone and len(comparison.rows) > 1
    ]
    return [*lines, ""] if lines else []


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
