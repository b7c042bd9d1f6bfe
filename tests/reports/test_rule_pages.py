"""The rule reference is what the rules say, and its HTML is safe and needs nothing else."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import evidencedesk.rules
from evidencedesk.reports.rule_pages import html, page, reference, title
from evidencedesk.rules import RULES


class Tags(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_reference_that_is_shipped_is_up_to_date() -> None:
    shipped = Path(evidencedesk.rules.__file__).with_name("README.md").read_text(encoding="utf-8")
    assert shipped == reference(RULES), "write it anew: evidencedesk rule --all > evidencedesk/rules/README.md"


def test_every_page_is_in_the_reference_one_level_deeper_and_its_examples_as_they_are() -> None:
    whole = reference(RULES)
    for rule in RULES:
        assert f"\n## {title(rule)}\n" in whole
        for paragraph in page(rule).split("\n\n"):
            assert paragraph in whole or f"#{paragraph}" in whole


def test_links_of_the_list_lead_to_the_rules() -> None:
    tags = Tags(html(reference(RULES), "Rules"))
    ids = {attributes["id"] for _, attributes in tags.found if "id" in attributes}
    links = [attributes["href"] for tag, attributes in tags.found if tag == "a"]
    assert len(links) >= len(RULES)
    assert {link.removeprefix("#") for link in links if link} <= ids


def test_html_loads_nothing_and_runs_nothing_whatever_the_docs_hold() -> None:
    def evil() -> None:
        """<script>alert(1)</script> <img src=x onerror=y> [a](javascript:alert(1)).

        ```html title="a"><b"
        </code></pre><script>
        ```
        """

    pages = [html(page(replace(RULES[0], check=evil)), "<x>"), html(reference(RULES), "Rules")]
    for source in pages:
        tags = Tags(source)
        assert not {"script", "img", "link", "iframe", "b"} & {tag for tag, _ in tags.found}
        for _, attributes in tags.found:
            assert not any(name.startswith("on") or name == "src" for name in attributes)
            assert (attributes.get("href") or "#").startswith("#")
    assert "alert(1)</script>" in Tags(pages[0]).text
