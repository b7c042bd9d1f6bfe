"""ED304 unanswerable-junk. Invariant: a suggested floor is measured on this workspace's labels, never guessed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from evidencedesk.retrieval.evaluation import Contract, Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import answers, named, question_of, start_of
from evidencedesk.rule import Related, Severity, Share, Violation, rule


class _Asked(NamedTuple):
    """A question: whether nothing answers it, what floor or gate judge it by, and whether anything entered its prompt.

    What is judged is the first chunk, or the first that answers.
    """

    junk: bool
    score: float
    prompted: bool


def _with_advice(key: str, members: Sequence[tuple[Evaluation, _Asked]], facts: Facts) -> Iterator[Violation]:
    told = [evaluation for evaluation, asked in members if asked.junk and asked.prompted]
    advice = _advice([asked for _, asked in members], facts.contract) if told else ""
    for evaluation in told:
        context, gate, grade = evaluation.found.context, evaluation.contract.gate, evaluation.grade
        ids = [chunk.id for chunk in evaluation.top]
        values = {
            "chunks": f"{len(context)} chunks get" if len(context) > 1 else "1 chunk gets",
            "best": named(context[0]),
            "score": evaluation.scores[ids.index(context[0].id)],
            "verdict": f"; the gate admits it, {gate.verdict(grade)}" if gate and grade is not None else "",
            "advice": advice,
        }
        related = tuple(
            Related(*start_of(facts, chunk), f"rank {ids.index(chunk.id) + 1} for {evaluation.label.id}")
            for chunk in context
        )
        guarded = evaluation.contract.floor is not None or gate is not None
        severity = Severity.WARNING if guarded else Severity.INFORMATION
        yield Violation(*question_of(evaluation), values, evaluation.label.id, related, severity)


@rule(
    code="ED304",
    stage="context",
    failure="irrelevant_match",
    severity=Severity.INFORMATION,
    message="nothing answers this question, but {chunks} to the prompt; the best, {best}, scores {score:.4g}"
    "{verdict}{advice}",
    join=_with_advice,
)
def unanswerable_junk(subject: Evaluation, facts: Facts) -> Iterator[Share]:
    """A question that the knowledge base does not answer still brings chunks into the prompt.

    It is a warning where a floor or a gate is set, since that should have stopped them, and information where none is.
    The message names the floor, or the gate's bar, that makes the fewest wrong decisions on the labels of this
    workspace, if any helps.

    ## Why it matters

    A model that is given text about something else tends to answer from it instead of saying that it does not know.

    ## Example

    ```markdown title="returns.md"
    # Returns

    You can return a bike within 30 days.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "Do you sell a bike for children?", "answerable": false}]
    ```

    ```toml title="evidencedesk.toml"
    [retrieval]
    searcher = "sparse"
    ```

    ## How to fix

    Set `retrieval.floor` to a score that answers reach and such questions do not. Ranks tell junk from answers badly,
    so a floor works with the scores of `dense` or `sparse`, hardly with those of `hybrid`. A gate works with all of
    them: `[retrieval.gate]` asks how much of the question the chunks speak about. Where the knowledge base does answer
    the question, the label is wrong: set `answerable` and give the gold.

    ## Repaired

    ```markdown title="returns.md"
    # Returns

    You can send it back within 30 days.
    ```
    """
    junk, wanted = not subject.label.answerable, answers(subject)
    for chunk, score in zip(subject.top, subject.scores, strict=True):
        if junk or chunk.id in wanted:
            gated = subject.contract.gate is not None
            yield Share("", _Asked(junk, (subject.grade or 0.0) if gated else score, bool(subject.found.context)))
            return


def _advice(asked: Sequence[_Asked], contract: Contract) -> str:
    junk = [one.score for one in asked if one.junk]
    good = [one.score for one in asked if not one.junk]
    name, now = ("floor", contract.floor) if contract.gate is None else ("accept", contract.gate.accept)
    best = best_floor(junk, good)
    if best is None:
        return f"; no {name} tells such chunks from answers here" if good else ""
    kept = sum(score >= best for score in good)
    dropped = sum(score < best for score in junk)
    set_to = f" (now {now:g})" if now is not None else ""
    effect = f"keep {kept} of {len(good)} answers and silence {dropped} of {len(junk)} such questions"
    return f"; {name} = {best:.4g}{set_to} would {effect}"


def best_floor(junk: list[float], good: list[float]) -> float | None:
    """The floor with the fewest wrong decisions: junk that passes plus answers that do not.

    The smallest of equals, halfway between two scores, in four digits where those still separate them. None when it is
    no better than no floor at all, or when no answer has a score.
    """
    if not good:
        return None
    junk, good = sorted(junk), sorted(good)
    scores = sorted({*junk, *good})
    best, floor = len(junk), None
    for low, high in pairwise(scores):
        wrong = len(junk) - bisect_left(junk, high) + bisect_left(good, high)
        if wrong < best:
            middle = (low + high) / 2
            short = float(f"{middle:.4g}")
            best, floor = wrong, short if low < short <= high else high
    return floor
