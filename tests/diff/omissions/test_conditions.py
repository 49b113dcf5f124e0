"""What an argument can ask of a record."""

from __future__ import annotations

from replaylab.diff.contract.contract import Contract
from replaylab.diff.contract.tables import Table, tables_of
from replaylab.diff.omissions.conditions import Condition, asks_nothing, conditions, is_called_like, passes
from replaylab.schema.base import Json
from tests.diff.domains import FERRY, POST, THEATRE


def table(name: str) -> Table:
    found = [one for domain in (FERRY, POST, THEATRE) for one in tables_of(Contract(domain.environment()))]
    return next(one for one in found if one.name == name)


def asked(of: str, name: str, value: Json) -> set[tuple[str, str]]:
    return {(one.kind, one.column) for one in conditions(table(of), name, value) if not one.other}


def test_a_value_stands_in_a_column() -> None:
    assert asked("sailings", "origin", "Orm") == {("is", "from"), ("is", "to")}
    assert asked("parcels", "in_zone", "Z-N") == {("is", "zone.id")}
    assert asked("shows", "tag", "late") == {("has", "tags")}
    assert asked("shows", "hall", "Cellar") == set()


def test_a_bound_is_on_what_it_is_called_after_or_on_moments() -> None:
    assert asked("shows", "min_seats", 7) == {("at least", "seats_left")}
    assert asked("sailings", "after", "09:00") == {("at least", "departs")}
    assert asked("parcels", "sent_to", "2025-05-05") == {("at most", "sent")}


def test_what_asks_for_all_asks_nothing() -> None:
    assert asks_nothing("hall", "")
    assert asks_nothing("hall", "all")
    assert not asks_nothing("hall", "Main")
    assert asked("shows", "hall", "any") == {("is", "")}
    assert asked("shows", "page", 2) == set()


def test_a_record_passes_or_not_or_nobody_can_say() -> None:
    first = table("shows").records[0]
    held = Condition("hall", "is", "hall")
    assert passes(first, (held,), {"hall": "Main"}) is True
    assert passes(first, (held,), {"hall": "Studio"}) is False
    bound = Condition("min", "at least", "seats_left")
    assert [bound.holds(first, one) for one in (39, 40, 41)] == [True, None, False]
    assert passes(first, (held, bound), {"hall": "Main", "min": 40}) is None
    assert passes(first, (held, bound), {"hall": "Studio", "min": 40}) is False


def test_either_of_two_columns_may_have_it() -> None:
    either = Condition("port", "is", "from", "to")
    assert [either.holds(one, "Vik") for one in table("sailings").records] == [True, False, True, True]


def test_columns_are_called_like_arguments() -> None:
    assert is_called_like(Condition("origin", "is", "from"))
    assert is_called_like(Condition("in_zone", "is", "zone.id"))
    assert not is_called_like(Condition("origin", "is", "to"))
    assert not is_called_like(Condition("port", "is", "from", "to"))


def test_two_words_of_one_side_bound_as_one_does() -> None:
    (after,) = conditions(table("sailings"), "departs_from_after", "09:00")
    assert (after.kind, after.column) == ("at least", "departs")
