"""ED402 duplicate-in-context. Invariant: two chunks are duplicates when their folded text is the same."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.candidates import Candidate, RankedList
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import answers, named, question_of, rank_of, start_of
from evidencedesk.rule import Related, Severity, Violation, rule
from evidencedesk.text.normal import fold


@rule(
    code="ED402",
    stage="context",
    failure="duplicate_chunks",
    severity=Severity.HINT,
    message="the prompt holds the same text twice: {first} at rank {rank} and {second} at rank {second_rank}{effect}",
)
def duplicate_in_context(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
    """Two chunks with the same text reach the prompt together.

    It is a hint, and a warning where the answer would reach the prompt if each text came only once. It stands at the
    question only: the rule duplicate-chunk reports the copies in their pages.

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
    if not any(finding.label == "duplicate_chunks" for finding in subject.findings):
        return
    if twins := _first_twins(subject.trace.context):
        first, second = twins
        cost = _cost_answer(subject)
        values = {
            "first": named(first.chunk),
            "rank": first.rank,
            "second": named(second.chunk),
            "second_rank": second.rank,
            "effect": "; without such copies the answer would be in the prompt" if cost else "",
        }
        related = tuple(Related(*start_of(facts, one.chunk), f"rank {one.rank}") for one in twins)
        severity = Severity.WARNING if cost else Severity.HINT
        yield Violation(*question_of(subject), values, subject.label.id, related, severity)


def _first_twins(context: RankedList) -> tuple[Candidate, Candidate] | None:
    seen: dict[str, Candidate] = {}
    for found in context:
        earlier = seen.setdefault(fold(found.chunk.text), found)
        if earlier is not found:
            return earlier, found
    return None


def _cost_answer(subject: Evaluation) -> bool:
    """Whether the answer comes below the top k, and into it when each text counts once."""
    ranking, k = subject.rankings[subject.contract.searcher], subject.contract.k
    rank = rank_of(ranking, answers(subject))
    if rank is None or rank <= k or subject.contract.floor is not None:
        return False
    return len({fold(found.chunk.text) for found in ranking[:rank]}) <= k
