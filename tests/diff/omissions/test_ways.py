"""Ways to come by a list."""

from __future__ import annotations

from typing import Any

from replaylab.diff.contract.contract import Contract
from replaylab.diff.contract.tables import Record, Table, tables_of
from replaylab.diff.omissions.ways import Shown, Way, allows, explains, match, ways
from replaylab.diff.words.observed import groups
from tests.diff.domains import FERRY
from tests.diff.domains_held import BINS


def shown(rows: list[Any], **arguments: Any) -> Shown:
    (group,) = groups({"found": rows})
    return Shown(arguments, group)


def all_ways(domain: Any, pointer: str, one: Shown) -> list[Way]:
    (table,) = (each for each in tables_of(Contract(domain.environment())) if each.pointer == pointer)
    return list(ways(table, one.arguments, one.group))


WHOLE = shown([{"sailing": "SL-7"}, {"sailing": "SL-10"}], origin="Orm", destination="Vik")
PART = shown([{"sailing": "SL-7"}], origin="Orm", destination="Vik")


def told(way: Way) -> tuple[str, ...]:
    return tuple(one.column for one in way.taken if not one.other)


def test_a_way_explains_what_it_gives_and_allows_less() -> None:
    found = all_ways(FERRY, "/sailings/*", WHOLE)
    assert ("from", "to") in {told(one) for one in found if explains(one, WHOLE, [])}
    assert not any(explains(one, PART, []) for one in found if told(one) == ("from", "to"))
    assert all(allows(one, PART) for one in found if told(one) == ("from", "to") and one.by == "@")
    assert not any(allows(one, PART) for one in found if told(one) == ("to", "from"))


def test_what_is_not_known_may_have_been_anything() -> None:
    unknown = shown([{"sailing": "SL-9"}])
    found = [
        one for one in all_ways(FERRY, "/sailings/*", WHOLE) if told(one) == ("from", "to") and one.by == "@"
    ]
    assert explains(found[0], unknown, []), "from Vik to Orm"
    assert not explains(found[0], shown([{"sailing": "SL-7"}]), [])
    after = all_ways(FERRY, "/sailings/*", shown([], origin="Orm", after="09:00"))
    fitting = [one for one in after if told(one) == ("from", "departs")]
    assert explains(fitting[0], shown([{"sailing": "SL-9"}], origin="Vik"), ["after"])


def test_plain_names_stand_in_any_column() -> None:
    days = shown(["monday", "friday"], street="Elm Street")
    (way,) = [one for one in all_ways(BINS, "/rounds/*/*", days) if explains(one, days, [])]
    assert (way.by, told(way)) == ("^", ("@",))
    found = match(way, way.select(days.arguments)[0], shown(["monday"]).group)
    assert [one.columns["^"] for one in found.missing] == ["friday"]
    assert not found.strange


def test_how_things_stand_explains_a_part_only_by_an_argument_that_is_called_like_it() -> None:
    rows = {"TK-1": ("waiting", "hall"), "TK-2": ("waiting", "yard"), "TK-3": ("left", "yard")}
    records = [Record(f"/t/{one}", {"@": one, "state": row[0], "area": row[1]}) for one, row in rows.items()]
    whole = Way(Table("t", "/t/*", tuple(records)), (), "@")
    waiting = shown([{"ticket": "TK-1"}, {"ticket": "TK-2"}])
    assert explains(whole, waiting, ["state"])
    assert not explains(whole, waiting, ["species"])
    assert explains(whole, shown([{"ticket": "TK-2"}, {"ticket": "TK-3"}]), ["place"])
