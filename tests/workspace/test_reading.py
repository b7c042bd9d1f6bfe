"""A document is the same whether it is read here, by another process, or in an earlier run."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.text.spans import Span
from evidencedesk.workspace import reading, sharing
from evidencedesk.workspace.cache import Cache
from evidencedesk.workspace.config import Config, parse_config
from evidencedesk.workspace.files import Source
from evidencedesk.workspace.packs import PackWriter
from evidencedesk.workspace.reading import Reader, Reading, from_record, read_document, read_in_full, to_record
from evidencedesk.workspace.sharing import Helpers

PIECES = [
    "# Returns\n\n",
    "## Window\n\n",
    "Bikes come back within 30 days of delivery, unused and with the tag. ",
    "Räder kommen zurück. 🚲 ",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    "```sh\nls\n",
    "<!-- evidencedesk: ignore ED201 -->\n",
    "\r\n\r\n",
    "\0",
    "- one\n- two\n",
]
FRONT = [
    "",
    "---\nid: x\nversion: 1.10\ntags: [a, {b: 2}]\n---\n",
    "+++\nday = 2026-01-01\n+++\n",
    '{"id": "\\ud800"}\n',
    "---\na: [\n---\n",
]
TEXTS = st.builds(
    lambda front, pieces: front + "".join(pieces),
    st.sampled_from(FRONT),
    st.lists(st.sampled_from(PIECES), max_size=12),
)
SETTINGS = [
    "",
    "[chunking]\nstrategy = 'paragraph'\n[analysis.en]\nstemmer = 'english'\nsynonyms = [['bike', 'cycle']]\n",
    "[documents.fields]\nmap = [{ when = { version = 1.1 }, set = { status = 'superseded' } }]\n",
]
CONFIGS = [parse_config("evidencedesk.toml", text)[0] for text in SETTINGS]


def same(first: Reading, second: Reading) -> bool:
    """Digests and keys take no part in the equality of documents, so their arrays are compared here."""
    return first.document == second.document and contents(first) == contents(second)


def contents(reading: Reading) -> list[object]:
    digest, keys = reading.document.digest, reading.keys
    assert digest is not None and keys is not None
    assert keys.document is reading.document.document and keys.chunks is reading.document.chunks
    words = digest.words
    arrays = (
        words.terms,
        words.counts,
        words.starts,
        words.lengths,
        digest.units,
        keys.texts,
        keys.sizes,
        keys.triples,
    )
    plain = [repr(reading.document), words.vocabulary, keys.body]
    return [*plain, *((array.dtype, array.shape, array.tobytes()) for array in arrays)]


def pages(count: int) -> list[Source]:
    return [
        Source(f"page-{number}.md", f"# Page {number}\n\n" + f"Bikes of kind {number} have {number} gears. " * 40)
        for number in range(count)
    ]


@pytest.fixture(autouse=True)
def every_folder_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "REMEMBER_FROM", 1)


def nothing(done: int, total: int) -> None:
    """Progress that nobody watches."""


@given(TEXTS, st.sampled_from(CONFIGS), st.booleans())
def test_a_record_gives_the_document_back(text: str, config: Config, broken: bool) -> None:
    source = Source("docs/a.md", text, (Span(0, 1),) if broken and text else (), "gone" if broken else "")
    document = read_in_full(source, config)
    record = to_record(document, source)
    assert record
    back = from_record(record, source)
    assert back is not None and same(back, document)
    assert back.document.document.text is source.text


def test_a_document_with_values_that_have_no_place_in_a_record_is_read_again(tmp_path: Path) -> None:
    source = Source("a.md", "+++\ndays = [2026-01-01]\n+++\n# A\n\nText of the page.\n")
    document = read_in_full(source, Config())
    assert document.document.document.front is not None and document.document.document.front.fields["days"].value == [
        date(2026, 1, 1)
    ]
    assert to_record(document, source) == b""
    for _ in range(2):
        cache = Cache(tmp_path, 1_000_000)
        (found,) = Reader(cache).read_all([source], Config(), nothing)
        assert same(found, document)
        cache.flush()


def test_a_few_small_files_are_simply_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    (found,) = Reader(Cache(tmp_path, 1_000_000), 1).read_all(pages(1), Config(), nothing)
    assert found.document.digest is None and found.keys is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("broken", ["add", "finish"])
def test_a_full_disk_costs_time_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(PackWriter, broken, full)
    cache = Cache(tmp_path, 1_000_000)
    found = Reader(cache).read_all(pages(5), Config(), nothing)
    assert all(same(one, read_in_full(source, Config())) for one, source in zip(found, pages(5), strict=True))
    assert len(cache.notes) == 1
    assert list(tmp_path.iterdir()) == []


def test_what_was_read_once_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = pages(5)
    first = Cache(tmp_path, 1_000_000)
    cold = Reader(first).read_all(sources, Config(), nothing)
    first.flush()

    def read_changed(source: Source, config: Config) -> ChunkedDocument:
        assert source == changed
        return read_document(source, config)

    monkeypatch.setattr(reading, "read_document", read_changed)
    changed = replace(sources[2], text="# Another\n\nText.\n")
    warm = Reader(Cache(tmp_path, 1_000_000)).read_all([*sources[:2], changed, *sources[3:]], Config(), nothing)
    assert all(same(warm[place], cold[place]) for place in (0, 1, 3, 4))
    assert warm[2].document.document.title == "Another"


@pytest.mark.parametrize("text", SETTINGS[1:])
def test_other_settings_are_other_documents(tmp_path: Path, text: str) -> None:
    source = Source("a.md", "---\nversion: 1.1\n---\n# A\n\nBikes.\n\nCycles.\n")
    config = parse_config("evidencedesk.toml", text)[0]
    first = Cache(tmp_path, 1_000_000)
    Reader(first).read_all([source], Config(), nothing)
    first.flush()
    (found,) = Reader(Cache(tmp_path, 1_000_000)).read_all([source], config, nothing)
    assert same(found, read_in_full(source, config))


def test_the_same_text_elsewhere_is_another_document(tmp_path: Path) -> None:
    first = Cache(tmp_path, 1_000_000)
    Reader(first).read_all([Source("a.md", "# A\n")], Config(), nothing)
    first.flush()
    (found,) = Reader(Cache(tmp_path, 1_000_000)).read_all([Source("b.md", "# A\n")], Config(), nothing)
    assert found.document.document.doc_id == "b"


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Lets helpers take part in any job, in small batches; holds the number of documents that they made."""
    monkeypatch.setattr(reading, "HELP_FROM", 0)
    monkeypatch.setattr(reading, "_BATCH", 4000)
    made: list[int] = []
    batches = Helpers.batches

    def counted(self: Helpers) -> object:
        for batch, records in batches(self):
            while not made and self._finished.empty() and any(thread.is_alive() for thread in self._threads):
                # Time for a helper to start, so that it gets something to do.
                time.sleep(0.01)
            made.append(len(records or ()))
            yield batch, records

    monkeypatch.setattr(Helpers, "batches", counted)
    return made


SAME_PROGRAM = """
from evidencedesk.workspace import reading_helper

reading_helper.program_hash = lambda: "same"
reading_helper.main()
"""


@pytest.fixture
def same_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a helper take part although a file of the program changes while the tests run."""
    monkeypatch.setattr(reading, "program_hash", lambda: "same")
    monkeypatch.setattr(sharing, "_command", lambda module: [sys.executable, "-c", SAME_PROGRAM])


def test_a_helper_of_another_program_is_done_without(eager: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "program_hash", lambda: "another")
    found = Reader(helpers=1).read_all(pages(20), Config(), nothing)
    assert len(found) == 20 and not any(eager)


@pytest.mark.usefixtures("same_program")
@pytest.mark.parametrize("config", CONFIGS)
def test_another_process_reads_the_same(eager: list[int], config: Config) -> None:
    sources = [*pages(60), Source("odd.md", FRONT[2] + "# Odd\n"), Source("bad.md", "", error="gone")]
    found = Reader(helpers=1).read_all(sources, config, nothing)
    assert all(same(one, read_in_full(source, config)) for one, source in zip(found, sources, strict=True))
    assert any(eager), "no document came from the helper"


@pytest.mark.parametrize(
    "command",
    [
        ["/nowhere/python"],
        [sys.executable, "-c", "raise SystemExit(3)"],
        [sys.executable, "-c", "import time; print('noise', flush=True)"],
        [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"],
    ],
    ids=["missing", "ends", "speaks another language", "killed"],
)
def test_a_helper_that_fails_is_done_without(
    eager: list[int], monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setattr(sharing, "_command", lambda module: command)
    sources = pages(20)
    found = Reader(helpers=2).read_all(sources, Config(), nothing)
    assert [one.document.document.path for one in found] == [source.path for source in sources]
    assert not any(eager)


DIES = """
import sys
from evidencedesk.workspace.sharing import receive, send
from evidencedesk.workspace.cache import program_hash

send(sys.stdout.buffer, program_hash().encode())
receive(sys.stdin.buffer)
receive(sys.stdin.buffer)
{last}
"""


@pytest.mark.parametrize(
    "last",
    ["raise SystemExit", "send(sys.stdout.buffer, (999).to_bytes(8, 'little'))", "sys.stdout.buffer.write(b'x' * 99)"],
)
def test_a_helper_that_dies_at_work_costs_nothing_but_time(
    eager: list[int], monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    monkeypatch.setattr(sharing, "_command", lambda module: [sys.executable, "-c", DIES.format(last=last)])
    sources = pages(40)
    found = Reader(helpers=1).read_all(sources, Config(), nothing)
    assert all(same(one, read_in_full(source, Config())) for one, source in zip(found, sources, strict=True))


def test_whoever_gives_up_leaves_no_process(eager: list[int]) -> None:
    class GivenUpError(Exception):
        pass

    def give_up(done: int, total: int) -> None:
        if done > 3:
            raise GivenUpError

    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    class Noted(popen):  # type: ignore[misc, valid-type]
        def __init__(self, *given: object, **named: object) -> None:
            super().__init__(*given, **named)
            started.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess, "Popen", Noted)
        with pytest.raises(GivenUpError):
            Reader(helpers=2).read_all(pages(40), Config(), give_up)
    assert len(started) == 2
    assert all(process.returncode is not None for process in started)


PARENT = """
import os, signal, subprocess, sys, time
from evidencedesk.workspace import reading
from evidencedesk.workspace.config import Config
from evidencedesk.workspace.files import Source
from evidencedesk.workspace.reading import Reader

reading.HELP_FROM = reading.REMEMBER_FROM = 0
started = []
popen = subprocess.Popen
class Noted(popen):
    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        print(self.pid, flush=True)
subprocess.Popen = Noted

def killed(done, total):
    time.sleep(1)
    os.kill(os.getpid(), signal.SIGKILL)

Reader(helpers=1).read_all([Source(f"{n}.md", "# A") for n in range(9)], Config(), killed)
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="processes are looked up in /proc")
def test_a_helper_ends_when_its_parent_is_killed() -> None:
    parent = subprocess.run([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True, check=False)
    assert parent.returncode == -signal.SIGKILL
    helper = Path("/proc") / parent.stdout.strip()
    for _ in range(100):
        if not helper.exists() or "\nState:\tZ" in (helper / "status").read_text():
            return
        time.sleep(0.1)
    pytest.fail("the helper outlived its parent")
