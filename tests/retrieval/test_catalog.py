from __future__ import annotations

from dataclasses import replace

import pytest

from evidencedesk.errors import UnknownNameError
from evidencedesk.retrieval.catalog import Catalog, Scope, load_catalog


def test_options_reach_the_chunker() -> None:
    assert max(len(chunk.text) for chunk in load_catalog("fixed", size=50, overlap=0).chunks) == 50
    assert len(load_catalog("fixed", size=10_000, overlap=0).chunks) == 14


@pytest.mark.parametrize(("name", "options"), [("pages", {}), ("fixed", {"length": 5}), ("fixed", {"size": -1})])
def test_what_cannot_be_loaded_is_a_value_error(name: str, options: dict[str, int]) -> None:
    with pytest.raises(ValueError):
        load_catalog(name, **options)


def test_an_unknown_strategy_names_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="fixed, section, paragraph, structure"):
        load_catalog("pages")


def test_chunks_are_a_list_in_document_order_and_found_by_id() -> None:
    catalog = load_catalog("paragraph")
    assert isinstance(catalog.chunks, list)
    paths = [chunk.path for chunk in catalog.chunks]
    assert paths == sorted(paths)
    assert all(catalog.by_id[chunk.id] is chunk for chunk in catalog.chunks)


@pytest.mark.parametrize(
    ("scope", "count"),
    [
        (Scope(), 48),
        (Scope(statuses=frozenset({"current", "superseded"})), 50),
        (Scope(audiences=frozenset({"public", "staff"})), 50),
        (Scope(langs=frozenset({"bn"})), 6),
        (Scope(statuses=frozenset()), 0),
    ],
)
def test_a_scope_admits_by_status_audience_and_language(scope: Scope, count: int) -> None:
    assert len(load_catalog("paragraph").allowed(scope)) == count


def test_a_copied_chunk_keeps_the_audience_of_its_document() -> None:
    catalog = load_catalog("paragraph")
    twins = [
        replace(catalog.by_id[chunk_id], id=f"{chunk_id}-twin")
        for chunk_id in ("kc-returns-v3:c0", "kc-staff-goodwill-v1:c0")
    ]
    extended = Catalog(catalog.chunks + twins, catalog.audience)
    assert extended.allowed(Scope()) - catalog.allowed(Scope()) == {"kc-returns-v3:c0-twin"}
