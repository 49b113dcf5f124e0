"""Small environments as people write them by hand: tools without examples and declared effects, described in a few words."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment, Tool
from tests.diff.ward import call, found

APIARY: dict[str, Any] = {
    "hives": {
        "HV-1": {"meadow": "clover", "queen": "Q-1", "state": "strong", "frames": 8},
        "HV-2": {"meadow": "clover", "queen": "Q-2", "state": "weak", "frames": 5},
        "HV-3": {"meadow": "heath", "queen": "Q-3", "state": "strong", "frames": 9},
        "HV-4": {"meadow": "heath", "queen": "Q-4", "state": "strong", "frames": 7},
    },
    "queens": {f"Q-{n}": {"marked": "blue"} for n in (1, 2, 3, 4)},
    "meadows": {"clover": {"room": 4}, "heath": {"room": 3}},
    "visits": {
        "VS-1": {"hive": "HV-1", "keeper": "Ola", "start": "2026-05-02 08:00"},
        "VS-2": {"hive": "HV-3", "keeper": "Per", "start": "2026-05-02 09:30"},
        "VS-3": {"hive": "HV-2", "keeper": "Ola", "start": "2026-05-03 08:00"},
    },
}
CHOIR: dict[str, Any] = {
    "singers": {
        "S1": {"name": "Vera Lind", "voice": "alto", "leader": None},
        "S2": {"name": "Jo Marsh", "voice": "alto", "leader": "S1"},
        "S3": {"name": "Kai Holm", "voice": "bass", "leader": None},
        "S4": {"name": "Udo Rand", "voice": "bass", "leader": "S3"},
    },
    "shelves": {"old": {"scores": ["N-1", "N-2"]}, "new": {"scores": ["N-3"]}, "lent": {"scores": []}},
    "scores": {"N-1": {"title": "Psalm"}, "N-2": {"title": "Round"}, "N-3": {"title": "Catch"}},
}
DEPOT: dict[str, Any] = {
    "goods": {
        "rope": {"stock": 9, "price": 4.0, "kind": "deck"},
        "lamp": {"stock": 2, "price": 15.0, "kind": "light"},
        "buoy": {"stock": 0, "price": 2.0, "kind": "deck"},
        "flag": {"stock": 5, "price": 6.5, "kind": "deck"},
    },
    "rates": {"berth": 20, "dry dock": 75},
    "boats": {
        "B-1": {"owner": "Ilse", "berth": "K1", "arrived": "2026-04-02", "paid": False},
        "B-2": {"owner": "Finn", "berth": "K2", "arrived": "2026-03-20", "paid": False},
        "B-3": {"owner": "Ilse", "berth": "K1", "arrived": "2026-04-09", "paid": True},
    },
    "berths": {"K1": {"depth": 3}, "K2": {"depth": 4}},
    "trips": {
        "TR-1": {"boat": "B-1", "berth": "K1", "day": "2026-05-01"},
        "TR-2": {"boat": "B-2", "berth": "K2", "day": "2026-05-01"},
    },
}


def takes(name: str, about: str, *given: str, **more: Any) -> Tool:
    """A tool of whose effect nothing is declared."""
    properties = {one: {"type": "string"} for one in given} | more
    return Tool(
        name=name,
        description=about,
        parameters={"type": "object", "properties": properties, "required": []},
        effect="unknown",
        has_example=False,
    )


def apiary(prompt: str = "You simulate an apiary.", **more: Any) -> Environment:
    """Hives on meadows, which keepers visit."""
    tools = (
        takes("hives", "Hives on a meadow, of one state if given.", "meadow", "state"),
        takes("visit_day", "The visits of a day.", "day"),
        takes("by_meadow", "Hives by meadow."),
        takes("census", "Number of hives by meadow."),
        takes("hive", "Shows a hive.", "hive"),
        takes("carry", "Carries a hive to another meadow.", "hive", "meadow"),
        takes("move_hive", "Moves a hive to another meadow.", "hive", "to"),
        takes("set_state", "Sets the state of a hive.", "hive", "state"),
        takes("swap_queen", "Puts a new queen into a hive.", "hive", "queen"),
    )
    given = {"state_description": {"state": "The apiary."}, "tools": tools, "initial_state": APIARY, **more}
    return Environment(id="apiary", system_prompt=prompt, **given)


def choir(prompt: str = "You simulate the office of a choir.", **more: Any) -> Environment:
    """Singers by voice, scores on shelves."""
    tools = (
        takes("voices", "Singers by voice."),
        takes("leaders", "People by leader."),
        takes("shelves", "The whole library."),
        takes("shelve", "Puts a score on a shelf.", "score", "shelf"),
        takes("move_score", "Moves a score to another shelf.", "score", "shelf"),
        takes("change_voice", "Changes the voice of a singer.", "singer", "voice"),
        takes("singer", "Shows a singer.", "singer"),
        takes("head_count", "Count of singers per voice."),
    )
    given = {"state_description": {"state": "The choir."}, "tools": tools, "initial_state": CHOIR, **more}
    return Environment(id="choir", system_prompt=prompt, **given)


def depot(prompt: str = "You simulate the depot of a harbour.", **more: Any) -> Environment:
    """Goods in stock, boats at berths, trips by day."""
    number = {"type": "integer"}
    tools = (
        takes("goods", "All goods with their stock."),
        takes("good", "Shows one sort of goods.", "good"),
        takes("take_goods", "Takes goods out of the stock.", "good", quantity=number),
        takes("receive_goods", "Puts goods into the stock.", "good", quantity=number),
        takes("quote", "Price of a place for some nights.", "place", nights=number),
        takes("cheapest", "The n cheapest goods.", "kind", n=number),
        takes("first_here", "The boats that arrived earliest.", "owner", n=number),
        takes("boats", "Boats of an owner, or all.", "owner"),
        takes("unpaid", "Boats not paid."),
        takes("pay_boat", "Books the fee of a boat.", "boat"),
        takes("delete_boat", "Deletes a boat.", "boat"),
        takes("trips", "Trips of a day.", "day", "berth"),
        takes("trip", "Shows a trip.", "trip"),
        takes("plan_trip", "Plans a trip. Returns its id.", "boat", "berth", "day"),
        takes("cancel_trip", "Cancels a trip.", "trip"),
    )
    given = {"state_description": {"state": "The depot."}, "tools": tools, "initial_state": DEPOT, **more}
    return Environment(id="depot", system_prompt=prompt, **given)


STUDIO: dict[str, Any] = {
    "rooms": {"North": {"piano": True}, "South": {"piano": False}},
    "lessons": {
        "LS-1": {"room": "North", "teacher": "Ito", "start": "2026-06-01 10:00", "status": "booked"},
        "LS-2": {"room": "South", "teacher": "Ito", "start": "2026-06-01 11:00", "status": "booked"},
        "LS-3": {"room": "North", "teacher": "Roe", "start": "2026-06-02 10:00", "status": "booked"},
        "LS-4": {"room": "North", "teacher": "Roe", "start": "2026-06-01 12:00", "status": "cancelled"},
    },
}


def studio() -> Environment:
    """Lessons in rooms."""
    tools = (
        takes("free_times", "Times that are free for a room on a day.", "room", "day"),
        takes("times", "Times of lessons in a room on a day.", "room", "day"),
        takes("cancel_lesson", "Cancels a lesson.", "lesson"),
        takes("book_lesson", "Books a lesson. Returns its id.", "room", "teacher", "start"),
    )
    told = {"state": "All rooms and lessons."}
    return Environment(
        id="studio",
        system_prompt="You simulate a studio.",
        state_description=told,
        tools=tools,
        initial_state=STUDIO,
    )


def row(of: dict[str, Any], name: str, key: str, *fields: str, **other: Any) -> dict[str, Any]:
    """A row as an answer shows it: the id under a key, these fields of it, and what is said otherwise."""
    return {key: name, **{one: of[name][one] for one in fields}, **other}


def said(of: Environment, *calls: Observed) -> list[tuple[str, str]]:
    """Kind and entity of what is found in the last of the calls."""
    return [(kind, entity) for kind, _, entity in found(*calls, of=of)]


__all__ = [
    "APIARY",
    "CHOIR",
    "DEPOT",
    "Observed",
    "apiary",
    "call",
    "choir",
    "depot",
    "row",
    "said",
    "studio",
    "takes",
]
