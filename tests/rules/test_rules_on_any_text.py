"""Rules on documents hold on any text: nothing raises, every place exists, every fix changes something and applies."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.documents.markdown import parse_document
from evidencedesk.documents.versions import Versions, head_of
from evidencedesk.retrieval.catalog import Catalog, Scope
from evidencedesk.retrieval.chunking import CHUNKERS
from evidencedesk.retrieval.evaluation import Contract
from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.retrieval.repeats import equal_pages, find_repeats
from evidencedesk.retrieval.twin_index import find_twins
from evidencedesk.rules import RULES
from evidencedesk.text.spans import apply_edits
from evidencedesk.workspace.checks import Selection, check

LONG = "the quick brown fox jumps over the lazy dog again "
PIECES = (
    *("---\n", "id: a-v1\n", "id: a-v2\n", "title: T\n", "status: current\n", "version: 1.2\n", "version: 1.10\n"),
    *("supersedes: [a-v1, b]\n", "date: 2024-02-30\n", "# H\n", "## H\n", "\n", "\r\n", "\r", "- x\n", "> q\n"),
    *(
        "```\n",
        "````md\n",
        "~~~\n",
        "  ```\n",
        "`",
        "``",
        "<pre>",
        "</pre>\n",
        "| a | b |\n",
        "|---|---|\n",
        "| 1 | 2 |\n",
    ),
    *("<<<<<<< HEAD\n", "=======\n", ">>>>>>> main\n", "cafÃ© â€™ ", "\x00", "\x07", "\ufeff", "\ufffd", "\ud800"),
    *("[x](y)", "<!-- evidencedesk: ignore ED1 ed108 -->\n", LONG, "ফেরত "),
)
PAGES = st.lists(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), min_size=1, max_size=3)


@given(PAGES, st.sampled_from(sorted(CHUNKERS)), st.sampled_from([None, 3]))
def test_violations_stand_in_the_text_and_fixes_apply(pages: list[str], chunker: str, word_limit: int | None) -> None:
    facts = facts_of(pages, chunker, word_limit)
    texts = {path: page.document.text for path, page in facts.documents.items()}
    for problem in check(facts, texts, Selection()):
        assert problem.message
        assert 0 <= problem.span.start <= problem.span.end <= len(texts[problem.path])
        for related in problem.related:
            assert 0 <= related.span.start <= related.span.end <= len(texts[related.path])
        for fix in problem.fixes:
            for path, edits in fix.edits.items():
                assert apply_edits(texts[path], edits) != texts[path]


def facts_of(pages: list[str], chunker: str, word_limit: int | None) -> Facts:
    cut = CHUNKERS[chunker]()
    documents = {}
    for number, text in enumerate(pages):
        document = parse_document(f"p{number}.md", text)
        documents[document.path] = ChunkedDocument(document, tuple(cut(document)))
    by_id: dict[str, ChunkedDocument] = {}
    for page in documents.values():
        by_id.setdefault(page.document.doc_id, page)
    twins = find_twins([(page.document, page.chunks) for page in documents.values()])
    copies = equal_pages(twins.pages)
    repeats = find_repeats(None, twins, by_id, copies, Scope())
    return Facts(
        documents=documents,
        by_id=by_id,
        label_files={},
        catalog=Catalog([chunk for page in by_id.values() for chunk in page.chunks], {}),
        contract=Contract(),
        chunking=chunker,
        evaluations={},
        twins=twins,
        word_limit=word_limit,
        before={},
        before_name="",
        config_defects=(),
        rule_codes=frozenset(rule.code for rule in RULES),
        today=date(2026, 1, 1),
        versions=Versions(head_of(page.document) for page in by_id.values()),
        equal_chunks=repeats.equal,
        similar_chunks=repeats.similar,
        equal_pages=copies,
    )
