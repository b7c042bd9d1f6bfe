"""ED301 missed-evidence. Invariant: speaks only of answers that some chunk holds whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evidencedesk.documents.document import Document
from evidencedesk.retrieval import places
from evidencedesk.retrieval.catalog import Scope
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.rule import Related, Severity, Share, Violation, rule
from evidencedesk.text.analysis import index_terms, query_terms
from evidencedesk.text.stop_words import STOP_WORDS_BY_LANG


def _on_page(place: places.Place, asked: Sequence[tuple[Evaluation, Chunk]], facts: Facts) -> Iterator[Violation]:
    evaluation, answer = asked[0]
    questions = tuple(Related(*places.question_of(one), f"{one.label.id}: {_winner(one)}") for one, _ in asked[:5])
    ids = [one.label.id for one, _ in asked]
    values = {"k": evaluation.contract.k, "labels": places.listed(ids), "count": len(asked)}
    if len(asked) == 1:
        values |= {"question": places.quoted(evaluation.label.question), "winner": _winner(evaluation)}
        values["lacks"] = _lacks(evaluation, answer)
        questions = (*questions, *_rank_1(evaluation, facts))
    message = "one" if len(asked) == 1 else "several"
    yield Violation(*place, values, answer.doc_id, questions, message=message)


@rule(
    code="ED301",
    stage="retrieval",
    failure="missed_evidence",
    severity=Severity.WARNING,
    message="the answer is not in the top {k}: {winner}; the answer, {answer}, has rank {where}",
    messages={
        "hidden": "the answer is in {answer}, but the scope hides this document: its {field} is “{value}”",
        "one": "this answers {labels}, “{question}”, but is not in the top {k}: {winner}{lacks}",
        "several": "this answers {count} questions and is not in the top {k} for any of them: {labels}",
    },
    join=_on_page,
)
def missed_evidence(subject: Evaluation, facts: Facts) -> Iterator[Violation | Share]:
    """The chunk that answers a question is not among those that are retrieved for it.

    The problem stands at the question, and once at the answer in its page for all questions that miss it. An answer
    that stands only outside the scope is reported at the question, with the field that hides it.

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
    gold, label = places.best_answer(subject), subject.label
    if gold is None or not label.answerable or subject.standing.rank is not None:
        return
    question, answer = places.question_of(subject), places.chunk_of(facts, gold.holders[0])
    if field := _hidden(subject, facts):
        document = places.document_of(facts, answer)
        at = Related(*places.field_of(document, field), f"the {field} of {document.doc_id}")
        hiding = {"answer": places.named(answer), "field": field, "value": getattr(document, field)}
        yield Violation(*question, hiding, label.id, (at,), message="hidden")
        return
    wanted, k = places.answers(subject), subject.contract.k
    ranks = {name: places.rank_of(ranking, wanted) for name, ranking in subject.found.rankings.items()}
    below = f"below {max(k, subject.contract.depth)}"
    where = ", ".join(f"{rank or below} ({name})" for name, rank in ranks.items())
    values = {"k": k, "answer": places.named(answer), "where": where, "ranks": ranks, "winner": _winner(subject)}
    place = places.occurrence(gold)
    shown = (Related(*place, "the answer"),) if place else ()
    yield Violation(*question, values, label.id, (*shown, *_rank_1(subject, facts)))
    if place and "ED301" not in label.ignore:
        yield Share(place, answer)


def _hidden(evaluation: Evaluation, facts: Facts) -> str:
    """The field that keeps the answers out of the scope; "" when a search may return one of them."""
    holders = (places.chunk_of(facts, holder) for holder in sorted(places.answers(evaluation)))
    fields = [_outside(places.document_of(facts, chunk), evaluation.contract.scope) for chunk in holders]
    return fields[0] if all(fields) else ""


def _outside(document: Document, scope: Scope) -> str:
    admitted = {"status": scope.statuses, "audience": scope.audiences, "lang": scope.langs}
    return next((name for name, values in admitted.items() if values and getattr(document, name) not in values), "")


def _winner(evaluation: Evaluation) -> str:
    top = evaluation.top
    return f"rank 1 is {places.named(top[0])}" if top else "nothing is retrieved"


def _rank_1(evaluation: Evaluation, facts: Facts) -> tuple[Related, ...]:
    return tuple(Related(*places.start_of(facts, chunk), "rank 1") for chunk in evaluation.top[:1])


def _lacks(evaluation: Evaluation, answer: Chunk) -> str:
    """The words of the question that rank 1 says and the answer's chunk does not."""
    said = set(index_terms(evaluation.top[0].text) if evaluation.top else ())
    lacking = said.difference(index_terms(answer.text), STOP_WORDS_BY_LANG.get(answer.lang, ()))
    missing = [f"“{term}”" for term in query_terms(evaluation.label.question) if len(term) > 1 and term in lacking]
    return f", which says {places.listed(missing, 5)} where the answer's chunk does not" if missing else ""
