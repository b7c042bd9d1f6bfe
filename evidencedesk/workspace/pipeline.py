"""The straight line: text → Document → Chunks → Index → Rankings → Evaluations → Findings → Problems.

Invariant: one function for the editor and the command line; nothing here reads the disk or the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import NamedTuple

from evidencedesk.retrieval.calibration import calibrate
from evidencedesk.retrieval.catalog import Catalog, Scope
from evidencedesk.retrieval.corpus import Corpus
from evidencedesk.retrieval.corrective_searcher import CorrectiveSearcher, WordRewrite
from evidencedesk.retrieval.digest import digest
from evidencedesk.retrieval.elsewhere import find_elsewhere
from evidencedesk.retrieval.evaluation import Contract, Retrieved, Standing
from evidencedesk.retrieval.facts import ChunkedDocument, ConfigDefect, Facts
from evidencedesk.retrieval.findability import Findability, find_unfindable
from evidencedesk.retrieval.grading import BestHitGrader, TermCoverageGrader
from evidencedesk.retrieval.judge import Answer, Grader, Judged, Spread, judge, retrieve, scope_of
from evidencedesk.retrieval.label_file import LabelDefect, LabelFile, LabelSource, parse_label_file
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
from evidencedesk.workspace.reading import MODEL, Reader, read_in_full
from evidencedesk.workspace.snapshot import Snapshot

Progress = Callable[[str, int, int], None]
"""Called with a step in plain words, how much of it is done, and how much there is."""


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


class Question(NamedTuple):
    """What is asked, and of which documents."""

    text: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class Answers:
    """What was retrieved for each question over one index."""

    index: Index
    answers: Mapping[Question, Answer]

    def of(self, question: Question) -> Retrieved:
        """What was retrieved for one of the questions."""
        return self.answers[question].retrieved


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
    contract = config.contract()
    read = partial((reader or Reader()).read_all, config=config, progress=partial(progress, "Reading documents"))
    readings = memo.many(read_in_full, read, inputs.documents.values(), config)
    documents = dict(zip(inputs.documents, (reading.document for reading in readings), strict=True))
    label_files = {path: memo(read_labels, source) for path, source in inputs.label_files.items()}
    run_files = {path: memo(read_runs, source) for path, source in inputs.run_files.items()}

    progress("Indexing chunks", 0, 1)
    basis = Basis(inputs.documents.values(), inputs.label_files.values(), config)
    if kept and (start := kept.begin(basis, list(documents.values()))):
        before = build_index(None, config, *start.documents)
        start.restore(before.sparse, before.dense)
        memo.seed(build_index, before, *((config, *documents.values()) if start.is_present else ()))
        memo.seed(judge, Judged({}, contract, start.evidence(before.by_id)))
    index = memo.renew(build_index, config, *documents.values())
    progress("Comparing chunks", 0, 1)
    keys = [reading.keys or memo(read_twin_keys, reading.document) for reading in readings]
    twins = memo.renew(compare_chunks, *keys).twins
    progress("Trying headings", 0, 1)
    unfindable = memo.renew(try_headings, index, config, progress, *keys)

    progress("Asking questions", 0, 1)
    sources: dict[str, LabelSource] = {}
    for entry in (entry for file in label_files.values() for entry in file.entries):
        sources.setdefault(entry.label.id, entry)
    questions = {
        label_id: Question(source.label.question, scope_of(source, contract)) for label_id, source in sources.items()
    }
    answers = memo.renew(ask_questions, index, config, progress, *questions.values())
    found = {label_id: answers.of(question) for label_id, question in questions.items()}
    judged = memo.renew(judge, contract, index.by_id, sources, found, partial(progress, "Judging answers"))
    elsewhere = memo.renew(find_elsewhere, index.by_id, judged.evaluations)
    versions = memo.renew(find_versions, index.by_id)
    copies = memo(equal_pages, twins.pages)
    repeats = memo.renew(find_repeats, twins, index.by_id, copies, contract.scope)
    facts = Facts(
        documents=documents,
        by_id=index.by_id,
        label_files=label_files,
        catalog=index.catalog,
        contract=contract,
        chunking=config.chunking_text(),
        evaluations=judged.evaluations,
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
        calibration=calibrate(judged.evaluations.values()),
        versions=versions.versions,
        equal_chunks=repeats.equal,
        similar_chunks=repeats.similar,
        equal_pages=copies,
        unfindable_pages=unfindable.pages,
    )
    texts = {
        **inputs.other_texts,
        **{path: chunked.document.text for path, chunked in documents.items()},
        **{path: file.text for path, file in label_files.items()},
        **{path: file.text for path, file in run_files.items()},
    }
    checked = memo.renew(recheck, facts, texts, config.selection(), partial(progress, "Applying rules"))
    memo.end_run()
    if kept:
        kept.note(basis, index.sparse, index.dense, judged.evidence)
    return Snapshot(revision=revision, facts=facts, problems=checked.problems, texts=texts)


def read_labels(source: Source) -> LabelFile:
    """Text → labels with their places."""
    if source.error:
        return LabelFile(source.path, "", (), (LabelDefect("syntax", Span(0, 0), source.error),))
    return parse_label_file(source.path, source.text)


def read_runs(source: Source) -> RunFile:
    """Text → run records with their places."""
    if source.error:
        return RunFile(source.path, "", (), (RunDefect(Span(0, 0), source.error),))
    return parse_run_file(source.path, source.text)


def build_index(before: Index | None, config: Config, *documents: ChunkedDocument) -> Index:
    """Chunks → Index; from an earlier one it takes over what it made of unchanged chunks."""
    by_id: dict[str, ChunkedDocument] = {}
    for chunked in documents:
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
    before: Answers | None, index: Index, config: Config, progress: Progress, *questions: Question
) -> Answers:
    """Questions → Rankings; over the same index an answer stays what it was."""
    contract = config.contract()
    known = before.answers if before and before.index is index else {}
    earlier = before.answers if before and before.index.config is config else {}
    distinct = list(dict.fromkeys(questions))
    new = [question for question in distinct if question not in known]
    tick = partial(progress, "Asking questions")
    answers = retrieve(new, index.searchers, index.catalog, contract, index.spread, index.grader, earlier.get, tick)
    found = {**known, **dict(zip(new, answers, strict=True))}
    return Answers(index, {question: found[question] for question in distinct})


def try_headings(
    before: Findability | None, index: Index, config: Config, progress: Progress, *pages: TwinKeys
) -> Findability:
    """Index → which sections their own headings do not bring; pages with the same text count as one."""
    contract = config.contract()
    tick = partial(progress, "Trying headings")
    scope = index.catalog.allowed(contract.scope)
    words = partial(index.sparse.rank_many, allowed=scope, tick=tick, with_scores=False)
    model = None if contract.searcher == "sparse" else index.dense.model
    keys = {page.document.doc_id: page for page in reversed(pages)}
    return find_unfindable(before, index.by_id, keys, index.corpus, words, model, index.searchers, contract)


def read_twin_keys(chunked: ChunkedDocument) -> TwinKeys:
    """Document → by what it is compared with others."""
    return twin_keys(chunked.document, chunked.chunks)


def compare_chunks(before: TwinIndex | None, *pages: TwinKeys) -> TwinIndex:
    """Chunks → which say the same; from an earlier state it takes over what did not change."""
    return update_twins(before, pages)
