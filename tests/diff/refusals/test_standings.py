"""Refusals that say how a thing stands, in other words than state and calls have."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.scenario import Environment
from tests.diff.houses import CHOIR, FILM, accused
from tests.diff.ward import call, check, tool

WHAT_CALLS_BROUGHT_ABOUT_TRUE: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        FILM,
        (call("send_reel", {"ok": True}, reel="RL-10", to="Lyon"),),
        call("scan_reel", None, reel="RL-10"),
        [
            "RL-10 has left the archive.",
            "RL-10 is on its way to Lyon.",
            "RL-10 is gone: it was sent to Lyon.",
            "Harbour Lights is no longer here.",
            "RL-10 was shipped out.",
            "RL-10 is in transit.",
            "RL-10 is away.",
            "RL-10 is out of the house.",
            "RL-10 is not in the vault any more.",
        ],
    ),
    (
        FILM,
        (call("thread_reel", {"status": "done"}, reel="RL-10", projector="PJ-1"),),
        call("scan_reel", None, reel="RL-10"),
        [
            "RL-10 is on PJ-1, not in a vault.",
            "RL-10 sits on projector PJ-1.",
            "RL-10 is threaded in PJ-1 at the moment.",
            "RL-10 is in use on PJ-1.",
            "RL-10 is mounted on PJ-1 and not on a shelf.",
        ],
    ),
    (
        FILM,
        (call("cancel_screening", {"ok": True}, screening="SC-5"),),
        call("start_screening", None, screening="SC-5"),
        [
            "SC-5 was called off.",
            "SC-5 has been cancelled.",
            "SC-5 will not take place.",
            "That screening is no longer on.",
            "SC-5 is off the programme.",
        ],
    ),
    (
        FILM,
        (call("finish_screening", {"ok": True}, screening="SC-5"),),
        call("start_screening", None, screening="SC-5"),
        [
            "SC-5 is over.",
            "SC-5 has already been shown.",
            "SC-5 has ended.",
            "SC-5 is finished and can't be started again.",
            "That screening is done.",
        ],
    ),
    (
        FILM,
        (call("discard_reel", {"ok": True}, reel="RL-11"),),
        call("scan_reel", None, reel="RL-11"),
        [
            "RL-11 has been thrown away.",
            "RL-11 is gone.",
            "RL-11 was disposed of.",
            "RL-11 no longer exists.",
            "The Long Furrow is in the bin.",
        ],
    ),
    (
        FILM,
        (call("lock_vault", {"ok": True}, vault="V-2"),),
        call("move_reel", None, reel="RL-10", vault="V-2"),
        [
            "V-2 is shut.",
            "V-2 is closed.",
            "V-2 is locked up.",
            "V-2 can't be opened at the moment: it is locked.",
        ],
    ),
]

WHAT_CALLS_BROUGHT_ABOUT_INVENTED: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        FILM,
        (call("send_reel", {"ok": True}, reel="RL-10", to="Lyon"),),
        call("scan_reel", None, reel="RL-12"),
        [
            "RL-12 is on its way to Lyon.",
            "RL-12 is in transit.",
            "RL-12 is brittle.",
            "The scanner is being serviced.",
        ],
    ),
    (
        FILM,
        (call("thread_reel", {"status": "done"}, reel="RL-10", projector="PJ-1"),),
        call("scan_reel", None, reel="RL-11"),
        ["RL-11 is mounted on PJ-2.", "RL-11 is torn."],
    ),
    (
        FILM,
        (),
        call("start_screening", None, screening="SC-5"),
        [
            "SC-5 was called off.",
            "SC-5 is over.",
            "The hall is being cleaned.",
            "SC-5 has been postponed.",
            "No projectionist is on duty.",
        ],
    ),
    (
        FILM,
        (call("add_note", {"ok": True}, reel="RL-10", note="nice"),),
        call("scan_reel", None, reel="RL-10"),
        [
            "RL-10 is in transit.",
            "RL-10 was thrown away.",
            "RL-10 is under embargo.",
            "RL-10 is mouldy.",
            "RL-10 is locked by another user.",
        ],
    ),
]

WHAT_CALLS_HAVE_NOTED_TRUE: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        FILM,
        (call("restrict_reel", {"bans": ["export"]}, reel="RL-10", ban="export"),),
        call("send_reel", None, reel="RL-10", to="Oslo"),
        [
            "Harbour Lights has an export ban on record.",
            "There is an export ban on RL-10.",
            "RL-10 must not be exported: it was banned.",
            "An export ban is noted for RL-10.",
            "RL-10 carries a ban on export.",
        ],
    ),
    (
        FILM,
        (call("add_note", {"ok": True}, reel="RL-11", note="perforation torn, do not play"),),
        call("thread_reel", None, reel="RL-11", projector="PJ-2"),
        ["RL-11 has a torn perforation.", "RL-11: perforation torn.", "RL-11 is torn."],
    ),
]

WHAT_CALLS_HAVE_NOTED_INVENTED: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        FILM,
        (call("restrict_reel", {"bans": ["export"]}, reel="RL-10", ban="export"),),
        call("send_reel", None, reel="RL-10", to="Oslo"),
        [
            "RL-10 has a customs lien on record.",
            "There is a copyright claim on RL-10.",
            "RL-10 is flagged for fungus.",
        ],
    ),
    (
        FILM,
        (call("add_note", {"ok": True}, reel="RL-11", note="perforation torn, do not play"),),
        call("thread_reel", None, reel="RL-11", projector="PJ-2"),
        ["RL-11 has shrunk.", "RL-11 is awaiting a rights check.", "PJ-2 is reserved for the director."],
    ),
]

HOW_A_THING_STANDS_TRUE: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        CHOIR,
        (),
        call("pay_fee", None, fee="F-1"),
        [
            "Nothing is owed on F-1.",
            "F-1 has been settled.",
            "F-1 is not outstanding.",
            "There is nothing left to pay on F-1.",
            "F-1: no amount due.",
            "F-1 is no longer open.",
            "Odd owes nothing.",
            "F-1 was paid earlier.",
            "F-1 is already cleared.",
        ],
    ),
    (
        CHOIR,
        (),
        call("remind", None, fee="F-1"),
        [
            "Only open fees can be reminded of; F-1 is settled.",
            "F-1 is not overdue: it is paid.",
            "Odd has nothing to pay.",
            "Only unpaid fees get a reminder.",
        ],
    ),
    (
        CHOIR,
        (),
        call("settle", None, account="AC-1"),
        [
            "AC-1 owes nothing.",
            "No debt on AC-1.",
            "The account is balanced.",
            "AC-1 has nothing outstanding.",
            "There is nothing to settle.",
        ],
    ),
    (
        CHOIR,
        (),
        call("cancel_trip", None, trip="TR-2"),
        [
            "TR-2 is under way.",
            "Only trips that have not started can be called off.",
            "TR-2 has begun.",
            "TR-2 is in progress.",
            "TR-2 has set off.",
        ],
    ),
    (
        CHOIR,
        (),
        call("cancel_trip", None, trip="TR-4"),
        ["TR-4 is over.", "TR-4 is finished.", "TR-4 has been completed.", "TR-4 took place already."],
    ),
    (
        CHOIR,
        (),
        call("start_trip", None, trip="TR-3"),
        ["TR-3 was called off.", "TR-3 is off.", "TR-3 will not take place."],
    ),
    (
        CHOIR,
        (),
        call("lend_score", None, score="S-1"),
        [
            "S-1 is out.",
            "S-1 is with somebody.",
            "Spem is on loan.",
            "S-1 has not come back.",
            "S-1 is not in the cupboard.",
        ],
    ),
    (
        CHOIR,
        (),
        call("return_score", None, score="S-2"),
        ["S-2 is not out.", "S-2 is here.", "S-2 was never lent.", "Miserere is not on loan."],
    ),
]

HOW_A_THING_STANDS_INVENTED: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        CHOIR,
        (),
        call("pay_fee", None, fee="F-2"),
        [
            "Nothing is owed on F-2.",
            "F-2 has been settled.",
            "F-2 is not outstanding.",
            "F-2 is no longer open.",
            "Liv owes nothing.",
            "F-2 is disputed.",
            "F-2 has been handed to a collector.",
        ],
    ),
    (
        CHOIR,
        (),
        call("remind", None, fee="F-2"),
        [
            "Only late fees can be reminded of; F-2 is not late.",
            "F-2 is settled.",
            "Liv has asked not to be reminded.",
            "Reminders go out on Mondays.",
        ],
    ),
    (
        CHOIR,
        (),
        call("cancel_trip", None, trip="TR-1"),
        [
            "TR-1 is under way.",
            "TR-1 has begun.",
            "TR-1 is over.",
            "TR-1 can't be refunded.",
            "The coach for TR-1 is paid.",
        ],
    ),
    (
        CHOIR,
        (),
        call("settle", None, account="AC-2"),
        ["AC-2 owes nothing.", "AC-2 is frozen.", "No debt on AC-2.", "There is nothing to settle."],
    ),
    (
        CHOIR,
        (),
        call("lend_score", None, score="S-2"),
        ["S-2 is out.", "S-2 is on loan.", "S-2 has not come back.", "S-2 is being rebound."],
    ),
]


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_CALLS_BROUGHT_ABOUT_TRUE)
def test_what_calls_brought_about_licenses_what_says_so(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == []


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_CALLS_BROUGHT_ABOUT_INVENTED)
def test_what_calls_brought_about_does_not_license_what_is_untrue(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == texts


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_CALLS_HAVE_NOTED_TRUE)
def test_what_calls_have_noted_licenses_what_says_so(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == []


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_CALLS_HAVE_NOTED_INVENTED)
def test_what_calls_have_noted_does_not_license_what_is_untrue(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == texts


@pytest.mark.parametrize(("of", "before", "made", "texts"), HOW_A_THING_STANDS_TRUE)
def test_how_a_thing_stands_licenses_what_says_so(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == []


@pytest.mark.parametrize(("of", "before", "made", "texts"), HOW_A_THING_STANDS_INVENTED)
def test_how_a_thing_stands_does_not_license_what_is_untrue(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == texts


def test_a_name_says_not_how_a_thing_stands() -> None:
    jobs = {
        "J-1": {"customer": "Mill Press", "sheets": 40},
        "J-2": {"customer": "Running Brook", "sheets": 9},
    }
    shop = Environment(
        id="shop",
        system_prompt="You simulate a print shop.",
        initial_state={"jobs": jobs},
        state_description={},
        tools=(tool("start_job", "Starts a job.", "job", effect="write"),),
    )
    no = call("start_job", {"error": "J-1 is already running."}, job="J-1")
    assert "customer" not in "".join(one.message for one in check(no, of=shop).findings)
    told = {
        one: {**row, "mood": mood} for (one, row), mood in zip(jobs.items(), ("idle", "running"), strict=True)
    }
    plain = shop.model_copy(update={"initial_state": {"jobs": told}})
    assert "mood of J-1" in "".join(one.message for one in check(no, of=plain).findings)
