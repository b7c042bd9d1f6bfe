"""What repeats is gathered as an author sees it: by pages, in scope, without translations."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from evidencedesk.retrieval.repeats import Repeat, copies_of, repeats
from evidencedesk.workspace import Workspace

LONG = "Every bicycle is checked and adjusted in our workshop before it leaves."
OTHER = "Call the workshop before you bring in a bicycle on a Saturday morning."
CONFIG = '[chunking]\nstrategy = "paragraph"\n'


def found(folder: Path, **pages: str) -> list[Repeat]:
    (folder / "evidencedesk.toml").write_text(CONFIG, encoding="utf-8")
    for name, text in pages.items():
        path = folder / (name.replace("__", "/") + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    facts = Workspace.open(folder, today=date(2026, 1, 1)).snapshot.facts
    return repeats(facts)


def own(name: str) -> str:
    return f"\n\nOnly here there is a sentence about {name} and nothing else.\n"


def test_passages_that_the_same_pages_share_are_one_repeat(tmp_path: Path) -> None:
    (repeat,) = found(
        tmp_path,
        a=f"{LONG}\n\n{OTHER}{own('saddles')}",
        b=f"{LONG}\n\n{OTHER}{own('pedals')}",
    )
    assert repeat.paths == ("a.md", "b.md")
    assert [[chunk.id for chunk in passage] for passage in repeat.passages] == [["a:c0", "b:c0"], ["a:c1", "b:c1"]]


def test_a_third_page_with_one_of_them_makes_two_repeats(tmp_path: Path) -> None:
    both = found(
        tmp_path,
        a=f"{LONG}\n\n{OTHER}{own('saddles')}",
        b=f"{LONG}\n\n{OTHER}{own('pedals')}",
        c=f"{LONG}{own('chains')}",
    )
    assert [repeat.paths for repeat in both] == [("a.md", "b.md", "c.md"), ("a.md", "b.md")]


def test_short_texts_and_pages_outside_the_scope_do_not_count(tmp_path: Path) -> None:
    assert not found(
        tmp_path,
        a=f"See the table below.\n\n{LONG}{own('saddles')}",
        b=f"See the table below.{own('pedals')}",
        old=f"---\nstatus: superseded\n---\n{LONG}{own('chains')}",
        staff=f"---\naudience: staff\n---\n{LONG}{own('brakes')}",
    )


def test_what_a_translation_shares_with_its_original_does_not_count(tmp_path: Path) -> None:
    assert not found(
        tmp_path,
        docs__en__install=f"{LONG}{own('saddles')}",
        docs__pt__install=f"{LONG}{own('pedals')}",
        bn=f"---\nlang: bn\n---\n{LONG}{own('chains')}",
    )


def test_a_copied_page_is_told_as_a_page_and_counts_once_among_chunks(tmp_path: Path) -> None:
    whole = f"{LONG}\n\n{OTHER}\n"
    (repeat,) = found(tmp_path, a=whole, b=whole, c=f"{LONG}{own('saddles')}")
    assert repeat.paths == ("a.md", "c.md")
    facts = Workspace.open(tmp_path, today=date(2026, 1, 1)).snapshot.facts
    copies = [[page.path for page in copies_of(group, facts)] for group in facts.equal_pages.values()]
    assert copies == [["a.md", "b.md"], ["a.md", "b.md"]]
