"""Environments whose lists are of plots, programmes, crews and accounts: by what is empty, by days, by several references."""

from __future__ import annotations

from tests.diff.views import TEXT, WHOLE, YES, Domain, Row, View, picked, rows

_PLOTS: dict[str, Row] = {
    "PT-1": {"tenant": "Frost", "metres": 200, "water": True},
    "PT-2": {"tenant": None, "metres": 150, "water": True},
    "PT-3": {"tenant": None, "metres": 300, "water": False},
    "PT-4": {"tenant": "Gale", "metres": 180, "water": False},
}
PLOTS = Domain(
    "plots",
    {"plots": _PLOTS},
    {"plots": "All plots by number."},
    [
        View(
            "list_plots",
            "Lists plots, only vacant ones if wanted.",
            {"vacant_only": YES, "min_metres": WHOLE},
            lambda vacant_only=False, min_metres=0: {
                "plots": rows(
                    _PLOTS,
                    "plot",
                    ("tenant", "metres", "water"),
                    lambda one: (one["tenant"] is None or not vacant_only) and one["metres"] >= min_metres,
                )
            },
            [
                {"vacant_only": True},
                {"vacant_only": True, "min_metres": 200},
                {"min_metres": 180},
                {"vacant_only": False},
            ],
            {"vacant_only": True},
        ),
    ],
)

_PROGRAMME = {
    "monday": [
        {"starts": "18:00", "title": "News"},
        {"starts": "18:30", "title": "The Weir"},
        {"starts": "20:00", "title": "Chess"},
    ],
    "tuesday": [{"starts": "18:00", "title": "News"}, {"starts": "19:00", "title": "Kitchen"}],
}
STUDIO = Domain(
    "studio",
    {
        "programme": _PROGRAMME,
        "titles": {
            "News": {"crew": 4},
            "The Weir": {"crew": 2},
            "Chess": {"crew": 3},
            "Kitchen": {"crew": 5},
        },
    },
    {"programme": "What runs on each day, in order.", "titles": "All titles."},
    [
        View(
            "get_day",
            "Shows what runs on a day.",
            {"day": TEXT},
            lambda day: {"day": day, "programme": _PROGRAMME[day]},
            [{"day": "monday"}],
            {"day": "tuesday"},
        ),
        View(
            "find_title",
            "Shows when a title runs.",
            {"title": TEXT},
            lambda title: {
                "title": title,
                "runs": [
                    {"day": day, "starts": one["starts"]}
                    for day, all_of in _PROGRAMME.items()
                    for one in all_of
                    if one["title"] == title
                ],
            },
            [{"title": "News"}],
            {"title": "Chess"},
        ),
    ],
)

_CREW = [
    {"crew_id": "CW-1", "name": "Ira Holt", "base": "NOR", "licences": ["A20", "B37"]},
    {"crew_id": "CW-2", "name": "Jan Moor", "base": "NOR", "licences": ["A20"]},
    {"crew_id": "CW-3", "name": "Kit Weld", "base": "EST", "licences": ["B37"]},
]
_DUTIES = [
    {"crew": "CW-1", "flight": "FL-1", "day": "2025-07-01", "hours": 6},
    {"crew": "CW-1", "flight": "FL-4", "day": "2025-07-02", "hours": 5},
    {"crew": "CW-2", "flight": "FL-1", "day": "2025-07-01", "hours": 6},
    {"crew": "CW-3", "flight": "FL-2", "day": "2025-07-02", "hours": 9},
]
CREW = Domain(
    "crew",
    {
        "crew": _CREW,
        "duties": _DUTIES,
        "flights": {"FL-1": {"type": "A20"}, "FL-2": {"type": "B37"}, "FL-4": {"type": "A20"}},
    },
    {"crew": "All crew.", "duties": "All duties of the week.", "flights": "All flights by number."},
    [
        View(
            "list_crew",
            "Lists the crew of a base who hold a licence.",
            {"base": TEXT, "licence": TEXT},
            lambda base, licence="": {
                "crew": picked(
                    _CREW,
                    ("crew_id", "name", "licences"),
                    lambda one: one["base"] == base and licence in ("", *one["licences"]),
                )
            },
            [{"base": "NOR"}, {"base": "NOR", "licence": "B37"}, {"base": "EST", "licence": "B37"}],
            {"base": "EST"},
        ),
        View(
            "get_duties",
            "Shows the duties of one of the crew.",
            {"crew_id": TEXT},
            lambda crew_id: {
                "crew_id": crew_id,
                "duties": picked(_DUTIES, ("flight", "day", "hours"), lambda one: one["crew"] == crew_id),
            },
            [{"crew_id": "CW-1"}, {"crew_id": "CW-3"}],
            {"crew_id": "CW-2"},
        ),
        View(
            "get_flight",
            "Shows a flight with those who fly it.",
            {"flight": TEXT},
            lambda flight: {
                "flight": flight,
                "crew": [one["crew"] for one in _DUTIES if one["flight"] == flight],
            },
            [{"flight": "FL-1"}, {"flight": "FL-4"}],
            {"flight": "FL-2"},
        ),
        View(
            "get_day_sheet",
            "Shows all duties of a day.",
            {"day": TEXT},
            lambda day: {
                "day": day,
                "duties": picked(_DUTIES, ("crew", "flight", "hours"), lambda one: one["day"] == day),
            },
            [{"day": "2025-07-01"}, {"day": "2025-07-02"}],
            {"day": "2025-07-02"},
        ),
    ],
)

_TX = [
    {"tx": "TX-1", "account": "AC-9", "amount": -40.0, "on": "2025-02-01", "kind": "card"},
    {"tx": "TX-2", "account": "AC-9", "amount": 900.0, "on": "2025-02-03", "kind": "transfer"},
    {"tx": "TX-3", "account": "AC-8", "amount": -12.5, "on": "2025-02-03", "kind": "card"},
    {"tx": "TX-4", "account": "AC-9", "amount": -75.0, "on": "2025-02-08", "kind": "card"},
]
_ACCOUNTS: dict[str, Row] = {
    "AC-8": {"holder": "Frost", "limit": 100},
    "AC-9": {"holder": "Gale", "limit": 500},
}


def _moves(account: str = "", kind: str = "", start_date: str = "", end_date: str = "9") -> list[Row]:
    return picked(
        _TX,
        ("tx", "amount", "on", "kind"),
        lambda one: (
            account in ("", one["account"])
            and kind in ("", one["kind"])
            and start_date <= one["on"] <= end_date
        ),
    )


BANK = Domain(
    "bank",
    {"transactions": _TX, "accounts": _ACCOUNTS},
    {"transactions": "All transactions.", "accounts": "All accounts by number."},
    [
        View(
            "get_account",
            "Shows an account with its transactions.",
            {"account": TEXT},
            lambda account: {"account": account, **_ACCOUNTS[account], "transactions": _moves(account)},
            [{"account": "AC-9"}, {"account": "AC-8"}],
            {"account": "AC-8"},
        ),
        View(
            "list_transactions",
            "Lists the transactions of an account, of one kind if wanted.",
            {"account": TEXT, "kind": TEXT},
            lambda **given: {"transactions": _moves(**given), "count": len(_moves(**given))},
            [{"account": "AC-9", "kind": "card"}, {"account": "AC-9"}, {"account": "AC-8", "kind": "card"}],
            {"account": "AC-8"},
        ),
        View(
            "get_statement",
            "Shows an account's transactions from one day to another.",
            {"account": TEXT, "start_date": TEXT, "end_date": TEXT},
            lambda **given: {"transactions": _moves(**given)},
            [{"account": "AC-9", "start_date": "2025-02-02", "end_date": "2025-02-28"}],
            {"account": "AC-8", "start_date": "2025-02-01", "end_date": "2025-02-28"},
        ),
    ],
)

DOMAINS = (PLOTS, STUDIO, CREW, BANK)
