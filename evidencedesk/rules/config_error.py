"""ED903 config-error. Invariant: every defect of the configuration is told at its place."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts
from evidencedesk.rule import Severity, Violation, rule


@rule(code="ED903", stage="control", failure="", severity=Severity.ERROR, message="{message}")
def config_error(subject: Facts, facts: Facts) -> Iterator[Violation]:
    """The configuration has a key that does not exist, or a value that is not accepted.

    ## Why it matters

    A misspelt key would be passed over in silence, and everything be checked with another setting than the one you
    wrote. What is wrong counts as unset; `evidencedesk check` ends with exit code 2.

    ## Example

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "paragraphs"
    ```

    ```markdown title="tyres.md"
    # Tyres

    Road tyres take 7 bar.
    ```

    ## How to fix

    The message says what is accepted. `evidencedesk init` writes a configuration with every key explained.

    ## Repaired

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "paragraph"
    ```
    """
    for defect in subject.config_defects:
        yield Violation(defect.path, defect.span, {"message": defect.message}, defect.message)
