"""What a description says of a part of the state."""

from __future__ import annotations

from typing import Any

from replaylab.diff.contract.told import sentences_in, told_of
from replaylab.schema.scenario import Environment


def harbour(told: Any) -> Environment:
    return Environment(
        id="harbour",
        initial_state={"boats": {"BT-1": {"length": 9}}},
        system_prompt="You simulate.",
        state_description={"boats": told},
        tools=(),
    )


def test_a_text_is_said_as_it_stands() -> None:
    assert told_of(harbour("All boats. Fixed."), "boats") == "All boats. Fixed."
    assert told_of(harbour("All boats."), "piers") == ""


def test_what_is_said_of_a_field_begins_with_it() -> None:
    told = {"about": "All boats; none is added.", "length": "In metres. Fixed."}
    assert told_of(harbour(told), "boats") == "All boats. none is added. length: In metres. length: Fixed."


def test_sentences_end_at_dots_and_semicolons_and_not_within_numbers() -> None:
    assert sentences_in("One is 2.5 m; the other. ") == ["One is 2.5 m", "the other"]
