"""Workspace: the files of one folder and their Snapshot. Invariant: after any changes it equals a fresh one's."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from evidencedesk.retrieval.evaluation import Evaluation, Evaluations, Standing
from evidencedesk.retrieval.facts import ConfigDefect
from evidencedesk.retrieval.searchers import Searcher
from evidencedesk.rule import Problem
from evidencedesk.workspace.baseline import BASELINE_PATH, Baseline, parse_baseline, write_baseline
from evidencedesk.workspace.cache import Cache
from evidencedesk.workspace.config import CONFIG_NAMES, Config, holds_config, parse_config
from evidencedesk.workspace.divergence import demand_equal
from evidencedesk.workspace.files import Source, check_root, discover, kind_of, read_source
from evidencedesk.workspace.kept_problems import KeptProblems, texts_of
from evidencedesk.workspace.kept_state import KeptState
from evidencedesk.workspace.memo import Memo
from evidencedesk.workspace.pipeline import Inputs, Progress, build_index, build_snapshot, index_of, packed
from evidencedesk.workspace.reading import Reader, helpers_here, is_large
from evidencedesk.workspace.snapshot import Snapshot

PARANOID = "EVIDENCEDESK_PARANOID"
"""An environment variable; where it is `1`, every snapshot is compared with a fresh one of the same files."""


Early = Callable[[Sequence[Problem], Mapping[str, str]], None]
"""Told problems, and the texts that they stand in."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file's new text, as in an editor's buffer; None when the file is gone. `path` is below the root, with `/`."""

    path: str
    text: str | None


class Workspace:
    """One folder, kept evaluated. Make one with `Workspace.open`.

    Texts given to `apply` overlay the disk until `refresh` is called for their path. Regressions are told against the
    folder's baseline file; without one, against the best that each question has been in the states that were saved
    since the folder was opened, so that a loss stays visible until it is mended or accepted.

    `progress` may raise Cancelled: the present snapshot stays, and the next one counts all changes made meanwhile.
    """

    def __init__(
        self, root: Path, today: date, progress: Progress, defaults: Config, cache: bool, early: Early | None
    ) -> None:
        self.root = root
        self._defaults = defaults
        self._today = today
        self._progress = progress
        self._memo = Memo()
        self._overlay: dict[str, str | None] = {}
        self._documents: Mapping[str, Source] = {}
        self._label_files: Mapping[str, Source] = {}
        self._run_files: Mapping[str, Source] = {}
        self._saved: Mapping[str, Standing] = {}
        self._revision = 0
        self._inputs: Inputs | None = None
        self._settings: Source | None = None
        self._config, self._config_defects = defaults, tuple[ConfigDefect, ...]()
        self._baseline: tuple[Source, Baseline, tuple[ConfigDefect, ...]] | None = None
        with _no_garbage():
            self._read_settings()
            self._read_files()
            texts = (source.text for source in self._documents.values())
            self._cache = Cache.of(root, self._config.cache) if cache and is_large(texts) else None
            self._reader = Reader(self._cache, helpers_here())
            self._kept = KeptState(self._cache) if self._cache else None
            self._kept_problems = KeptProblems(self._cache) if self._cache else None
            if early:
                self._tell_early(early)
            self._snapshot = self._evaluate()
            self.mark_saved()
            self.keep()

    @classmethod
    def open(
        cls,
        root: str | Path,
        *,
        today: date | None = None,
        progress: Progress | None = None,
        defaults: Config | None = None,
        cache: bool = False,
        early: Early | None = None,
    ) -> Workspace:
        """Read and evaluate a folder.

        `today` is the day by which dates are judged (None: the current one); `progress` is called as work goes on;
        `defaults` are the settings of a folder that no file configures, such as those of an editor; with `cache` what
        is read of a large folder is kept on disk, in the folder where it may be written, for the next time. `early` is
        called before anything is evaluated with the problems that the same texts had last, where they were kept, and
        with these texts.
        Raises InputError when the folder does not exist or holds much more than a knowledge base.
        """
        root, today = check_root(Path(root)), today or date.today()
        return cls(root, today, progress or _silent, defaults or Config(), cache, early)

    @property
    def snapshot(self) -> Snapshot:
        """The present state."""
        return self._snapshot

    @property
    def config(self) -> Config:
        """The settings in force."""
        return self._config

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what could not be looked at when the folder was read, and what was wrong with the cache."""
        return (*self._notes, *(self._cache.notes if self._cache else ()))

    @property
    def searchers(self) -> Mapping[str, Searcher]:
        """The searchers over the present chunks, by name; the configured one with its ranking as evaluated.

        They find a page that has only moved since with its chunks as they stood then; as they stand now
        `snapshot.facts.catalog` has them.
        """
        index = index_of(self._inputs or self._present_inputs(), self._memo, self._progress, self._reader)
        if index.diversified is None:
            return index.searchers
        return {**index.searchers, index.diversified.name: index.diversified}

    def apply(self, changes: Iterable[Change]) -> Snapshot:
        """The state after these changes, made in order; only documents whose text changed are read and cut again."""
        for change in changes:
            self._overlay[change.path] = change.text
            self._take(change.path)
        self._snapshot = self._evaluate()
        return self._snapshot

    def refresh(self, paths: Iterable[str]) -> Snapshot:
        """The state with these files as they are on disk now; what was applied for them is forgotten."""
        for path in paths:
            self._overlay.pop(path, None)
            self._take(path)
        self._snapshot = self._evaluate()
        return self._snapshot

    def tidy(self) -> None:
        """Make changes to come and the next opening cheaper; changes no result. For idle moments: it takes a while."""
        self._memo.replace(build_index, packed)
        self._keep_problems()

    def mark_saved(self) -> None:
        """Say that the present state is saved: questions that fare no worse are measured against it from now on."""
        self._saved = {
            label_id: min((standing, self._saved.get(label_id, standing)), key=_goodness)
            for label_id, standing in standings(self._snapshot.evaluations).items()
        }

    def accept_baseline(self, *, create: bool = False) -> Snapshot:
        """Make the present state what later ones are measured against, also in the baseline file when there is one.

        With `create` the file is made. Raises InputError when it cannot be written.
        """
        facts = self._snapshot.facts
        self._saved = standings(facts.evaluations)
        if create or self._read(BASELINE_PATH) is not None:
            write_baseline(self.root, Baseline(facts.contract.settings_text(facts.chunking), self._saved))
            self._overlay.pop(BASELINE_PATH, None)
        self._snapshot = self._evaluate()
        return self._snapshot

    def keep(self) -> None:
        """Have the next opening start from the present state, where there is a cache; for idle moments."""
        if self._kept is not None and self._cache is not None:
            # Documents stay longer than states do, and these longer than problems, so each have files of their own.
            self._cache.flush()
            self._kept.write()
            self._cache.flush()
            self._keep_problems()

    def _tell_early(self, early: Early) -> None:
        inputs = self._present_inputs()
        problems = self._kept_problems.recall(inputs) if self._kept_problems is not None else None
        if problems is not None:
            early(problems, texts_of(inputs))

    def _keep_problems(self) -> None:
        if self._kept_problems is not None and self._cache is not None and self._inputs is not None:
            self._kept_problems.remember(self._inputs, self._snapshot.problems)
            self._cache.flush()

    def _read(self, path: str) -> Source | None:
        """A file as the editor holds it, else as the disk does; None when there is none."""
        if path in self._overlay:
            text = self._overlay[path]
            return None if text is None else Source(path, text)
        return read_source(self.root, path) if (self.root / path).is_file() else None

    def _read_settings(self) -> None:
        sources = filter(None, map(self._read, CONFIG_NAMES))
        settings = next((source for source in sources if holds_config(source.path, source.text)), None)
        if settings == self._settings:
            return
        self._settings, self._config, self._config_defects = settings, self._defaults, ()
        if settings is not None:
            self._config, self._config_defects = parse_config(settings.path, settings.text)

    def _read_files(self) -> None:
        """Look at the whole folder again; files that are as they were keep their results."""
        known = self._documents, self._label_files, self._run_files
        found = discover(self.root, self._config)
        self._notes = found.notes
        self._documents = {path: source for path in found.documents if (source := self._reread(path, known))}
        self._label_files = {path: source for path in found.label_files if (source := self._reread(path, known))}
        self._run_files = {path: source for path in found.run_files if (source := self._reread(path, known))}
        for path in self._overlay:
            self._place(path, self._reread(path, known))

    def _reread(self, path: str, known: Iterable[Mapping[str, Source]]) -> Source | None:
        """A file as it is now; the same object as before where that is equal."""
        source = self._read(path)
        return next((files[path] for files in known if path in files and files[path] == source), source)

    def _take(self, path: str) -> None:
        """Let a file that may have changed take effect."""
        if path in CONFIG_NAMES:
            self._read_settings()
            self._read_files()
        elif path.rpartition("/")[2] == ".gitignore":
            self._read_files()
        else:
            self._place(path, self._reread(path, (self._documents, self._label_files, self._run_files)))

    def _place(self, path: str, source: Source | None) -> None:
        kind = kind_of(self.root, self._config, path, source.text) if source else None
        self._documents = _with(self._documents, path, source if kind == "document" else None)
        self._label_files = _with(self._label_files, path, source if kind == "labels" else None)
        self._run_files = _with(self._run_files, path, source if kind == "runs" else None)

    def _evaluate(self) -> Snapshot:
        """The snapshot of the present inputs; the present one when they are equal to those it was made of."""
        inputs = self._present_inputs()
        if inputs == self._inputs:
            return self._snapshot
        try:
            snapshot = build_snapshot(inputs, self._memo, self._revision + 1, self._progress, self._reader, self._kept)
        except BaseException:
            # What was read before somebody gave up is not read again.
            if self._cache is not None:
                self._cache.flush()
            raise
        if os.environ.get(PARANOID) == "1":
            demand_equal(snapshot, build_snapshot(inputs, Memo(), self._revision + 1, _silent))
        self._inputs = inputs
        self._revision += 1
        return snapshot

    def _present_inputs(self) -> Inputs:
        others = {self._settings.path: self._settings.text} if self._settings else {}
        before, before_name = self._saved, "the last saved state"
        defects = self._config_defects
        if (source := self._read(BASELINE_PATH)) is not None:
            if self._baseline is None or self._baseline[0] != source:
                self._baseline = source, *parse_baseline(source.text)
            _, baseline, broken = self._baseline
            settings = self._config.contract().settings_text(self._config.chunking_text())
            before = baseline.standings
            before_name = "the baseline"
            if baseline.contract != settings:
                before_name += " (made with other settings)"
            others[source.path] = source.text
            defects = (*defects, *broken)
        return Inputs(
            documents=self._documents,
            label_files=self._label_files,
            run_files=self._run_files,
            other_texts=others,
            config=self._config,
            config_defects=defects,
            before=before,
            before_name=before_name,
            today=self._today,
        )


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Spares the collector what stays: looking through a growing heap again and again takes a quarter of an opening."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            # What was made stays. This puts it with what is old; else the collector looks through all of it first.
            gc.freeze()
            gc.unfreeze()
            gc.enable()


def _with(files: Mapping[str, Source], path: str, source: Source | None) -> Mapping[str, Source]:
    """These files in path order, with another one at a path (None: none); the same object where nothing changes."""
    if files.get(path) is source:
        return files
    if source is not None and path in files:
        return {**files, path: source}
    others = [(name, one) for name, one in files.items() if name != path]
    return dict(sorted([*others, (path, source)] if source is not None else others))


def standings(evaluations: Mapping[str, Evaluation]) -> dict[str, Standing]:
    """How every question fares, by label id."""
    judgements = evaluations.judgements if isinstance(evaluations, Evaluations) else evaluations
    return {label_id: judgement.standing for label_id, judgement in judgements.items()}


def _goodness(standing: Standing) -> tuple[bool, bool, float]:
    """Smaller is better."""
    return not standing.whole, not standing.in_context, standing.rank or float("inf")


def _silent(step: str, done: int, total: int) -> None:
    """Progress that nobody watches."""
