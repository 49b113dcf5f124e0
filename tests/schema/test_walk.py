from __future__ import annotations

from replaylab.schema.walk import texts

VALUE = {"a": ["b", {"c": "d"}], "e": (1, None, True, "f")}


def test_every_string_comes_in_the_order_of_the_document_with_names_of_fields_where_wanted() -> None:
    assert list(texts(VALUE)) == ["a", "b", "c", "d", "e", "f"]
    assert list(texts(VALUE, keys=False)) == ["b", "d", "f"]
    assert list(texts("g", keys=False)) == ["g"]
    assert list(texts(3)) == []
