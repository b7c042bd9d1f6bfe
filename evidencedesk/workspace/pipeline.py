"""The straight line: text → Document → Chunks → Index → Rankings → Evaluations → Findings → Problems.

Invariant: one function for the editor and the command line; nothing here reads the disk or the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial

from evidencedesk.retrieval.calibration import calibrate
from evidencedesk.retrieval.catalog import Catalog
from evidencedesk.retrieval.changes import Mapped, mapped
from evidencedesk.retrieval.corpus import Corpus
from evidencedesk.retrieval.corrective_searcher import CorrectiveSearcher, WordRewrite
from evidencedesk.retrieval.digest import digest
from evidencedesk.retrieval.elsewhere import find_elsewhere
from evidencedesk.retrieval.evaluation import Contract, Evaluations, Standing
from evidencedesk.retrieval.facts import ChunkedDocument, ConfigDefect, Facts
from evidencedesk.retrieval.findability import Findability, find_unfindable
from evidencedesk.retrieval.grading import BestHitGrader, TermCoverageGrader
from evidencedesk.retrieval.judge import Answers, Grader, Judged, Questions, Spread, find_questions, judge, retrieve
from evidencedesk.retrieval.label_file import LabelDefect, LabelFile, parse_label_file
from evidencedesk.retrieval.lineage import find_versions
from evidencedesk.retrieval.pipeline import Diversified, OverlapReranker, TwoStage
from evidencedesk.retrieval.repeats import equal_pages, find_repeats
from evidencedesk.retrieval.run_file import RunDefect, RunFile, parse_run_file
from evidencedesk.retrieval.searchers import (
    DenseSearcher,
    HybridSearcher,
    LexicalSearcher,
    Searcher,
    SparseSearcher,
)
from evidencedesk.retrieval.twin_index import TwinIndex, update_twins
from evidencedesk.retrieval.twin_keys import TwinKeys, twin_keys
from evidencedesk.rules import RULES
from evidencedesk.text.analysis import Analysis, query_terms
from evidencedesk.text.spans import Span
from evidencedesk.workspace.checks import recheck
from evidencedesk.workspace.config import Config
from evidencedesk.workspace.files import Source
from evidencedesk.workspace.kept_state import Basis, KeptState
from evidencedesk.workspace.memo import Memo
from evidencedesk.workspace.pages import placing, present, read_pages
from evidencedesk.workspace.reading import MODEL, Reader, Reading
from evidencedesk.workspace.snapshot import Snapshot

Progress = Callable[[str, int, int], None]
"""Called with a step in plain words, how much of it is done, and how much there is."""

_READER = Reader()


@dataclass(frozen=True, slots=True)
class Inputs:
    """All that a Snapshot depends on. `documents`, `label_files` and `run_files` are keyed by path, in path order."""

    documents: Mapping[str, Source]
    label_files: Mapping[str, Source]
    run_files: Mapping[str, Source]
    other_texts: Mapping[str, str]
    config: Config
    config_defects: tuple[ConfigDefect, ...]
    before: Mapping[str, Standing]
    before_name: str
    today: date


@dataclass(frozen=True, slots=True)
class Index:
    """What is searched: the catalog and a searcher per name. Of documents that share an id only the first is in it.

    `diversified` is the configured searcher with its ranking diversified, `grader` what the gate asks; None where not
    configured.
    """

    config: Config
    by_id: Mapping[str, ChunkedDocument]
    corpus: Corpus
    catalog: Catalog
    sparse: SparseSearcher
    dense: DenseSearcher
    lexical: LexicalSearcher
    searchers: Mapping[str, Searcher]
    diversified: Diversified | None = None
    grader: Grader | None = None

    @property
    def spread(self) -> Spread | None:
        """What diversifies a ranked list, None when nothing does."""
        return self.diversified.spread if self.diversified else None


@dataclass(frozen=True, slots=True)
class Answered:
    """What was retrieved for each question over one index."""

    index: Index
    answers: Answers


@dataclass(frozen=True, slots=True)
class Compared:
    """By what each page is compared with others, by path, and what came of it."""

    keys: Mapped[str, Reading, TwinKeys]
    index: TwinIndex


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of all files in which a problem can stand, by path."""

    of: Mapping[str, str]
    pages: Mapped[str, ChunkedDocument, str]


def build_snapshot(
    inputs: Inputs,
    memo: Memo,
    revision: int,
    progress: Progress,
    reader: Reader | None = None,
    kept: KeptState | None = None,
) -> Snapshot:
    """The snapshot for these inputs; equal for equal inputs whatever the memo holds, the reader knows, and is kept."""
    config = inputs.config
    contract = memo(Config.contract, config)
    pages = memo.renew(read_pages, inputs.documents, config, reader or _READER, progress)
    documents, moved = pages.documents, pages.moved
    label_files = memo.renew(read_label_files, inputs.label_files).made
    run_files = memo.renew(read_run_files, inputs.run_files).made

    progress("Indexing chunks", 0, 1)
    basis = Basis(inputs.documents.values(), inputs.label_files.values(), config)
    if kept and (start := kept.begin(basis, list(documents.values()))):
        before = build_index(None, config, {page.document.path: Reading(page) for page in start.documents})
        start.restore(before.sparse, before.dense)
        memo.seed(build_index, before, *((config, pages.indexed) if start.is_present else ()))
        memo.seed(judge, Judged({}, contract, start.evidence(before.by_id)))
    index = memo.renew(build_index, config, pages.indexed)
    progress("Comparing chunks", 0, 1)
    compared = memo.renew(compare_chunks, pages.indexed)
    twins = compared.index.twins
    progress("Trying headings", 0, 1)
    unfindable = memo.renew(try_headings, index, config, progress, compared.keys.made)

    progress("Asking questions", 0, 1)
    questions = memo.renew(ask_labels, label_files, config)
    answers = memo.renew(ask_questions, index, config, progress, questions).answers
    by_id = memo(present, index.by_id, moved)
    judged = memo.renew(judge, contract, by_id, questions, answers, partial(progress, "Judging answers"))
    elsewhere = memo.renew(find_elsewhere, by_id, judged.judgements)
    versions = memo.renew(find_versions, index.by_id)
    copies = memo(equal_pages, twins.pages)
    repeats = memo.renew(find_repeats, twins, index.by_id, copies, contract.scope)
    place = placing(by_id, moved)
    facts = Facts(
        documents=documents,
        by_id=by_id,
        label_files=label_files,
        catalog=Catalog.of(index.corpus, by_id if place else None),
        contract=contract,
        chunking=config.chunking_text(),
        evaluations=Evaluations(
            judged.judgements, questions.sources, lambda label_id: answers.of(questions.of[label_id]), place
        ),
        twins=twins,
        word_limit=config.retrieval.word_limit,
        chunk_size=config.chunk_size(),
        before=inputs.before,
        before_name=inputs.before_name,
        config_defects=inputs.config_defects,
        rule_codes=frozenset(rule.code for rule in RULES),
        today=inputs.today,
        run_files=run_files,
        elsewhere=elsewhere.hits,
        calibration=memo.renew(calibrate, judged.judgements).calibration,
        versions=versions.versions,
        equal_chunks=repeats.equal,
        similar_chunks=repeats.similar,
        equal_pages=copies,
        unfindable_pages=unfindable.pages,
    )
    texts = memo.renew(find_texts, inputs.other_texts, documents, label_files, run_files).of
    checked = memo.renew(recheck, facts, texts, config.selection(), partial(progress, "Applying rules"))
    memo.end_run()
    if kept:
        kept.note(basis, index.sparse, index.dense, judged.evidence)
    return Snapshot(revision=revision, facts=facts, problems=checked.problems, texts=texts)


def index_of(inputs: Inputs, memo: Memo, progress: Progress, reader: Reader) -> Index:
    """What is searched in the state of these inputs, of which a snapshot was made with this memo."""
    pages = memo.renew(read_pages, inputs.documents, inputs.config, reader, progress)
    return memo.renew(build_index, inputs.config, pages.indexed)


def read_label_files(
    before: Mapped[str, Source, LabelFile] | None, sources: Mapping[str, Source]
) -> Mapped[str, Source, LabelFile]:
    """Text → labels with their places, by path; what was not edited is taken over."""
    last = before.made if before else {}
    return mapped(before, sources, lambda source: read_labels(source, last.get(source.path)))


def read_run_files(
    before: Mapped[str, Source, RunFile] | None, sources: Mapping[str, Source]
) -> Mapped[str, Source, RunFile]:
    """Text → run records with their places, by path."""
    return mapped(before, sources, read_runs)


def ask_labels(before: Questions | None, label_files: Mapping[str, LabelFile], config: Config) -> Questions:
    """Labels → Questions."""
    return find_questions(before, label_files.values(), config.contract())


def find_texts(
    before: Texts | None,
    others: Mapping[str, str],
    documents: Mapping[str, ChunkedDocument],
    label_files: Mapping[str, LabelFile],
    run_files: Mapping[str, RunFile],
) -> Texts:
    """The texts of all files in which a problem can stand."""
    pages = mapped(before.pages if before else None, documents, _text_of)
    labels = {path: file.text for path, file in label_files.items()}
    return Texts({**others, **pages.made, **labels, **{path: file.text for path, file in run_files.items()}}, pages)


def _text_of(page: ChunkedDocument) -> str:
    return page.document.text


def read_labels(source: Source, before: LabelFile | None = None) -> LabelFile:
    """Text → labels with their places; see `parse_label_file`."""
    if source.error:
        return LabelFile(source.path, "", (), (LabelDefect("syntax", Span(0, 0), source.error),))
    return parse_label_file(source.path, source.text, before)


def read_runs(source: Source) -> RunFile:
    """Text → run records with their places."""
    if source.error:
        return RunFile(source.path, "", (), (RunDefect(Span(0, 0), source.error),))
    return parse_run_file(source.path, source.text)


def build_index(before: Index | None, config: Config, pages: Mapping[str, Reading]) -> Index:
    """Chunks → Index; from an earlier one it takes over what it made of unchanged chunks."""
    by_id: dict[str, ChunkedDocument] = {}
    for chunked in (reading.document for reading in pages.values()):
        by_id.setdefault(chunked.document.doc_id, chunked)
    make = partial(digest, analysis=config.text_analysis(), model=MODEL)
    before = before if before and before.config is config else None
    corpus = before.corpus.changed(by_id, make) if before else Corpus.of(by_id, make)
    index = _index(before, config, by_id, corpus)
    return packed(index) if corpus.wants_packing else index


def packed(index: Index) -> Index:
    """The same index with its slots numbered anew, which makes the changes that follow cheaper."""
    return index if index.corpus.is_packed else _index(index, index.config, index.by_id, index.corpus.packed())


def _index(before: Index | None, config: Config, by_id: Mapping[str, ChunkedDocument], corpus: Corpus) -> Index:
    contract, analysis = config.contract(), config.text_analysis()
    sparse = SparseSearcher.over(corpus, analysis, before.sparse if before else None)
    dense = DenseSearcher.over(corpus, MODEL, before.dense if before else None)
    hybrid = HybridSearcher(sparse, dense, depth=contract.depth, rrf_k=contract.rrf_k)
    # It is searched in every state or hardly ever.
    is_lexical = contract.searcher in ("lexical", "corrective") or contract.gate is not None
    last = before.lexical if before and is_lexical else None
    lexical = LexicalSearcher.over(corpus, analysis, contract.depth, last)
    searchers: dict[str, Searcher] = {"sparse": sparse, "dense": dense, "hybrid": hybrid, "lexical": lexical}
    searchers["two_stage"] = TwoStage(hybrid, OverlapReranker(), contract.depth, contract.k)
    searchers["corrective"] = _corrective(searchers, lexical, analysis, contract)
    diversified = None
    if contract.mmr_lambda is not None:
        diversified = Diversified(searchers[contract.searcher], dense, contract.mmr_lambda, contract.depth)
    grader = lexical.best_coverage if contract.gate else None
    return Index(config, by_id, corpus, Catalog.of(corpus), sparse, dense, lexical, searchers, diversified, grader)


def _corrective(
    searchers: Mapping[str, Searcher], lexical: LexicalSearcher, analysis: Analysis, contract: Contract
) -> CorrectiveSearcher:
    """The configured correction of one of the searchers."""
    settings = contract.correction
    grader: TermCoverageGrader | BestHitGrader
    if settings.grader == "terms":
        grader = TermCoverageGrader(settings.accept, settings.reject, query_terms)
    else:
        grader = BestHitGrader(lexical.best_coverage, settings.accept, settings.reject)
    rewrite = WordRewrite(lexical, analysis.synonyms_of)
    first = searchers[settings.searcher]
    rounds = settings.max_rounds
    return CorrectiveSearcher(first, grader, rewrite, k=contract.k, max_rounds=rounds, rrf_k=contract.rrf_k)


def ask_questions(
    before: Answered | None, index: Index, config: Config, progress: Progress, questions: Questions
) -> Answered:
    """Questions → Rankings; over the same index an answer stays what it was."""
    known = before.answers.places if before and before.index is index else {}
    distinct = list(questions.known.values())
    new = [question for question in distinct if question not in known]
    tick = partial(progress, "Asking questions")
    asked = retrieve(new, index.searchers, index.catalog, config.contract(), index.spread, index.grader, tick)
    found = {**known, **asked.places}
    return Answered(index, Answers.at({question: found[question] for question in distinct}) if known else asked)


def try_headings(
    before: Findability | None, index: Index, config: Config, progress: Progress, keys: Mapping[str, TwinKeys]
) -> Findability:
    """Index → which sections their own headings do not bring; pages with the same text count as one."""
    contract = config.contract()
    tick = partial(progress, "Trying headings")
    scope = index.catalog.allowed(contract.scope)
    words = partial(index.sparse.rank_many, allowed=scope, tick=tick, with_scores=False)
    model = None if contract.searcher == "sparse" else index.dense.model
    return find_unfindable(before, index.by_id, keys, index.corpus, words, model, index.searchers, contract, tick)


def compare_chunks(before: Compared | None, pages: Mapping[str, Reading]) -> Compared:
    """Chunks → which say the same; from an earlier state it takes over what did not change."""
    keys = mapped(before.keys if before else None, pages, _twin_keys)
    return Compared(keys, update_twins(before.index if before else None, tuple(keys.made.values())))


def _twin_keys(reading: Reading) -> TwinKeys:
    return reading.keys or twin_keys(reading.document.document, reading.document.chunks)
