"""ED304 unanswerable-junk. Invariant: a suggested floor is measured on this workspace's labels, never guessed."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.calibration import Calibration
from evidencedesk.retrieval.evaluation import Contract, Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import named, question_of, start_of
from evidencedesk.rule import Related, Severity, Violation, rule


@rule(
    code="ED304",
    stage="context",
    failure="irrelevant_match",
    severity=Severity.INFORMATION,
    message="nothing answers this question, but {chunks} to the prompt; the best, {best}, scores {score:.4g}"
    "{verdict}{advice}",
)
def unanswerable_junk(subject: Evaluation, facts: Facts) -> Iterator[Violation]:
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
    context, gate, grade = subject.found.context, subject.contract.gate, subject.grade
    if subject.label.answerable or not context:
        return
    ids = [chunk.id for chunk in subject.top]
    values = {
        "chunks": f"{len(context)} chunks get" if len(context) > 1 else "1 chunk gets",
        "best": named(context[0]),
        "score": subject.scores[ids.index(context[0].id)],
        "verdict": f"; the gate admits it, {gate.verdict(grade)}" if gate and grade is not None else "",
        "advice": _advice(facts.calibration, facts.contract),
    }
    ranks = ((chunk, ids.index(chunk.id) + 1) for chunk in context)
    related = tuple(Related(*start_of(facts, chunk), f"rank {rank} for {subject.label.id}") for chunk, rank in ranks)
    guarded = subject.contract.floor is not None or gate is not None
    severity = Severity.WARNING if guarded else Severity.INFORMATION
    yield Violation(*question_of(subject), values, subject.label.id, related, severity)


def _advice(found: Calibration, contract: Contract) -> str:
    name, now = ("floor", contract.floor) if contract.gate is None else ("accept", contract.gate.accept)
    if found.best is None:
        return f"; no {name} tells such chunks from answers here" if found.good else ""
    set_to = f" (now {now:g})" if now is not None else ""
    effect = f"keep {found.kept} of {found.good} answers and silence {found.dropped} of {found.junk} such questions"
    return f"; {name} = {found.best:.4g}{set_to} would {effect}"
