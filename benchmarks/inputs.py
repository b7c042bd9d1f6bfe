"""What is measured: a generated site or a copy of a folder. Invariant: the folder that is named is only read."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.corpus import write_site
from benchmarks.measure import arguments
from evidencedesk.workspace.config import CONFIG_NAMES, Config, holds_config, parse_config
from evidencedesk.workspace.files import discover, read_source
from evidencedesk.workspace.reading import read_document
from evidencedesk.workspace.snapshot import Snapshot

LABELS = "labels.json"
TODAY = date(2026, 1, 31)


def input_arguments(description: str, chunks: str = "1000,10000", questions: int = 100) -> argparse.ArgumentParser:
    """The options of a benchmark that opens folders."""
    parser = arguments(description)
    parser.add_argument("--docs", type=Path, metavar="DIR", help="measure this folder of Markdown; it is only read")
    parser.add_argument("--chunks", default=chunks, metavar="N,N", help=f"generated sites of about N chunks [{chunks}]")
    text = f"labels: generated, or made of headings; 0 for the folder's own [{questions}]"
    parser.add_argument("--questions", type=int, default=questions, metavar="N", help=text)
    return parser


def sizes(options: argparse.Namespace) -> list[int]:
    """The sizes to generate; a single 0 stands for the named folder."""
    return [0] if options.docs else [int(size) for size in options.chunks.replace("_", "").split(",")]


@contextmanager
def folder(options: argparse.Namespace, chunks: int) -> Iterator[Path]:
    """A folder to work in, gone afterwards: a site of about `chunks` chunks, or a copy of the named folder."""
    with TemporaryDirectory() as made:
        root = Path(made) / "site"
        if options.docs is None:
            write_site(root, chunks, options.questions)
        else:
            shutil.copytree(options.docs, root, ignore=shutil.ignore_patterns(".git", ".evidencedesk"))
            if options.questions:
                (root / LABELS).write_text(heading_labels(root, options.questions), encoding="utf-8")
        yield root


def heading_labels(root: Path, count: int) -> str:
    """Labels that ask for headings, spread evenly over all sections; the first words below are the evidence."""
    config = config_of(root)
    sources = filter(None, (read_source(root, path) for path in discover(root, config).documents))
    sections = [
        (document, section, words)
        for document in (read_document(source, config).document for source in sources)
        for section in document.sections
        if section.level > 1 and len(words := section.body.of(document.text).split("\n\n")[0].split()[:12]) > 4
    ]
    chosen = sections[:: max(1, len(sections) // count)][:count]
    labels = [
        {
            "id": f"q{number}",
            "question": f"{document.title}: {section.heading}?",
            "gold": [{"section": f"{document.doc_id}#{section.anchor}", "evidence": " ".join(words)}],
        }
        for number, (document, section, words) in enumerate(chosen)
    ]
    return json.dumps(labels, ensure_ascii=False, indent=1)


def config_of(root: Path) -> Config:
    """A folder's own settings, else the default ones."""
    sources = (read_source(root, name) for name in CONFIG_NAMES if (root / name).is_file())
    found = next((source for source in sources if holds_config(source.path, source.text)), None)
    return parse_config(found.path, found.text)[0] if found else Config()


def facts_of(snapshot: Snapshot) -> dict[str, int]:
    """How large it is."""
    counts = {"documents": len(snapshot.documents), "chunks": len(snapshot.chunks), "questions": len(snapshot.labels)}
    return {**counts, "problems": len(snapshot.problems)}


def demand_equal(one: Snapshot, other: Snapshot) -> None:
    """Raise SystemExit when two snapshots differ but for what regressed since a save that only one of them saw."""
    problems, expected = (
        [problem for problem in snapshot.problems if not problem.code.startswith("ED6")] for snapshot in (one, other)
    )
    if problems != expected or one.rankings != other.rankings:
        raise SystemExit("Two snapshots of the same files differ.")
