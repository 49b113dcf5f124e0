"""Which things refer to which."""

from __future__ import annotations

from replaylab.diff.contract.contract import contract_of
from tests.diff.yard import yard


def test_a_thing_reaches_what_it_refers_to_and_what_refers_to_it() -> None:
    links = contract_of(yard()).links
    assert links.to["bt1"] == {"br11", "pt71", "pt72", "hn51"}
    assert links.of["hn51"] == {"bt1", "bt2"}
    assert links.reached({"hn52"}) == {"hn52", "bt2"}
    assert links.leads_to({"hn52"}) == {"hn52"}
    assert links.leads_to({"bt3"}) == {"bt3", "br13", "pt73"}


def test_what_is_reached_by_two_steps_counts_and_by_three_does_not() -> None:
    chain = {
        name: {one: {"next": other}}
        for name, one, other in (("ropes", "A-1", "B-1"), ("blocks", "B-1", "C-1"), ("masts", "C-1", "D-1"))
    }
    chain["hulls"] = {"D-1": {"next": "none"}}
    links = contract_of(yard(initial_state=chain)).links
    assert links.reached({"a1"}) == {"a1", "b1", "c1"}
