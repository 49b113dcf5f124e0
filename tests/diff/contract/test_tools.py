"""What a tool does, by what is declared and by its name."""

from __future__ import annotations

import pytest

from replaylab.diff.contract.tools import is_write, moves_time, verb_of
from replaylab.schema.scenario import Tool


def test_what_is_declared_decides() -> None:
    assert is_write(Tool(name="get_permit", effect="write"))
    assert not is_write(Tool(name="move_patient", effect="read"))


@pytest.mark.parametrize(
    ("name", "writes"), [("get_beds", False), ("scan_ward", False), ("move_patient", True)]
)
def test_the_verb_decides_where_nothing_is_declared(name: str, writes: bool) -> None:
    assert is_write(Tool(name=name, effect="unknown")) is writes


def test_time_passes_by_a_write_that_is_called_so() -> None:
    assert moves_time(Tool(name="advance_time", effect="write"))
    assert not moves_time(Tool(name="get_time", effect="read"))
    assert not moves_time(Tool(name="move_patient", effect="write"))


def test_the_verb_is_the_first_word() -> None:
    assert verb_of(Tool(name="listPatients")) == "list"


def test_time_passes_by_what_is_called_after_time_and_moves_the_date() -> None:
    assert moves_time(Tool(name="next_days", description="Moves the date on.", effect="write"))
    assert not moves_time(Tool(name="next_days", description="Books the next days.", effect="write"))
    assert not moves_time(Tool(name="move_lesson", description="Moves the date of a lesson.", effect="write"))


@pytest.mark.parametrize(
    ("description", "writes"),
    [
        ("Shows a message and marks it as read.", True),
        ("Shows a ticket, then closes it.", True),
        ("Shows a message and the box that it is in.", False),
        ("Shows sets and marks of a tool.", False),
    ],
)
def test_a_reading_that_is_told_to_change_something_writes(description: str, writes: bool) -> None:
    named = Tool(name="get_message", description=description)
    assert is_write(named) is writes
    assert is_write(named.model_copy(update={"effect": "read", "effect_from": "declared"})) is False


@pytest.mark.parametrize(
    ("name", "description", "writes"),
    [
        ("kennel", "Dogs of a kennel.", False),
        ("kennel", "Shows a kennel with its dogs.", False),
        ("guest_list", "Guests who have not left.", False),
        ("roll_call", "People by boat.", False),
        ("ledger", "The whole ledger.", False),
        ("bids", "Bids on a lot.", False),
        ("low_bins", "Bins without stock.", False),
        ("whereabouts", "Where a parcel is.", False),
        ("fare", "Price of a trip for some days.", False),
        ("order", "Shows an order.", False),
        ("dear", "The n dearest lots in a sale.", False),
        ("kennel", "Puts a dog into a kennel.", True),
        ("checkout", "Orders what is in the basket.", True),
        ("hold", "Holds seats for an hour.", True),
        ("leave", "A guest leaves the house.", True),
        ("release", "Lifts the ban on a boat.", True),
        ("ack", "Acknowledges an alarm; it leaves the list.", True),
        ("assign", "Adds somebody to a boat.", True),
        ("change_class", "Moves a pupil.", True),
        ("free_seats", "Free a seat.", True),
        ("dump", "Disposes of a sample.", True),
        ("fault", "Notes that a lock is broken.", True),
        ("decide", "Decides on an application.", True),
        ("mend_link", "Attempts to mend a link.", True),
        ("advise", "The main tool. Updates what is known of a pupil.", True),
        ("guest", "A guest with their bookings.", False),
        ("waiting_room", "Who waits, in order.", False),
    ],
)
def test_a_tool_that_only_names_what_it_shows_reads(name: str, description: str, writes: bool) -> None:
    assert is_write(Tool(name=name, description=description, effect="unknown")) is writes
