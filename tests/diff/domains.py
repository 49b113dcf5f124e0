"""Environments whose lists are filtered by their own fields: equal, bounded, in a span, by words, by membership, by negation."""

from __future__ import annotations

from typing import Any

from tests.diff.views import TEXT, WHOLE, YES, Domain, Row, View, one_of, picked, rows, told

_SHOWS: list[Row] = [
    {
        "show_id": "SH-1",
        "title": "The Glass Harbour",
        "hall": "Main",
        "genre": "drama",
        "seats_left": 40,
        "tags": ["new"],
    },
    {
        "show_id": "SH-2",
        "title": "Winter Tango",
        "hall": "Studio",
        "genre": "dance",
        "seats_left": 0,
        "tags": ["new", "late"],
    },
    {
        "show_id": "SH-3",
        "title": "Harbour Lights",
        "hall": "Main",
        "genre": "concert",
        "seats_left": 12,
        "tags": [],
    },
    {
        "show_id": "SH-4",
        "title": "Two Brooms",
        "hall": "Studio",
        "genre": "drama",
        "seats_left": 7,
        "tags": ["late"],
    },
    {"show_id": "SH-5", "title": "Ash", "hall": "Main", "genre": "drama", "seats_left": 3, "tags": ["new"]},
]


def _shows(hall: str = "", genre: str = "", min_seats: int = 0, tag: str = "", title: str = "") -> Row:
    found = picked(
        _SHOWS,
        ("show_id", "title", "hall", "genre", "seats_left"),
        lambda one: (
            hall in ("", "all", one["hall"])
            and genre in ("", one["genre"])
            and one["seats_left"] >= min_seats
            and (not tag or tag in one["tags"])
            and title.lower() in one["title"].lower()
        ),
    )
    return {"shows": found, "total": len(found)}


THEATRE = Domain(
    "theatre",
    {"shows": _SHOWS, "today": "2025-03-01"},
    {"shows": "All shows of the season."},
    [
        View(
            "list_shows",
            "Lists shows, filtered by hall and genre if these are given.",
            {"hall": TEXT, "genre": TEXT},
            _shows,
            [
                {"hall": "Main"},
                {"hall": "Main", "genre": "drama"},
                {"hall": "", "genre": "drama"},
                {"hall": "all"},
                {},
            ],
        ),
        View(
            "find_shows",
            "Finds shows by seats that are left, a tag, or words of the title.",
            {"min_seats": WHOLE, "tag": TEXT, "title": TEXT},
            _shows,
            [{"min_seats": 7}, {"tag": "new"}, {"title": "harbour"}, {"min_seats": 5, "tag": "late"}],
        ),
    ],
)

_DOGS: dict[str, Row] = {
    "DG-01": {
        "name": "Bello",
        "breed": "beagle",
        "run": "R-1",
        "vaccinated": True,
        "weight_kg": 12.5,
        "owner": "OW-7",
    },
    "DG-02": {
        "name": "Nixe",
        "breed": "collie",
        "run": "R-2",
        "vaccinated": False,
        "weight_kg": 21.0,
        "owner": "OW-8",
    },
    "DG-03": {
        "name": "Tapio",
        "breed": "beagle",
        "run": "R-1",
        "vaccinated": True,
        "weight_kg": 11.0,
        "owner": "OW-7",
    },
    "DG-04": {
        "name": "Lumi",
        "breed": "husky",
        "run": "R-3",
        "vaccinated": True,
        "weight_kg": 24.5,
        "owner": "OW-9",
    },
}
_OWNERS: list[Row] = [
    {"owner_id": "OW-7", "name": "Ruta Lam", "town": "Elm"},
    {"owner_id": "OW-8", "name": "Jon Ode", "town": "Ash"},
    {"owner_id": "OW-9", "name": "Pia Sand", "town": "Elm"},
]
_DOG = ("name", "breed", "run", "vaccinated", "weight_kg")


def _owner(owner: str) -> Row:
    record = next(one for one in _OWNERS if one["owner_id"] == owner)
    dogs = rows(_DOGS, "dog", ("name", "breed"), lambda one: one["owner"] == owner)
    return {"owner": owner, "name": record["name"], "dogs": dogs, "dog_count": len(dogs)}


KENNEL = Domain(
    "kennel",
    {
        "dogs": _DOGS,
        "owners": _OWNERS,
        "runs": {"R-1": {"roof": True}, "R-2": {"roof": False}, "R-3": {"roof": True}},
    },
    {"dogs": "All dogs by id.", "owners": "All owners.", "runs": "The runs by id."},
    [
        View(
            "list_dogs",
            "Shows the dogs of a run; only vaccinated ones if wanted.",
            {"run": TEXT, "vaccinated_only": YES},
            lambda run, vaccinated_only=False: {
                "run": run,
                "dogs": rows(
                    _DOGS,
                    "dog",
                    _DOG,
                    lambda one: one["run"] == run and (one["vaccinated"] or not vaccinated_only),
                ),
            },
            [
                {"run": "R-1"},
                {"run": "R-3", "vaccinated_only": True},
                {"run": "R-2", "vaccinated_only": False},
            ],
            {"run": "R-3"},
        ),
        View(
            "find_dogs",
            "Finds dogs by weight and breed.",
            {"max_weight": {"type": "number"}, "not_breed": TEXT},
            lambda max_weight=99.0, not_breed="": {
                "dogs": rows(
                    _DOGS,
                    "dog",
                    _DOG,
                    lambda one: one["weight_kg"] <= max_weight and one["breed"] != not_breed,
                )
            },
            [{"max_weight": 20}, {"not_breed": "beagle"}],
        ),
        View(
            "get_owner",
            "Shows one owner with their dogs.",
            {"owner": TEXT},
            _owner,
            [{"owner": "OW-7"}, {"owner": "OW-8"}],
            {"owner": "OW-9"},
        ),
    ],
)

_PLACES: list[Row] = [
    {"place": "A1", "level": 1, "state": "free", "width_cm": 240, "charger": True},
    {"place": "A2", "level": 1, "state": "taken", "width_cm": 240, "charger": False},
    {"place": "B1", "level": 2, "state": "free", "width_cm": 260, "charger": False},
    {"place": "B2", "level": 2, "state": "free", "width_cm": 230, "charger": True},
    {"place": "B3", "level": 2, "state": "taken", "width_cm": 250, "charger": True},
]
_PLACE = ("place", "level", "state", "width_cm")


def _places(status: str = "any", level: int = 0, with_charger: bool = False, min_width_cm: int = 0) -> Row:
    found = picked(
        _PLACES,
        _PLACE,
        lambda one: (
            status in ("any", one["state"])
            and level in (0, one["level"])
            and (one["charger"] or not with_charger)
            and one["width_cm"] >= min_width_cm
        ),
    )
    return {"places": found, "total": len(found)}


PARKING = Domain(
    "parking",
    {"places": _PLACES, "levels": [1, 2]},
    {"places": "Every place of the garage."},
    [
        View(
            "list_places",
            "Lists places of the garage.",
            {"status": one_of("free", "taken", "any"), "level": WHOLE},
            _places,
            [{"status": "free", "level": 2}, {"status": "taken"}, {"status": "any", "level": 1}],
            {"status": "free", "level": 1},
        ),
        View(
            "search_places",
            "Searches for places with a charger, or wide ones.",
            {"with_charger": YES, "min_width_cm": WHOLE},
            _places,
            [{"with_charger": True}, {"min_width_cm": 245}, {"with_charger": False}],
        ),
    ],
)

_PARCELS: dict[str, Row] = {
    "PL-310": {
        "zone": {"id": "Z-N", "name": "North"},
        "grams": 900,
        "kind": "letter",
        "state": "sorted",
        "sent": "2025-05-02",
    },
    "PL-311": {
        "zone": {"id": "Z-S", "name": "South"},
        "grams": 2400,
        "kind": "box",
        "state": "sorted",
        "sent": "2025-05-03",
    },
    "PL-312": {
        "zone": {"id": "Z-N", "name": "North"},
        "grams": 3100,
        "kind": "box",
        "state": "lost",
        "sent": "2025-05-05",
    },
    "PL-313": {
        "zone": {"id": "Z-E", "name": "East"},
        "grams": 120,
        "kind": "letter",
        "state": "sorted",
        "sent": "2025-05-06",
    },
}


def _parcels(
    in_zone: str = "", heavier_than: int = 0, sent_from: str = "", sent_to: str = "9", states: Any = ()
) -> Row:
    found = rows(
        _PARCELS,
        "parcel_id",
        ("zone", "grams", "kind", "state", "sent"),
        lambda one: (
            in_zone in ("", *one["zone"].values())
            and one["grams"] > heavier_than
            and sent_from <= one["sent"] <= sent_to
            and (not states or one["state"] in states)
        ),
    )
    return {"parcels": found, "count": len(found)}


POST = Domain(
    "post",
    {"parcels": _PARCELS, "date": "2025-05-07"},
    {"parcels": "All parcels by id, with the zone that each goes to."},
    [
        View(
            "list_parcels",
            "Lists parcels for a zone.",
            {"in_zone": TEXT},
            _parcels,
            [{"in_zone": "Z-N"}, {"in_zone": "South"}],
            {"in_zone": "Z-E"},
        ),
        View(
            "find_parcels",
            "Finds parcels by the day on which they were sent, their states or their weight.",
            {"sent_from": TEXT, "sent_to": TEXT, "states": {"type": "array"}, "heavier_than": WHOLE},
            _parcels,
            [
                {"sent_from": "2025-05-03", "sent_to": "2025-05-05"},
                {"states": ["lost", "sorted"]},
                {"states": ["lost"]},
            ],
        ),
    ],
)

_HEARINGS: list[Row] = [
    {"hearing": "HR-21", "case": "C-5", "judge": "M. Thorn", "starts": "2025-06-02T09:00:00Z", "room": "2"},
    {"hearing": "HR-22", "case": "C-6", "judge": "A. Bligh", "starts": "2025-06-02T13:00:00Z", "room": "4"},
    {"hearing": "HR-23", "case": "C-5", "judge": "M. Thorn", "starts": "2025-06-04T10:00:00Z", "room": "2"},
    {"hearing": "HR-24", "case": "C-7", "judge": "A. Bligh", "starts": "2025-06-05T09:30:00Z", "room": "2"},
]
_CASES = {
    "C-5": {"title": "Ode v. Lam", "kind": "civil"},
    "C-6": {"title": "Sand", "kind": "family"},
    "C-7": {"title": "Elm Mill", "kind": "civil"},
}
_HEARING = ("hearing", "judge", "starts", "room")


def _hearings(
    case: str = "", judge: str = "", day: str = "", from_date: str = "", to_date: str = "9"
) -> list[Row]:
    return picked(
        _HEARINGS,
        _HEARING,
        lambda one: (
            case in ("", one["case"])
            and judge in ("", one["judge"])
            and one["starts"].startswith(day)
            and from_date <= one["starts"][:10] <= to_date
        ),
    )


COURT = Domain(
    "court",
    {"hearings": _HEARINGS, "cases": _CASES, "now": "2025-06-01T08:00:00Z"},
    {"hearings": "All hearings that are set.", "cases": "All cases by number."},
    [
        View(
            "get_case",
            "Shows a case with its hearings.",
            {"case": told("Case number, for example C-5.")},
            lambda case: {"case": case, **_CASES[case], "hearings": _hearings(case=case)},
            [{"case": "C-5"}, {"case": "C-7"}],
            {"case": "C-6"},
        ),
        View(
            "list_hearings",
            "Lists hearings of a judge, or of a day.",
            {"judge": TEXT, "day": TEXT},
            lambda **given: {"hearings": _hearings(**given)},
            [{"judge": "A. Bligh"}, {"day": "2025-06-02"}, {"judge": "M. Thorn", "day": "2025-06-04"}],
            {"day": "2025-06-05"},
        ),
        View(
            "get_calendar",
            "Shows the hearings between two days.",
            {"from_date": TEXT, "to_date": TEXT},
            lambda **given: {**given, "hearings": _hearings(**given)},
            [{"from_date": "2025-06-02", "to_date": "2025-06-04"}],
            {"from_date": "2025-06-05", "to_date": "2025-06-30"},
        ),
    ],
)

_MEMBERS: dict[str, Row] = {
    "MB-1": {"name": "Ana Roth", "plan": "gold", "ends": "2025-04-10", "visits": 31, "guest_of": ""},
    "MB-2": {"name": "Bo Quist", "plan": "basic", "ends": "2025-09-01", "visits": 4, "guest_of": ""},
    "MB-3": {"name": "Cleo Ander", "plan": "gold", "ends": "2025-04-03", "visits": 12, "guest_of": "MB-1"},
    "MB-4": {"name": "Dag Roth", "plan": "family", "ends": "2025-05-20", "visits": 0, "guest_of": "MB-1"},
}


def _members(plan: str = "", within_days: int = 0, query: str = "") -> Row:
    last = f"2025-04-{1 + within_days:02d}" if within_days else "9"
    found = rows(
        _MEMBERS,
        "member",
        ("name", "plan", "ends"),
        lambda one: (
            plan in ("", one["plan"]) and one["ends"] <= last and query.lower() in one["name"].lower()
        ),
    )
    return {"today": "2025-04-01", "members": found}


GYM = Domain(
    "gym",
    {
        "members": _MEMBERS,
        "today": "2025-04-01",
        "plans": {"gold": {"price": 40}, "basic": {"price": 20}, "family": {"price": 60}},
    },
    {"members": "All members by id.", "plans": "All plans."},
    [
        View(
            "list_members",
            "Shows the members with one plan.",
            {"plan": TEXT},
            _members,
            [{"plan": "gold"}, {"plan": "basic"}],
            {"plan": "family"},
        ),
        View(
            "list_ending",
            "Shows the members whose membership ends within some days from today.",
            {"within_days": WHOLE},
            _members,
            [{"within_days": 10}],
        ),
        View(
            "search_members",
            "Searches members by a part of their name.",
            {"query": TEXT},
            _members,
            [{"query": "roth"}, {"query": "cleo"}],
        ),
        View(
            "get_guests",
            "Shows who are guests of a member.",
            {"member": TEXT},
            lambda member: {
                "member": member,
                "guests": rows(_MEMBERS, "member", ("name",), lambda one: one["guest_of"] == member),
            },
            [{"member": "MB-1"}],
        ),
    ],
)

_TICKETS: dict[str, Row] = {
    "TK-1": {
        "title": "Belt slips",
        "severity": 3,
        "status": "open",
        "area": "press",
        "labels": ["wear"],
        "reporter": "kim",
    },
    "TK-2": {
        "title": "Oil on floor",
        "severity": 1,
        "status": "closed",
        "area": "yard",
        "labels": [],
        "reporter": "lev",
    },
    "TK-3": {
        "title": "Belt torn",
        "severity": 5,
        "status": "open",
        "area": "press",
        "labels": ["wear", "stop"],
        "reporter": "lev",
    },
    "TK-4": {
        "title": "Door jams",
        "severity": 2,
        "status": "open",
        "area": "yard",
        "labels": ["stop"],
        "reporter": "kim",
    },
}
_TICKET = ("title", "severity", "status", "area")


def _tickets(**given: Any) -> Row:
    found = rows(
        _TICKETS,
        "ticket",
        _TICKET,
        lambda one: (
            given.get("status") in (None, "all", one["status"])
            and (given.get("include_closed", True) or one["status"] != "closed")
            and one["severity"] >= given.get("severity_at_least", 0)
            and given.get("label", "") in ("", *one["labels"])
            and given.get("reported_by") in (None, one["reporter"])
            and one["area"] not in given.get("except_areas", [])
        ),
    )
    return {"tickets": found, "total": len(found)}


WORKS = Domain(
    "works",
    {"tickets": _TICKETS, "areas": {"press": {"lead": "kim"}, "yard": {"lead": "lev"}}},
    {"tickets": "All tickets by id.", "areas": "The areas of the works."},
    [
        View(
            "list_tickets",
            "Lists tickets by status.",
            {"status": one_of("open", "closed", "all")},
            _tickets,
            [{"status": "open"}, {"status": "closed"}, {"status": "all"}],
            {"status": "closed"},
        ),
        View(
            "list_by_severity",
            "Lists tickets of a severity or a higher one.",
            {"severity_at_least": WHOLE},
            _tickets,
            [{"severity_at_least": 3}],
        ),
        View(
            "list_labelled",
            "Lists tickets that bear a label.",
            {"label": TEXT},
            _tickets,
            [{"label": "stop"}],
            {"label": "wear"},
        ),
        View(
            "show_tickets",
            "Lists tickets without closed ones if wanted.",
            {"include_closed": YES},
            _tickets,
            [{"include_closed": False}, {"include_closed": True}],
        ),
        View(
            "list_reported",
            "Lists the tickets that somebody reported.",
            {"reported_by": TEXT},
            _tickets,
            [{"reported_by": "lev"}],
            {"reported_by": "kim"},
        ),
        View(
            "list_elsewhere",
            "Lists tickets except those of some areas.",
            {"except_areas": {"type": "array"}},
            _tickets,
            [{"except_areas": ["press"]}],
        ),
    ],
)

_SAILINGS: list[Row] = [
    {"sailing": "SL-7", "from": "Orm", "to": "Vik", "departs": "08:00", "cars_left": 4},
    {"sailing": "SL-8", "from": "Orm", "to": "Tre", "departs": "09:30", "cars_left": 0},
    {"sailing": "SL-9", "from": "Vik", "to": "Orm", "departs": "11:00", "cars_left": 9},
    {"sailing": "SL-10", "from": "Orm", "to": "Vik", "departs": "15:30", "cars_left": 2},
]


def _sailings(origin: str = "", destination: str = "", after: str = "", room_for: int = 0) -> list[Row]:
    return picked(
        _SAILINGS,
        ("sailing", "departs", "cars_left"),
        lambda one: (
            origin in ("", one["from"])
            and destination in ("", one["to"])
            and one["departs"] >= after
            and one["cars_left"] >= room_for
        ),
    )


FERRY = Domain(
    "ferry",
    {"sailings": _SAILINGS, "ports": {"Orm": {"piers": 2}, "Vik": {"piers": 1}, "Tre": {"piers": 1}}},
    {"sailings": "All sailings of the day.", "ports": "All ports."},
    [
        View(
            "search_sailings",
            "Shows the sailings from one port to another, earliest first.",
            {"origin": TEXT, "destination": TEXT},
            lambda **given: {"sailings": _sailings(**given)},
            [{"origin": "Orm", "destination": "Vik"}, {"origin": "Vik", "destination": "Orm"}],
            {"origin": "Orm", "destination": "Tre"},
        ),
        View(
            "list_departures",
            "Shows what leaves a port, from a time on if wanted.",
            {"port": TEXT, "after": TEXT},
            lambda port, after="": {"port": port, "departures": _sailings(origin=port, after=after)},
            [{"port": "Orm"}, {"port": "Orm", "after": "09:00"}],
            {"port": "Vik"},
        ),
    ],
)

DOMAINS = (THEATRE, KENNEL, PARKING, POST, COURT, GYM, WORKS, FERRY)
