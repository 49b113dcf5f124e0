"""Lists that show all but those that stand in one way."""

from __future__ import annotations

from typing import Any

from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

PARCELS = {
    "PC-1": {"sender": "SN-1", "stage": "packed"},
    "PC-2": {"sender": "SN-1", "stage": "posted"},
    "PC-3": {"sender": "SN-1", "stage": "weighed"},
    "PC-4": {"sender": "SN-2", "stage": "packed"},
    "PC-5": {"sender": "SN-2", "stage": "posted"},
}
TOLD = "A sender, with the numbers of those parcels that are not posted."


def office(about: str = TOLD) -> Environment:
    return Environment(
        id="office",
        initial_state={"senders": {"SN-1": {"town": "Cork"}, "SN-2": {"town": "Bergen"}}, "parcels": PARCELS},
        system_prompt="You simulate.",
        state_description={},
        tools=(
            tool(
                "sender",
                about,
                "sender",
                example={"sender": "SN-2", "town": "Bergen", "open_parcels": ["PC-4"]},
            ),
            tool(
                "post",
                "Posts a parcel.",
                "parcel",
                effect="write",
                example={"parcel": "PC-1", "stage": "posted"},
            ),
        ),
    )


def missed(*shown: str, before: Any = (), about: str = TOLD) -> list[str]:
    asked = call("sender", {"sender": "SN-1", "town": "Cork", "open_parcels": list(shown)}, sender="SN-1")
    return [one for kind, _, one in found(*before, asked, of=office(about)) if kind == "omission"]


def test_what_stands_otherwise_has_to_be_there() -> None:
    assert missed("PC-1", "PC-3") == []
    assert missed("PC-1") == ["PC-3"]
    assert missed() == ["PC-1", "PC-3"], "of none, the example says what is listed"


def test_a_call_that_sets_it_takes_it_out() -> None:
    posted = call("post", {"parcel": "PC-3", "stage": "posted"}, parcel="PC-3")
    assert missed("PC-1", before=(posted,)) == []
    unsure = call("post", {"status": "success"}, parcel="PC-3")
    assert missed("PC-1", before=(unsure,)) == []


def test_without_a_way_to_stand_in_the_sentence_nothing_is_missed() -> None:
    assert missed("PC-1", about="A sender, with the numbers of some parcels.") == []
    assert missed("PC-1", about="A sender, with the parcels that are not large.") == []


def test_a_list_that_shows_such_goes_by_something_else() -> None:
    assert missed("PC-1", "PC-2") == []
