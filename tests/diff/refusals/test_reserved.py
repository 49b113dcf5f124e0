"""What an error is reserved for, as the sentence before it says."""

from __future__ import annotations

import pytest

from replaylab.diff.refusals.reserved import Reserved, reserved_for
from replaylab.diff.words.sentences import LiteralError
from tests.diff.kiln import pottery
from tests.diff.ward import call, reason


@pytest.mark.parametrize(
    ("condition", "unknown"),
    [
        ("If an action references non-existent nodes or links", True),
        ("If a non-existent `content_id` or an undefined action name is used", True),
        ("For invalid parameters (e.g. non-existent ids) or undefined actions", False),
        ("If a kiln does not exist, or is too hot to be opened", False),
        ("If the kiln is hot", False),
    ],
)
def test_for_the_unknown_and_nothing_else(condition: str, unknown: bool) -> None:
    assert Reserved(LiteralError("No", ""), condition).for_unknown is unknown


def test_states_and_what_is_taken() -> None:
    error = LiteralError("Kiln 'K-9' is already booked", "")
    assert Reserved(error, "If two firings overlap").for_taken
    assert not Reserved(error, "If the kiln is hot").for_taken
    assert Reserved(error, "If it has to be 'ON' but is currently 'OFF'").states == ("OFF",)


def condition(text: str) -> str:
    found = reserved_for(reason(call("get_kiln", {"error": text}, kiln_id="K-1"), of=pottery()))
    return found.condition.strip() if found else ""


def test_the_condition_of_the_error_that_a_reason_repeats() -> None:
    assert condition("Kiln/Rack not found") == "If an action references non-existent kilns or racks"
    assert condition("Kiln 'K-1' is already booked then") == "If two firings overlap in one kiln"
    assert condition("Kiln/Rack not glazed") == ""
    assert condition("The kiln wants glazing") == ""


def test_one_error_is_no_condition_of_the_next() -> None:
    prompt = 'Example: `{"error": "Kiln not found"}` or `{"error": "Kiln is too hot now"}`.'
    said = reason(
        call("get_kiln", {"error": "Kiln is too hot now"}, kiln_id="K-1"), of=pottery(system_prompt=prompt)
    )
    assert reserved_for(said) is None
