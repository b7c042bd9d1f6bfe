"""ED402 duplicate-in-context. Invariant: two chunks are duplicates when their folded text is the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from evidencedesk.retrieval.candidates import Candidate, RankedList
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import counted, listed, named, question_of, start_of
from evidencedesk.rule import Related, Severity, Violation, asked_by, rule
from evidencedesk.text.normal import fold


@rule(
    code="ED402",
    stage="context",
    failure="duplicate_chunks",
    severity=Severity.INFORMATION,
    message="the prompt holds the same text twice: {first} at rank {rank} and {second} at rank {second_rank}{effect}",
    messages={"chunk": "the prompt for {count} holds this text and {twin}, which is the same: {labels}"},
)
def duplicate_in_context(subject: Facts, facts: Facts) -> Iterator[Violation]:
    """Two chunks with the same text reach the prompt together.

    It is information, and a warning at a question whose answer is not in the prompt: the copy took a place that the
    answer could have had. It stands at the question, and once at the chunk for all questions that get it twice.

    ## Why it matters

    The copy tells the model nothing new and costs one of k places, tokens, and the weight that repetition carries.

    ## Example

    ```markdown title="returns.md"
    # Returns

    You can return a bike within 30 days.
    ```

    ```markdown title="faq.md"
    # Questions

    You can return a bike within 30 days.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns#Returns", "evidence": "within 30 days", "grade": 2}]}]
    ```

    ## How to fix

    Keep the text in one page and link to it from the other, or remove duplicates between search and prompt.

    ## Repaired

    ```markdown title="faq.md"
    # Questions

    See the page about returns.
    ```
    """
    folded: dict[str, str] = {}
    pairs: dict[tuple[str, str], list[Evaluation]] = defaultdict(list)
    for evaluation in facts.evaluations.values():
        twins = _twins(evaluation.trace.context, folded)
        for first, second in twins:
            pairs[first.chunk.id, second.chunk.id].append(evaluation)
        if twins:
            first, second = twins[0]
            lost = evaluation.label.answerable and not evaluation.standing.in_context
            values = {
                "first": named(first.chunk),
                "rank": first.rank,
                "second": named(second.chunk),
                "second_rank": second.rank,
                "effect": "; the answer is not in it" if lost else "",
            }
            related = tuple(Related(*start_of(facts, one.chunk), f"rank {one.rank}") for one in twins[0])
            severity = Severity.WARNING if lost else Severity.INFORMATION
            yield Violation(*question_of(evaluation), values, evaluation.label.id, related, severity)
    for (one, other), evaluations in pairs.items():
        chunk, twin = facts.catalog.by_id[one], facts.catalog.by_id[other]
        labels = [evaluation.label.id for evaluation in evaluations]
        values = {"count": counted(len(labels), "question"), "twin": named(twin), "labels": listed(labels)}
        related = (Related(*start_of(facts, twin), "the same text"), *asked_by(evaluations))
        yield Violation(*start_of(facts, chunk), values, one, related, message="chunk")


def _twins(context: RankedList, folded: dict[str, str]) -> list[tuple[Candidate, Candidate]]:
    """Candidates with the text of an earlier one, each with that one; `folded` remembers texts by chunk id."""
    first: dict[str, Candidate] = {}
    twins: list[tuple[Candidate, Candidate]] = []
    for found in context:
        if found.chunk.id not in folded:
            folded[found.chunk.id] = fold(found.chunk.text)
        earlier = first.setdefault(folded[found.chunk.id], found)
        if earlier is not found:
            twins.append((earlier, found))
    return twins
