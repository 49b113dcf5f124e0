from __future__ import annotations

from replaylab.schema.pointer import lookup, unescape


def test_a_part_is_unescaped_in_the_order_that_the_standard_gives() -> None:
    assert [unescape(part) for part in ("a~1b", "~01", "plain")] == ["a/b", "~1", "plain"]


def test_pointers_lead_into_a_contract_or_nowhere() -> None:
    value = {"a": [{"b/c": 1}], "": None}
    assert [lookup(value, one) for one in ("", "/a/0/b~1c", "/")] == [value, 1, None]
    assert all(lookup(value, one) is ... for one in ("/a/1", "/a/x", "/a/0/b/c", "/q", "/a/-1", "/a/²", "a"))
