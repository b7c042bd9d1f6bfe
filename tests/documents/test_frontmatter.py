"""Front matter: fields with their places, faults at their line, and no body text ever taken for fields."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidencedesk.documents.document import Document
from evidencedesk.documents.frontmatter import FieldMap, FieldRule
from evidencedesk.documents.markdown import parse_document
from evidencedesk.text.spans import Span


def parse(text: str, fields: FieldMap | None = None) -> Document:
    return parse_document("docs/page.md", text, fields)


def defects(document: Document) -> list[tuple[str, str]]:
    return [(defect.kind, defect.span.of(document.text)) for defect in document.defects]


FULL = """\
---
id: kc-returns-v3   # the id
title: "Returns: how"
version: 1.10
status: superseded
audience: staff
lang: no
supersedes: [kc-returns-v2, kc-returns-v1]
reviewed: 2024-02-31
---
# Body
"""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_known_fields_are_read_as_written(end: str) -> None:
    document = parse(FULL.replace("\n", end))
    assert (document.doc_id, document.title, document.version) == ("kc-returns-v3", "Returns: how", "1.10")
    assert (document.status, document.audience, document.lang) == ("superseded", "staff", "no")
    assert document.supersedes == ("kc-returns-v2", "kc-returns-v1")
    assert document.defects == ()
    assert document.sections[0].heading == "Body"
    assert document.front is not None
    assert document.front.span.of(document.text) == FULL.removesuffix("\n# Body\n").replace("\n", end)
    places = {
        name: (entry.key_span.of(document.text), entry.value_span.of(document.text))
        for name, entry in document.front.fields.items()
    }
    assert places["id"] == ("id", "kc-returns-v3")
    assert places["title"] == ("title", '"Returns: how"')
    assert places["reviewed"] == ("reviewed", "2024-02-31")
    assert document.front.fields["reviewed"].value == "2024-02-31"
    assert set(document.fields) == {"id", "title", "version", "status", "audience", "lang", "supersedes"}


@given(st.dictionaries(st.sampled_from(["a", "b", "title", "ключ", "😀"]), st.text("aé😀ফ \u2028-", max_size=8)))
def test_spans_of_quoted_values_are_code_points_of_the_file(values: dict[str, str]) -> None:
    lines = "".join(f"{key}: '{value}'\n" for key, value in values.items())
    document = parse(f"---\n{lines}---\n")
    assert document.front is not None
    spans = {key: entry.value_span.of(document.text) for key, entry in document.front.fields.items()}
    assert spans == {key: f"'{value}'" for key, value in values.items()}


@pytest.mark.parametrize(
    ("text", "expected", "sections"),
    [
        # Refused by YAML: the line is told, sound fields and the body stay.
        ("---\nid: x\ntags:\n- % text\n---\n# A", [("front-matter-syntax", "- % text")], ["A"]),
        ("---\nid: x\nb: [1, 2\nc: d\n---\n# A", [("front-matter-syntax", "c: d")], ["A"]),
        ("---\nid: x\ntitle: 'a\n---\n# A", [("front-matter-syntax", "title: 'a")], ["A"]),
        ("---\nid: x\nbad: a\x01b\n---\n# A", [("front-matter-syntax", "bad: a\x01b")], ["A"]),
        ("---\nid: x\n\ttab: y\n---\n# A", [("front-matter-syntax", "\ttab: y")], ["A"]),
        # Other faults.
        ("---\nid: x\nlang: a\nlang: b\n---\n# A", [("front-matter-duplicate-key", "lang")], ["A"]),
        ("---\nid: x\nstatus: [a]\n---\n# A", [("front-matter-value", "[a]")], ["A"]),
        ("---\nid: x\nlang: 5\n---\n# A", [("front-matter-value", "5")], ["A"]),
        ("---\nid: x\nsupersedes: {a: b}\n---\n# A", [("front-matter-value", "{a: b}")], ["A"]),
        ("---\nid: x\nsupersedes:\n- [a]\n---\n# A", [("front-matter-value", "- [a]")], ["A"]),
        # Fine.
        ("---\nid: x\n...\n# A", [], ["A"]),
        ("---  \nid: x\n---\t\n# A", [], ["A"]),
        ("---\n# only\nid: x\n\nb: ~\nversion:\n---\n# A", [], ["A"]),
        ("+++\nid = 'x'\ndate = 2024-02-03\n[extra]\nid = 'z'\n+++\n# A", [], ["A"]),
        ('{\n  "id": "x",\n "tags": ["a"]\n}\n# A', [], ["A"]),
    ],
)
def test_faults_stand_at_their_line_and_the_rest_is_read(
    text: str, expected: list[tuple[str, str]], sections: list[str]
) -> None:
    document = parse(text)
    assert defects(document) == expected
    assert document.doc_id == "x"
    assert [section.heading for section in document.sections] == sections


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("---\nid: x\n\ntext", ["front-matter-unclosed"]),
        ("---\nid: x\n--\n\ntext", ["front-matter-unclosed"]),
        ("---\n- % text\n---\ntext", ["front-matter-syntax"]),
        ("---\n- a\n- b\n---\ntext", ["front-matter-not-a-mapping"]),
        ("---\nhello\n---\ntext", ["front-matter-not-a-mapping"]),
        ("---\r\nhello\r\n---\r\ntext", ["front-matter-not-a-mapping"]),
        ("---\n\nWelcome.\n\nNote: this is prose: yes.\n\n---\ntext", []),
        ("---\nWelcome.\n\nMore [text.\n---\ntext", []),
        ("---\n\n# Slide\n\n---\ntext", []),
        ("---\ntext", []),
        ("text\n\n---\nid: x\n---\n", ["front-matter-second"]),
        ("{{< shortcode >}}\ntext", []),
        ("{}\ntext", []),
        ('{"id": "x"} text', []),
        ('{"id": "x"\n\ntext', []),
        ("+++\nid = \n+++\ntext", []),
        ("+++\nid = 'x'\ntext", []),
        ("----\nid: x\n----\ntext", []),
    ],
)
def test_what_only_looks_like_front_matter_stays_body_text(text: str, kinds: list[str]) -> None:
    document = parse(text)
    assert [defect.kind for defect in document.defects] == kinds
    assert (document.front, document.doc_id) == (None, "docs/page")
    assert document.sections[0].span.start == 0


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_second_document_in_a_file_is_told_and_stays_text(end: str) -> None:
    text = "---\nid: x\n---\n# A\n\ntext\n\n---\nid: y\ntags: [b]\n---\n# B\n\nmore\n".replace("\n", end)
    document = parse(text)
    assert [(defect.kind, defect.span) for defect in document.defects] == [
        ("front-matter-second", Span(text.rindex("---" + end + "id"), text.rindex("---" + end + "id") + 3))
    ]
    assert document.doc_id == "x"
    assert [section.heading for section in document.sections][-1] == "B"
    assert "more" in [block.span.of(text) for block in document.blocks]


@pytest.mark.parametrize(
    "body", ["```\n---\nid: y\n---\n```", "---\n\nid: y\n\n---", "---\nNote: y\n---", "---\nid: y"]
)
def test_rules_around_prose_and_examples_in_code_are_no_second_document(body: str) -> None:
    assert parse(f"---\nid: x\n---\n# A\n\n{body}\n").defects == ()


def test_an_empty_block_is_front_matter_without_fields() -> None:
    document = parse("---\n---\n# A")
    assert document.front is not None
    assert (dict(document.front.fields), document.title) == ({}, "A")


def test_fields_can_be_renamed() -> None:
    names = FieldMap({"status": "state", "id": "slug", "title": "heading"})
    document = parse("---\nstate: old\nstatus: ignored\nslug: s\ntitle: T\n---\n", names)
    assert (document.status, document.doc_id, document.title) == ("old", "s", "s")
    assert document.fields["status"].value_span.of(document.text) == "old"


@pytest.mark.parametrize(
    ("line", "value", "fits"),
    [
        ("drifted: true", True, True),
        ("drifted: yes", True, True),
        ("drifted: true", "true", True),
        ("drifted: 'true'", "true", True),
        ("drifted: false", True, False),
        ("drifted: 1", True, False),
        ("drifted: 1", 1, True),
        ("drifted: 1.10", "1.10", True),
        ("drifted: file not found", "file not found", True),
        ("drifted: [true]", "[true]", False),
        ("other: true", True, False),
    ],
)
def test_a_value_rule_sets_a_standard_field(line: str, value: object, fits: bool) -> None:
    fields = FieldMap(rules=(FieldRule("drifted", value, "status", "superseded"),))
    document = parse(f"---\n{line}\nstatus: draft\n---\n", fields)
    assert document.status == ("superseded" if fits else "draft")


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ("k: 3", 3),
        ("k: 1.5", 1.5),
        ("k: on", True),
        ("k: ~", None),
        ("k: 2024-02-31", "2024-02-31"),
        ("k: 2024-01-01T10:00:00Z", "2024-01-01T10:00:00Z"),
        ("k: 0o9", "0o9"),
        ("k: |\n  a\n  b", "a\nb\n"),
        ("k: {a: [1, x]}", {"a": [1, "x"]}),
        ("k: &a [*a]", None),
        ("k: !!python/object:os.system x", "x"),
        ("k: !custom {a: b}", {"a": "b"}),
        ("k: " + "9" * 5000, "9" * 5000),
    ],
)
def test_values_are_plain_and_dates_stay_as_written(block: str, value: object) -> None:
    document = parse(f"---\n{block}\n---\n")
    assert document.front is not None
    found = document.front.fields["k"].value
    if block == "k: &a [*a]":
        assert isinstance(found, list) and found[0] is found
    else:
        assert found == value


@pytest.mark.parametrize("block", ["[" * 3000, "k: " + "[" * 3000, "k: " + "{a: " * 500, "- " * 3000, "a: &a [*b]\n"])
def test_hostile_yaml_is_a_defect_or_a_value_but_no_failure(block: str) -> None:
    text = f"---\n{block}\n---\n# A\n"
    assert parse(text).text == text
