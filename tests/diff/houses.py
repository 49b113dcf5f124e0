"""Small houses of our own, each with a few rules: a gliding club, a film archive, a dye works, a swimming hall, a boat hire, a choir, a grant
office, a tool crib. Refusals in many words are held against them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment, Tool
from tests.diff.ward import check, tool


def _house(
    name: str, prompt: str, state: dict[str, Any], tools: tuple[Tool, ...], told: dict[str, Any]
) -> Environment:
    return Environment(
        id=name, system_prompt=prompt, initial_state=state, state_description=told, tools=tools
    )


def accused(of: Environment, before: Sequence[Observed], made: Observed, texts: Sequence[str]) -> list[str]:
    """Those of the texts that are an invented rule where the call is refused with them after the calls before."""
    return [text for text in texts if _is_accused(of, before, made._replace(observation={"error": text}))]


def _is_accused(of: Environment, before: Sequence[Observed], made: Observed) -> bool:
    findings = check(*before, made, of=of).findings
    return any(one.kind == "rule_invention" and one.call == len(before) for one in findings)


GLIDING = _house(
    "gliding",
    "You simulate a gliding club. A glider is launched from the winch that it hangs on, with a pilot in it. It has to be rigged, and inspected on the day.",
    {
        "gliders": {
            "GL-1": {
                "model": "Ka 8",
                "winch": "W-2",
                "pilot": "Ruhl",
                "rigged": True,
                "inspected": True,
                "trailer": "T-4",
            },
            "GL-2": {
                "model": "Astir",
                "winch": None,
                "pilot": None,
                "rigged": True,
                "inspected": True,
                "trailer": None,
            },
            "GL-3": {
                "model": "Blanik",
                "winch": "W-1",
                "pilot": "Sorel",
                "rigged": False,
                "inspected": False,
                "trailer": "",
            },
        },
        "winches": {"W-1": {"rope_m": 900, "driver": None}, "W-2": {"rope_m": 1100, "driver": "Ode"}},
    },
    (
        tool("launch", "Launches a glider.", "glider", effect="write"),
        tool("tow_home", "Takes a glider home on its trailer.", "glider", effect="write"),
        tool("pull", "Pulls a rope in. The winch needs a driver.", "winch", effect="write"),
        tool("get_glider", "Shows a glider.", "glider"),
    ),
    {"gliders": "All gliders of the club.", "winches": "Both winches."},
)
FILM = _house(
    "film",
    "You simulate a film archive. Reels lie in vaults. A reel is shown from a projector. A reel that is not in its vault can't be scanned.",
    {
        "reels": {
            "RL-10": {"title": "Harbour Lights", "vault": "V-1", "minutes": 42},
            "RL-11": {"title": "The Long Furrow", "vault": "V-1", "minutes": 18},
            "RL-12": {"title": "Glass", "vault": "V-2", "minutes": 95},
        },
        "projectors": {"PJ-1": {"hall": "Red"}, "PJ-2": {"hall": "Blue"}},
        "vaults": {"V-1": {"room": "cellar"}, "V-2": {"room": "loft"}},
        "screenings": {"SC-5": {"reel": "RL-12", "hall": "Blue", "state": "planned"}},
        "tags": {},
    },
    (
        tool("scan_reel", "Scans a reel.", "reel", effect="write"),
        tool("send_reel", "Sends a reel to another archive.", "reel", "to", effect="write"),
        tool("thread_reel", "Puts a reel on a projector.", "reel", "projector", effect="write"),
        tool("move_reel", "Moves a reel to another vault.", "reel", "vault", effect="write"),
        tool("cancel_screening", "Cancels a screening.", "screening", effect="write"),
        tool("finish_screening", "Ends a screening.", "screening", effect="write"),
        tool("start_screening", "Starts a screening.", "screening", effect="write"),
        tool("discard_reel", "Throws a reel away.", "reel", effect="write"),
        tool("lock_vault", "Locks a vault.", "vault", effect="write"),
        tool("add_note", "Adds a note to a reel.", "reel", "note", effect="write"),
        tool("restrict_reel", "Puts a ban on a reel.", "reel", "ban", effect="write"),
        tool("get_reel", "Shows a reel.", "reel"),
    ),
    {"reels": "All reels and the vaults in which they lie.", "screenings": "All screenings."},
)
DYE = _house(
    "dye",
    "You simulate a dye works. Dyeing a bolt takes 12 litres from the vat. Decanting takes the litres from one vat and makes a new vat with them. Bleaching takes 5 litres.",
    {
        "vats": {"VT-1": {"colour": "indigo", "litres": 40}, "VT-2": {"colour": "madder", "litres": 9.5}},
        "bolts": {
            "B-1": {"cloth": "linen"},
            "B-2": {"cloth": "wool"},
            "B-3": {"cloth": "silk"},
            "B-4": {"cloth": "hemp"},
        },
    },
    (
        tool("dye_bolt", "Dyes a bolt in a vat.", "vat", "bolt", effect="write"),
        tool(
            "decant", "Fills dye from a vat into a new vat.", "vat", effect="write", litres={"type": "number"}
        ),
        tool("bleach", "Bleaches a bolt.", "vat", "bolt", effect="write"),
        tool("list_vats", "Lists all vats."),
    ),
    {"vats": "All vats with the litres in them.", "bolts": "All bolts."},
)
SWIMMING = _house(
    "swim",
    "You simulate the desk of a swimming hall. Lanes are let in slots of 45 minutes from 07:00 to 10:00. The sauna is open between 14:00 and 20:00 and is let by the hour. The slide closes at 18:30.",
    {
        "lanes": {"LN-1": {"metres": 25}, "LN-2": {"metres": 50}},
        "bookings": {"BK-1": {"lane": "LN-1", "start": "2026-07-01 07:45", "who": "Ebba"}},
        "today": "2026-07-01",
    },
    (
        tool("book_lane", "Books a lane.", "lane", "start", effect="write"),
        tool("book_sauna", "Books the sauna for an hour.", "start", effect="write"),
        tool("ride", "Lets somebody on the slide.", "at", effect="write"),
    ),
    {"bookings": "All bookings."},
)
BOATS = _house(
    "boats",
    "You simulate a boat hire. A boat is hired from one day to another, the last day not counted. Nobody else has it meanwhile.",
    {
        "boats": {"BO-1": {"name": "Tern", "seats": 4}, "BO-2": {"name": "Coot", "seats": 2}},
        "guests": {"G-1": {"name": "Noll"}, "G-2": {"name": "Aas"}, "G-3": {"name": "Piro"}},
        "hires": {
            "HR-1": {"boat": "BO-1", "guest": "G-1", "from": "2026-08-01", "to": "2026-08-05"},
            "HR-2": {"boat": "BO-2", "guest": "G-2", "from": "2026-08-10", "to": "2026-08-12"},
        },
    },
    (
        tool("hire", "Hires a boat.", "boat", "guest", "from", "to", effect="write"),
        tool("hires", "Lists hires."),
        tool("extend", "Makes a hire longer.", "hire", "to", effect="write"),
    ),
    {"hires": "All hires.", "boats": "All boats."},
)
CHOIR = _house(
    "choir",
    "You simulate the treasurer of a choir. Paying settles a fee. A reminder goes out for an unpaid fee. Trips that have not begun can be cancelled. Waiving strikes an open fee.",
    {
        "fees": {
            "F-1": {"singer": "Odd", "amount": 40, "paid": True},
            "F-2": {"singer": "Liv", "amount": 60, "paid": False},
            "F-3": {"singer": "Tom", "amount": 25, "paid": False, "waived": True},
        },
        "accounts": {"AC-1": {"owner": "Odd", "balance": 0}, "AC-2": {"owner": "Liv", "balance": 60}},
        "trips": {
            "TR-1": {"to": "Riga", "status": "planned"},
            "TR-2": {"to": "Turku", "status": "running"},
            "TR-3": {"to": "Oslo", "status": "cancelled"},
            "TR-4": {"to": "Bonn", "status": "ended"},
        },
        "scores": {"S-1": {"title": "Spem", "lent": True}, "S-2": {"title": "Miserere", "lent": False}},
    },
    (
        tool("pay_fee", "Pays a fee.", "fee", effect="write"),
        tool("remind", "Sends a reminder for an unpaid fee.", "fee", effect="write"),
        tool("waive", "Strikes an open fee.", "fee", effect="write"),
        tool("settle", "Pays what an account owes.", "account", effect="write"),
        tool("cancel_trip", "Cancels a planned trip.", "trip", effect="write"),
        tool("start_trip", "Starts a trip.", "trip", effect="write"),
        tool("lend_score", "Lends a score.", "score", effect="write"),
        tool("return_score", "Takes a score back.", "score", effect="write"),
    ),
    {"fees": "All fees.", "trips": "All trips.", "scores": "All scores."},
)
PURSES = _house(
    "wires",
    "You simulate an address book with groups and a small bank.",
    {
        "contacts": {"C-1": {"name": "Ada", "group": "work"}, "C-2": {"name": "Bo", "group": "club"}},
        "purses": {"PU-1": {"owner": "C-1", "coins": 30}, "PU-2": {"owner": "C-2", "coins": 12}},
        "tasks": {"TK-1": {"blocks": []}, "TK-2": {"blocks": []}},
    },
    (
        tool("merge_contacts", "Merges a contact into another.", "contact", "into", effect="write"),
        tool("transfer", "Moves coins.", "from_purse", "to_purse", effect="write", coins={"type": "integer"}),
        tool("block", "Makes a task wait for another.", "task", "waits_for", effect="write"),
        tool("compare", "Compares two contacts.", "first", "second"),
        tool("set_group", "Puts a contact in a group.", "contact", "group", effect="write"),
    ),
    {"contacts": "All contacts."},
)
GRANTS = _house(
    "grants",
    "You simulate a grant office. Approving wants a budget, a referee and a letter. Paying out needs a signed contract and an IBAN. A visit is made by somebody with a car.",
    {
        "grants": {
            "GR-1": {"title": "Bees", "papers": ["letter"], "referee": None, "stage": "new", "iban": ""},
            "GR-2": {
                "title": "Wells",
                "papers": ["letter", "budget", "contract"],
                "referee": "Okt",
                "stage": "new",
                "iban": "X77",
            },
            "GR-3": {"title": "Mills", "papers": [], "referee": "Ull", "stage": "approved", "iban": "X12"},
        },
        "staff": {"ST-1": {"name": "Rea", "has": ["car"]}, "ST-2": {"name": "Ymir", "has": []}},
    },
    (
        tool("approve", "Approves a grant.", "grant", effect="write"),
        tool("pay_out", "Pays a grant out.", "grant", effect="write"),
        tool("visit", "Sends somebody to see a project.", "grant", "staff", effect="write"),
        tool("add_paper", "Files a paper.", "grant", "paper", effect="write"),
    ),
    {"grants": "All grants.", "staff": "Everybody."},
)
CRIB = _house(
    "crib",
    "You simulate a tool crib. Refused where the stock is too small. A worker has a card.",
    {
        "items": {
            "drill-8": {"stock": 12, "shelf": "A", "price": 4},
            "saw-3": {"stock": 2, "shelf": "B", "price": 19},
            "rasp-1": {"stock": 0, "shelf": "C", "price": 6},
        },
        "workers": {"WK-1": {"name": "Finn"}, "WK-2": {"name": "Isa"}},
        "courses": {
            "CO-1": {"name": "Welding", "seats_left": 5},
            "CO-2": {"name": "Turning", "seats_left": 0},
        },
    },
    (
        tool("issue", "Gives out items.", "item", "worker", effect="write", count={"type": "integer"}),
        tool("enrol", "Puts a worker on a course.", "course", "worker", effect="write"),
        tool("restock", "Adds to the stock.", "item", effect="write", count={"type": "integer"}),
    ),
    {"items": "All items.", "courses": "All courses."},
)
CAPPED = CRIB.model_copy(
    update={
        "id": "capped",
        "system_prompt": f"{CRIB.system_prompt} A worker takes at most 3 of an item at once. One course per worker and year.",
    }
)
