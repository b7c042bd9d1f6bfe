"""Facts → Problems, also from the problems of an earlier state.

Invariant: the problems are the same whatever was there before; only here selection and severity are applied.

What a rule told of a subject is kept with the paths it read (`reads`), and so is what it told of a group of shares. A
later check asks again only where a path changed (answers about labels that only moved move along: `moved`), puts the
new answers into the places of the old ones, then sifts and sorts the files in which some answer or suppression differs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

from evidencedesk.retrieval.changes import changed_keys
from evidencedesk.retrieval.evaluation import Evaluation, Evaluations
from evidencedesk.retrieval.facts import (
    ChunkedDocument,
    EqualChunks,
    EqualPages,
    Facts,
    SimilarChunks,
    UnfindablePage,
    UnusedSuppression,
)
from evidencedesk.retrieval.label_file import LabelFile
from evidencedesk.retrieval.run_file import RunFile
from evidencedesk.rule import Problem, Rule, Severity, Share, Violation
from evidencedesk.rules import RULES
from evidencedesk.workspace.moved import Moves, Told
from evidencedesk.workspace.reads import KEYS, Path, Readers, Reading, changed_paths
from evidencedesk.workspace.shown import Found, Sifted, Target, by_label_of, in_order, sift, targets_of

SUBJECTS: Mapping[type, str] = {
    ChunkedDocument: "documents",
    LabelFile: "label_files",
    RunFile: "run_files",
    Evaluation: "evaluations",
    EqualChunks: "equal_chunks",
    SimilarChunks: "similar_chunks",
    EqualPages: "equal_pages",
    UnfindablePage: "unfindable_pages",
}
"""Which of the facts holds the subjects of a type."""

_ALL = "facts"
_UNUSED = "unused"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rules run and how severe their problems are: codes or prefixes of codes; `ignore` wins over `select`."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] | None = None

    def takes(self, code: str) -> bool:
        """Whether a rule runs; with nothing selected, all do."""
        return not code.startswith(self.ignore) and (not self.select or code.startswith(self.select))

    def severity_of(self, code: str) -> Severity | None:
        """The user's own severity for a code: the longest prefix given."""
        given = self.severity or {}
        prefixes = [prefix for prefix in given if code.startswith(prefix)]
        return given[max(prefixes, key=len)] if prefixes else None


def check(facts: Facts, texts: Mapping[str, str], selection: Selection) -> tuple[Problem, ...]:
    """All problems, ordered by path, place and code."""
    return recheck(None, facts, texts, selection, lambda done, total: None).problems


@dataclass(frozen=True, slots=True)
class _Answers:
    """What the rules told of one subject, by code; `reads` is all that any of them read."""

    reads: frozenset[Path]
    told: Mapping[str, Told]


_NOTHING = Told()
_NO_ANSWERS = _Answers(frozenset(), {})

_Source = tuple[str, str, Hashable]
"""Who told something: a rule's code, the subject's field and key (of a group: the field is empty)."""
_Group = tuple[str, Hashable]
"""A rule's code and the key under which subjects share."""
_Members = dict[tuple[str, Hashable], tuple[Any, ...]]
"""Fields and keys of subjects, and the values they share."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The problems of one state, and all that the next check may keep of it."""

    problems: tuple[Problem, ...]
    selection: Selection
    facts: Facts | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, Mapping[Hashable, _Answers]] = field(default_factory=dict)
    groups: Mapping[_Group, _Members] = field(default_factory=dict)
    joined: Mapping[_Group, Told] = field(default_factory=dict)
    found: Mapping[str, dict[_Source, tuple[Found, ...]]] = field(default_factory=dict)
    targets: Mapping[str, tuple[Target, ...]] = field(default_factory=dict)
    sifted: Mapping[str, Sifted] = field(default_factory=dict)
    unused: Mapping[Hashable, UnusedSuppression] = field(default_factory=dict)
    shown: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    readers: Mapping[str, Readers] = field(default_factory=lambda: defaultdict(Readers))
    """Of the subjects by field, and of the groups (the field is empty)."""


def recheck(
    before: Checked | None,
    facts: Facts,
    texts: Mapping[str, str],
    selection: Selection,
    progress: Callable[[int, int], None],
) -> Checked:
    """The problems of these facts; `texts` holds the text of every file in which a problem may stand.

    `progress` is told how many subjects were checked, and how many are to be checked.
    """
    if before is None or before.facts is None or before.selection != selection:
        return _Check(Checked((), selection), facts, texts, progress).run(set())
    changed = changed_paths(before.facts, facts)
    changed.update(("texts", path) for path in changed_keys(before.texts, texts))
    return _Check(before, facts, texts, progress).run(changed)


class _Check:
    """One check. It replaces entries in copies of what was kept, so that a check that is given up leaves no trace."""

    def __init__(
        self, before: Checked, facts: Facts, texts: Mapping[str, str], progress: Callable[[int, int], None]
    ) -> None:
        self._before = before
        self._facts = facts
        self._texts = texts
        self._progress = progress
        self._changed: set[Path] = set()
        self._moves: Moves | None = None
        self._carried: set[_Source] = set()
        self._reading = Reading(facts)
        self._readers = before.readers
        selection = before.selection
        self._rules = [rule for rule in RULES if selection.takes(rule.code)]
        self._severities = {rule.code: selection.severity_of(rule.code) for rule in self._rules}
        self._groups: dict[_Group, _Members] = dict(before.groups)
        self._joined = dict(before.joined)
        self._stirred: dict[_Group, bool] = {}
        self._found: dict[str, dict[_Source, tuple[Found, ...]]] = dict(before.found)
        self._copied: set[str] = set()
        self._touched: set[str] = set()
        self._positions: dict[tuple[bool, str], Mapping[Hashable, int]] = {}

    def run(self, changed: set[Path]) -> Checked:
        self._changed, before = changed, self._before
        if before.facts is not None:
            self._moves = Moves(before.facts, self._facts, before.texts, self._texts, changed)
        answers = {name: self._ask_all(name, getattr(self._facts, name), subject) for subject, name in SUBJECTS.items()}
        answers[_ALL] = self._ask_all(_ALL, {_ALL: self._facts}, Facts)
        self._join_all()
        targets = self._targets()
        sifted = self._sift(targets)
        unused = self._unused(targets, sifted)
        self._changed = changed | {(_UNUSED, key) for key in changed_keys(self._before.unused, unused)}
        answers[_UNUSED] = self._ask_all(_UNUSED, unused, UnusedSuppression)
        shown = dict(self._before.shown)
        for path in self._touched:
            # What tells of suppressions is not suppressed.
            told = (found for source, found in self._told(path) if source[1] == _UNUSED)
            visible = sifted[path].visible if path in sifted else ()
            problems = in_order([*visible, *(problem for problem, _ in chain.from_iterable(told))])
            _put(shown, path, problems)
        return Checked(
            problems=tuple(chain.from_iterable(shown[path] for path in sorted(shown))),
            selection=self._before.selection,
            facts=self._facts,
            texts=self._texts,
            answers=answers,
            groups=self._groups,
            joined=self._joined,
            found=self._found,
            targets=targets,
            sifted=sifted,
            unused=unused,
            shown=shown,
            readers=self._readers,
        )

    # What rules say of subjects

    def _ask_all(self, name: str, subjects: Mapping[Any, Any], kind: type) -> Mapping[Hashable, _Answers]:
        """What the rules tell of each subject of a kind, asked again where something that was read is another now."""
        rules = [rule for rule in self._rules if kind in rule.subjects]
        known = self._before.answers.get(name, {})
        again = list(subjects)
        if name in self._before.answers:
            own = dict.fromkeys(path[1] for path in self._changed if len(path) == 2 and path[0] == name)
            again = [key for key in own if key in known or key in subjects]
            again += [key for key in self._readers[name].in_doubt(known, self._changed) if key not in own]
        if not again or not rules:
            return known
        kept = dict(known)
        for done, key in enumerate(again):
            self._progress(done, len(again))
            before = kept.pop(key, _NO_ANSWERS)
            if key in subjects:
                kept[key] = now = self._ask(name, key, self._seen(name, key, subjects), rules, before)
                self._readers[name].add(key, now.reads - before.reads)
            else:
                now = _NO_ANSWERS
            for code in {**before.told, **now.told}:
                self._replace((code, name, key), before.told.get(code, _NOTHING), now.told.get(code, _NOTHING))
        return kept

    def _ask(self, name: str, key: Hashable, seen: Any, rules: Sequence[Rule], before: _Answers) -> _Answers:
        own: Path = (name, key)
        is_new = not before.reads or own in self._changed
        told = {}
        for rule in rules:
            answer = before.told.get(rule.code)
            if is_new or (answer is not None and not answer.reads.isdisjoint(self._changed)):
                answer = None if is_new or answer is None else self._carry(answer)
                if answer is not None:
                    self._carried.add((rule.code, name, key))
                else:
                    answer = self._listen(rule, rule.check(seen, self._reading.facts), seen)
            # Most rules read nothing but their subject and say nothing of it, which need not be kept.
            if answer is not None and (answer.problems or answer.shares or answer.reads):
                told[rule.code] = answer
        return _Answers(frozenset({own}).union(*(answer.reads for answer in told.values())), told)

    def _seen(self, name: str, key: Hashable, subjects: Mapping[Any, Any]) -> Any:
        """A subject as rules are given it: what is read of it is noted, if it has parts that change alone."""
        if name == _ALL:
            return self._reading.facts
        if isinstance(subjects, Evaluations):
            seen = self._reading.facts.evaluations[str(key)]
            self._reading.taken()
            return seen
        return subjects[key]

    def _carry(self, told: Told) -> Told | None:
        """The answer that is given now, where that is known without asking again."""
        moves = self._moves
        return moves.carried(told) if moves and told.reads & self._changed <= moves.paths else None

    def _listen(self, rule: Rule, telling: Iterable[Violation | Share], subject: Any) -> Told:
        problems: list[Found] = []
        shares: list[Share] = []
        for told in telling:
            if isinstance(told, Share):
                shares.append(told)
                continue
            fixes = tuple(rule.fix(subject, self._reading.facts, told)) if rule.fix else ()
            self._reading.note(("texts", told.path))
            text = self._texts.get(told.path, "")
            problems.append((rule.problem(told, text, fixes, self._severities[rule.code]), told.subject))
        return Told(self._reading.taken(), tuple(problems), tuple(shares))

    def _replace(self, source: _Source, old: Told, new: Told) -> None:
        """Let what was told take the place of what was told before."""
        if old is new or not (old.problems or new.problems or old.shares or new.shares):
            return
        code, name, key = source
        for path in {problem.path for problem, _ in (*old.problems, *new.problems)}:
            self._touched.add(path)
            if path not in self._copied:
                self._copied.add(path)
                self._found[path] = dict(self._found.get(path, {}))
            here = tuple(found for found in new.problems if found[0].path == path)
            _put(self._found[path], source, here)
        for shared in {share.key for share in (*old.shares, *new.shares)}:
            group = code, shared
            if group not in self._stirred:
                self._groups[group] = dict(self._groups.get(group, {}))
            self._stirred[group] = self._stirred.get(group, True) and source in self._carried
            _put(self._groups[group], (name, key), tuple(share.value for share in new.shares if share.key == shared))

    # What rules say of groups

    def _join_all(self) -> None:
        rules = {rule.code: rule for rule in self._rules}
        # Whether all members of a group are the same, but for where labels stand.
        again: dict[_Group, bool] = dict.fromkeys(self._readers[""].in_doubt(self._joined, self._changed), True)
        again |= self._stirred
        moved = {name for name in SUBJECTS.values() if (name, KEYS) in self._changed}
        if moved:
            again.update((group, False) for group, members in self._groups.items() if self._is_reordered(members))
        for done, (group, is_same) in enumerate(again.items()):
            self._progress(done, len(again))
            code, key = group
            members, rule = self._groups.get(group), rules[code]
            old, new = self._joined.get(group, _NOTHING), _NOTHING
            if members and rule.join:
                new = (self._carry(old) if is_same else None) or self._join(rule, key, members)
            else:
                self._groups.pop(group, None)
            self._replace((code, "", key), old, new)
            self._readers[""].add(group, new.reads - old.reads)
            _put(self._joined, group, new, keep=bool(members))

    def _join(self, rule: Rule, key: Hashable, members: _Members) -> Told:
        pairs = list(self._members(members, rule))
        return self._listen(rule, rule.join(key, pairs, self._reading.facts) if rule.join else (), pairs[0][0])

    def _members(self, members: _Members, rule: Rule) -> Iterator[tuple[Any, Any]]:
        """The subjects that share under one key, each with each of its values; in the order of the facts."""
        names = [SUBJECTS[of] for of in rule.subjects]
        ordered = list(members)
        if len(ordered) > 1:
            ordered.sort(key=lambda member: (names.index(member[0]), self._position(*member)))
        for name, key in ordered:
            seen = getattr(self._reading.facts, name)[key]
            yield from ((seen, value) for value in members[name, key])

    def _is_reordered(self, members: _Members) -> bool:
        """Whether some of them stood in another order among the facts before; new ones are known to be new."""
        places = sorted((name, self._position(name, key), self._position_before(name, key)) for name, key in members)
        return any(
            name == other and earlier > later
            for (name, _, earlier), (other, _, later) in pairwise(places)
            if later >= 0
        )

    def _position(self, name: str, key: Hashable) -> int:
        return self._places(self._facts, name)[key]

    def _position_before(self, name: str, key: Hashable) -> int:
        return self._places(self._before.facts, name).get(key, -1) if self._before.facts else -1

    def _places(self, facts: Facts, name: str) -> Mapping[Hashable, int]:
        if (facts is self._facts, name) not in self._positions:
            places = {known: place for place, known in enumerate(getattr(facts, name))}
            self._positions[facts is self._facts, name] = places
        return self._positions[facts is self._facts, name]

    # What is shown of it

    def _targets(self) -> Mapping[str, tuple[Target, ...]]:
        """The suppressions of each file that holds any."""
        targets = dict(self._before.targets)
        for name in ("documents", "label_files"):
            files = getattr(self._facts, name)
            for path in changed_keys(getattr(self._before.facts, name, {}), files):
                targets.pop(path, None)
                if path in files and (here := tuple(targets_of(files[path]))):
                    targets[path] = here
        return targets

    def _sift(self, targets: Mapping[str, tuple[Target, ...]]) -> Mapping[str, Sifted]:
        """What is visible of each file's problems; `_touched` grows by files whose suppressions are others now."""
        before = self._before
        sifted = dict(before.sifted)
        by_label, old = by_label_of(targets), by_label_of(before.targets)
        labels = {label for label in {**by_label, **old} if by_label.get(label) != old.get(label)}
        self._touched.update(path for path in changed_keys(before.targets, targets))
        if labels:
            self._touched.update(path for path, one in sifted.items() if not labels.isdisjoint(one.subjects))
        for path in self._touched:
            found = list(chain.from_iterable(found for source, found in self._told(path) if source[1] != _UNUSED))
            _put(sifted, path, sift(found, targets.get(path, ()), by_label), keep=bool(found))
        return sifted

    def _told(self, path: str) -> list[tuple[_Source, tuple[Found, ...]]]:
        """What was told of a file, in an order that does not depend on when it was told."""
        told = self._found.get(path, {})
        return sorted(told.items(), key=lambda item: (*item[0][:2], str(item[0][2])))

    def _unused(
        self, targets: Mapping[str, tuple[Target, ...]], sifted: Mapping[str, Sifted]
    ) -> Mapping[Hashable, UnusedSuppression]:
        """The suppressions that hide nothing."""
        if not targets:
            return {}
        hiding = frozenset[Target]().union(*(one.hiding for one in sifted.values() if one.hiding))
        before, takes = self._before.unused, self._before.selection.takes
        found: dict[Hashable, UnusedSuppression] = {}
        for target in chain.from_iterable(targets.values()):
            if target.code in self._facts.rule_codes and takes(target.code) and target not in hiding:
                one = UnusedSuppression(target.path, target.code, target.span, target.whole)
                key = target.path, target.span, target.code
                found[key] = before[key] if before.get(key) == one else one
        return found


def _put(entries: dict[Any, Any], key: Hashable, value: Any, *, keep: bool | None = None) -> None:
    """Set an entry, or take it away when there is nothing in it."""
    if value if keep is None else keep:
        entries[key] = value
    else:
        entries.pop(key, None)
