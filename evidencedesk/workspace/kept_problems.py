"""The problems of a large folder, kept to be shown while it is evaluated again. Invariant: only for the same texts.

They are what was seen last, without what an editor asks for later (fixes, values) and without regressions, which an
evaluation tells anew. What it says of dates may differ from one day to the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from operator import attrgetter

from evidencedesk.rule import Problem, Related, Severity
from evidencedesk.text.spans import Span
from evidencedesk.workspace.cache import Cache, key_of, program_hash
from evidencedesk.workspace.columns import Codec, UnreadableError, UnwritableError
from evidencedesk.workspace.pipeline import Inputs

_REGRESSIONS = "ED6"


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is shown of a Problem."""

    code: str
    name: str
    severity: Severity
    path: str
    span: Span
    message: str
    related: tuple[Related, ...]
    fingerprint: str


_parts_of = attrgetter(*(field.name for field in fields(_Shown)))
_SHOWN: Codec[tuple[_Shown, ...]] = Codec(tuple[_Shown, ...])


class KeptProblems:
    """What a workspace's cache holds of its problems: those of one state."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._key = b""

    def recall(self, inputs: Inputs) -> Sequence[Problem] | None:
        """The problems that were told last; None where any text or setting was another one then."""
        self._key = _key(inputs)
        record = self._cache.get(self._key)
        if record is not None:
            with suppress(UnreadableError):
                return [_problem(one) for one in _SHOWN.decode(record)]
        return None

    def remember(self, inputs: Inputs, problems: Sequence[Problem]) -> None:
        """Keep the problems of a state instead of those kept before; flush the cache afterwards."""
        key = _key(inputs)
        if key == self._key and self._cache.holds(key):
            return
        self._cache.discard(self._key)
        self._key = key
        shown = (_Shown(*_parts_of(problem)) for problem in problems if not problem.code.startswith(_REGRESSIONS))
        with suppress(UnwritableError):
            self._cache.put(key, _SHOWN.encode(tuple(shown)))


def texts_of(inputs: Inputs) -> Mapping[str, str]:
    """The texts of all files in which a problem can stand, by path."""
    files = (inputs.documents, inputs.label_files, inputs.run_files)
    return {**inputs.other_texts, **{path: source.text for of_kind in files for path, source in of_kind.items()}}


def _key(inputs: Inputs) -> bytes:
    return key_of("problems", program_hash(), _SHOWN.schema, inputs.config.model_dump_json(), *_parts(inputs))


def _parts(inputs: Inputs) -> Iterator[str]:
    for kind, files in (("page", inputs.documents), ("labels", inputs.label_files), ("runs", inputs.run_files)):
        for source in files.values():
            yield from (kind, source.path, source.text, repr((source.bad, source.error)))
    for path, text in inputs.other_texts.items():
        yield from ("other", path, text)


def _problem(one: _Shown) -> Problem:
    return Problem(
        one.code, one.name, one.severity, one.path, one.span, one.message, one.related, (), one.fingerprint, {}
    )
