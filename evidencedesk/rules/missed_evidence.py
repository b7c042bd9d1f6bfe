"""ED301 missed-evidence. Invariant: speaks only of answers that some chunk holds whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import (
    answers,
    best_answer,
    document_of,
    field_of,
    listed,
    named,
    occurrence,
    question_of,
    quoted,
    rank_of,
    start_of,
)
from evidencedesk.rule import Related, Severity, Violation, rule
from evidencedesk.text.analysis import index_terms, query_terms


@rule(
    code="ED301",
    stage="retrieval",
    failure="missed_evidence",
    severity=Severity.WARNING,
    message="the answer is not in the top {k}: {winner}; the answer, {answer}, has rank {where}",
    messages={
        "hidden": "the answer is in {answer}, but the scope hides this document: its {field} is “{value}”",
        "evidence": "this answers {label}, “{question}”, but is not in the top {k}: {winner}{lacks}",
    },
)
def missed_evidence(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
    """The chunk that answers a question is not among those that are retrieved for it.

    The problem stands at the question, and at the answer in its page with the words of the question that are missing
    there. An answer that stands only outside the scope is reported at the question, with the field that hides it.

    ## Why it matters

    What is not retrieved cannot be answered: the reader gets "I do not know" or, worse, what the wrong chunk says.

    ## Example

    ```markdown title="returns.md"
    # Returns

    ## Money

    The amount is on your card within 5 business days.

    ## Lost parcels

    A refund for a lost parcel can take long.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long does a refund take?",
      "gold": [{"section": "returns#Money", "evidence": "within 5 business days", "grade": 2}]}]
    ```

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "section"

    [retrieval]
    searcher = "sparse"
    k = 1
    ```

    ## How to fix

    Say it in the words in which readers ask: the message at the answer lists those that its chunk lacks. Often the
    chunk relies on a heading or on the sentence before it. Where the winner is out of date or a copy, repair or remove
    it.

    ## Repaired

    ```markdown title="returns.md"
    # Returns

    ## Money

    A refund can take as long as 5 business days; you get it within 5 business days on your card.

    ## Lost parcels

    We replace a lost parcel.
    ```
    """
    gold = best_answer(subject)
    if gold is None or not subject.label.answerable or subject.standing.rank is not None:
        return
    question, answer = question_of(subject), facts.catalog.by_id[gold.holders[0]]
    values: dict[str, Any] = {"answer": named(answer)}
    if hidden := _hidden(subject, facts):
        values["field"], values["value"] = hidden
        document = document_of(facts, answer)
        related = (Related(*field_of(document, hidden[0]), f"the {hidden[0]} of {document.doc_id}"),)
        yield Violation(*question, values, subject.label.id, related, message="hidden")
        return
    ranks = {name: rank_of(ranking, answers(subject)) for name, ranking in subject.rankings.items()}
    first = [found.chunk for found in subject.retrieved[:1]]
    winner = tuple(Related(*start_of(facts, chunk), f"rank 1 for {subject.label.id}") for chunk in first)
    k, depth = subject.contract.k, max(subject.contract.k, subject.contract.depth)
    values |= {
        "k": k,
        "ranks": ranks,
        "where": ", ".join(f"{rank or f'below {depth}'} ({name})" for name, rank in ranks.items()),
        "winner": f"rank 1 is {named(first[0])}" if first else "nothing is retrieved",
        "label": subject.label.id,
        "question": quoted(subject.label.question),
        "lacks": _lacks(answer, subject.label.question),
    }
    place = occurrence(gold)
    shown = (Related(*place, "the answer"),) if place else ()
    yield Violation(*question, values, subject.label.id, (*shown, *winner))
    if place:
        asked = Related(*question, "the question")
        yield Violation(*place, values, subject.label.id, (asked, *winner), message="evidence")


def _hidden(subject: Evaluation, facts: Facts) -> tuple[str, str] | None:
    """The field and value that keep every answer out of the scope; None when a search may return one."""
    scope, found = subject.contract.scope, None
    for holder in sorted(answers(subject)):
        document = document_of(facts, facts.catalog.by_id[holder])
        if document.status not in scope.statuses:
            found = "status", document.status
        elif document.audience not in scope.audiences:
            found = "audience", document.audience
        elif scope.langs is not None and document.lang not in scope.langs:
            found = "lang", document.lang
        else:
            return None
    return found


def _lacks(answer: Chunk, question: str) -> str:
    present = set(index_terms(f"{answer.title} {answer.section} {answer.text}"))
    missing = [f"“{term}”" for term in query_terms(question) if term not in present]
    return f"; its chunk lacks the words {listed(missing, 5)}" if missing else ""
