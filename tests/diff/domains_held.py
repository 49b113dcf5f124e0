"""Environments whose lists are of one thing: its parts, what refers to it, its rows without ids, maps and plain names."""

from __future__ import annotations

from typing import Any

from tests.diff.views import TEXT, WHOLE, YES, Domain, Row, View, one_of, picked, rows, told

_BOXES: dict[str, Row] = {
    "BX-4": {
        "shelf": "S2",
        "papers": [
            {"title": "Minutes of the guild", "year": 1871, "pages": 40},
            {"title": "Map of the weir", "year": 1880, "pages": 1},
            {"title": "Letters to the reeve", "year": 1880, "pages": 12},
        ],
    },
    "BX-5": {
        "shelf": "S2",
        "papers": [
            {"title": "Tithe roll", "year": 1790, "pages": 88},
            {"title": "Plan of the mill", "year": 1802, "pages": 2},
        ],
    },
}
ARCHIVE = Domain(
    "archive",
    {"boxes": _BOXES},
    {"boxes": "All boxes by id, each with its papers."},
    [
        View(
            "get_box",
            "Shows a box with its papers.",
            {"box": TEXT},
            lambda box: {"box": box, **_BOXES[box]},
            [{"box": "BX-4"}, {"box": "BX-5"}],
            {"box": "BX-5"},
        ),
        View(
            "list_papers",
            "Lists the papers of a box between two years.",
            {"box": TEXT, "from_year": WHOLE, "to_year": WHOLE},
            lambda box, from_year=0, to_year=9999: {
                "box": box,
                "papers": picked(
                    _BOXES[box]["papers"], ("title", "year"), lambda one: from_year <= one["year"] <= to_year
                ),
            },
            [
                {"box": "BX-4", "from_year": 1875, "to_year": 1885},
                {"box": "BX-5", "to_year": 1800},
                {"box": "BX-4"},
            ],
            {"box": "BX-5", "from_year": 1800},
        ),
    ],
)

_CLASSES: dict[str, Row] = {
    "CL-1A": {"teacher": "T-3", "room": "12", "pupils": ["PU-1", "PU-2", "PU-3"]},
    "CL-1B": {"teacher": "T-4", "room": "14", "pupils": ["PU-4", "PU-5"]},
    "CL-CH": {"teacher": "T-3", "room": "Hall", "pupils": ["PU-1", "PU-3", "PU-5"]},
}
_PUPILS: dict[str, Row] = {
    "PU-1": {"name": "Ida", "year": 1},
    "PU-2": {"name": "Karl", "year": 1},
    "PU-3": {"name": "Mia", "year": 2},
    "PU-4": {"name": "Nils", "year": 1},
    "PU-5": {"name": "Olga", "year": 2},
}
SCHOOL = Domain(
    "school",
    {
        "classes": _CLASSES,
        "pupils": _PUPILS,
        "teachers": {"T-3": {"name": "Fr. Lund"}, "T-4": {"name": "Hr. Beck"}},
    },
    {"classes": "All classes by id.", "pupils": "All pupils by id.", "teachers": "All teachers by id."},
    [
        View(
            "list_pupils",
            "Shows the pupils of a class.",
            {"class": told("Class id, for example CL-1A.")},
            lambda **given: {
                **given,
                "pupils": [{"pupil": one, **_PUPILS[one]} for one in _CLASSES[given["class"]]["pupils"]],
            },
            [{"class": "CL-1A"}, {"class": "CL-CH"}],
            {"class": "CL-1B"},
        ),
        View(
            "list_classes",
            "Shows the classes of a teacher.",
            {"teacher": TEXT},
            lambda teacher: {
                "teacher": teacher,
                "classes": rows(_CLASSES, "class", ("room",), lambda one: one["teacher"] == teacher),
            },
            [{"teacher": "T-3"}],
            {"teacher": "T-4"},
        ),
        View(
            "get_pupil",
            "Shows one pupil with their classes.",
            {"pupil": TEXT},
            lambda pupil: {
                "pupil": pupil,
                **_PUPILS[pupil],
                "classes": [name for name, one in _CLASSES.items() if pupil in one["pupils"]],
            },
            [{"pupil": "PU-1"}, {"pupil": "PU-5"}, {"pupil": "PU-4"}],
            {"pupil": "PU-3"},
        ),
    ],
)

_ZOO: list[Row] = [
    {
        "enclosure": "EN-1",
        "name": "Savanna",
        "animals": [
            {"animal": "AN-11", "species": "zebra", "feed_at": "09:00"},
            {"animal": "AN-12", "species": "ostrich", "feed_at": "10:00"},
        ],
    },
    {
        "enclosure": "EN-2",
        "name": "Rock",
        "animals": [
            {"animal": "AN-21", "species": "ibex", "feed_at": "09:00"},
            {"animal": "AN-22", "species": "ibex", "feed_at": "11:00"},
            {"animal": "AN-23", "species": "marmot", "feed_at": "09:00"},
        ],
    },
]


def _animals(**given: Any) -> list[Row]:
    return [
        {"enclosure": pen["enclosure"], **one}
        for pen in _ZOO
        for one in pen["animals"]
        if given.get("species") in (None, one["species"]) and given.get("feed_at") in (None, one["feed_at"])
    ]


ZOO = Domain(
    "zoo",
    {"enclosures": _ZOO},
    {"enclosures": "All enclosures with their animals."},
    [
        View(
            "get_enclosure",
            "Shows an enclosure and its animals.",
            {"enclosure": TEXT},
            lambda enclosure: next(one for one in _ZOO if one["enclosure"] == enclosure),
            [{"enclosure": "EN-1"}, {"enclosure": "EN-2"}],
            {"enclosure": "EN-2"},
        ),
        View(
            "list_animals",
            "Lists the animals of a species, or those that are fed at some time.",
            {"species": TEXT, "feed_at": TEXT},
            lambda **given: {"animals": _animals(**given)},
            [{"species": "ibex"}, {"feed_at": "09:00"}, {}],
            {"species": "zebra"},
        ),
    ],
)

_SLOPES: dict[str, Row] = {
    "Sonnhang": {"difficulty": "easy", "lifts": ["LF-1", "LF-2"], "open": True},
    "Kar": {"difficulty": "hard", "lifts": ["LF-2"], "open": False},
    "Grat": {"difficulty": "hard", "lifts": ["LF-2", "LF-3"], "open": True},
    "Alm": {"difficulty": "easy", "lifts": ["LF-1"], "open": True},
}
_LIFTS: dict[str, Row] = {"LF-1": {"kind": "gondola"}, "LF-2": {"kind": "chair"}, "LF-3": {"kind": "tow"}}


def _slopes(**given: Any) -> Row:
    found = rows(
        _SLOPES,
        "slope",
        ("difficulty", "open"),
        lambda one: (
            given.get("difficulty") in (None, one["difficulty"])
            and given.get("lift", one["lifts"][0]) in one["lifts"]
            and (one["open"] or not given.get("open_only"))
        ),
    )
    return {"slopes": found}


SKI = Domain(
    "ski",
    {"slopes": _SLOPES, "lifts": _LIFTS},
    {"slopes": "All slopes by name, with the lifts that lead there.", "lifts": "All lifts by id."},
    [
        View(
            "list_slopes",
            "Lists slopes.",
            {"difficulty": one_of("easy", "hard"), "open_only": YES},
            _slopes,
            [{"difficulty": "easy"}, {"difficulty": "hard", "open_only": True}, {"open_only": True}],
            {"difficulty": "hard"},
        ),
        View(
            "get_lift",
            "Shows a lift with the slopes that it leads to.",
            {"lift": TEXT},
            lambda lift: {"lift": lift, **_LIFTS[lift], **_slopes(lift=lift)},
            [{"lift": "LF-2"}, {"lift": "LF-3"}],
            {"lift": "LF-1"},
        ),
    ],
)

_ROUNDS = {
    "monday": ["Elm Street", "Ash Lane", "Mill Road"],
    "tuesday": ["Weir Close", "Kiln Hill"],
    "friday": ["Elm Street", "Kiln Hill"],
}
_LORRIES: dict[str, Row] = {
    "LR-1": {"round": "monday", "crew": ["Ott", "Vale"]},
    "LR-2": {"round": "friday", "crew": ["Ems", "Ott"]},
}
BINS = Domain(
    "bins",
    {"rounds": _ROUNDS, "lorries": _LORRIES},
    {"rounds": "Streets by the day of their round.", "lorries": "All lorries by id."},
    [
        View(
            "get_round",
            "Shows the streets of a round.",
            {"day": TEXT},
            lambda day: {"day": day, "streets": _ROUNDS[day]},
            [{"day": "monday"}, {"day": "tuesday"}],
            {"day": "friday"},
        ),
        View(
            "find_rounds",
            "Shows on which days a street has its round.",
            {"street": TEXT},
            lambda street: {
                "street": street,
                "days": [day for day, all_of in _ROUNDS.items() if street in all_of],
            },
            [{"street": "Elm Street"}, {"street": "Kiln Hill"}],
            {"street": "Ash Lane"},
        ),
        View(
            "get_lorry",
            "Shows a lorry and its crew.",
            {"lorry": TEXT},
            lambda lorry: {"lorry": lorry, **_LORRIES[lorry]},
            [{"lorry": "LR-1"}],
            {"lorry": "LR-2"},
        ),
    ],
)

_SPRAYS = [
    {"block": "BL-1", "product": "sulphur", "litres": 40, "on": "2025-04-02"},
    {"block": "BL-2", "product": "copper", "litres": 25, "on": "2025-04-03"},
    {"block": "BL-1", "product": "copper", "litres": 30, "on": "2025-04-09"},
    {"block": "BL-1", "product": "soap", "litres": 15, "on": "2025-04-12"},
]
_BLOCKS = {
    "BL-1": {"trees": 120, "kind": "apple"},
    "BL-2": {"trees": 80, "kind": "pear"},
    "BL-3": {"trees": 20, "kind": "pear"},
}
ORCHARD = Domain(
    "orchard",
    {"blocks": _BLOCKS, "sprays": _SPRAYS},
    {"blocks": "All blocks by id.", "sprays": "Every spraying so far."},
    [
        View(
            "list_sprays",
            "Lists the sprayings of a block.",
            {"block": TEXT},
            lambda block: {
                "block": block,
                "sprays": picked(_SPRAYS, ("product", "litres", "on"), lambda one: one["block"] == block),
            },
            [{"block": "BL-1"}],
            {"block": "BL-2"},
        ),
        View(
            "list_blocks",
            "Lists the blocks of a kind.",
            {"kind": TEXT},
            lambda kind: {"blocks": rows(_BLOCKS, "block", ("trees",), lambda one: one["kind"] == kind)},
            [{"kind": "pear"}, {"kind": "apple"}],
            {"kind": "apple"},
        ),
    ],
)

_TALLY: dict[str, Row] = {
    "ST-1": {"district": "east", "votes": {"Amsel": 210, "Birk": 190, "Dohle": 77}},
    "ST-2": {"district": "east", "votes": {"Amsel": 98, "Birk": 140, "Dohle": 12}},
    "ST-3": {"district": "west", "votes": {"Amsel": 45, "Birk": 300}},
}
POLL = Domain(
    "poll",
    {"stations": _TALLY},
    {"stations": "All stations by id with their votes."},
    [
        View(
            "get_results",
            "Shows the votes of a station by candidate.",
            {"station": TEXT},
            lambda station: {
                "station": station,
                "results": [
                    {"candidate": who, "votes": count} for who, count in _TALLY[station]["votes"].items()
                ],
            },
            [{"station": "ST-1"}, {"station": "ST-3"}],
            {"station": "ST-2"},
        ),
        View(
            "list_stations",
            "Lists the stations of a district.",
            {"district": TEXT},
            lambda district: {
                "district": district,
                "stations": [name for name, one in _TALLY.items() if one["district"] == district],
            },
            [{"district": "east"}, {"district": "west"}],
            {"district": "west"},
        ),
    ],
)

_PIPES = [
    {"pipe": "PI-1", "from": "J-1", "to": "J-2", "mm": 200},
    {"pipe": "PI-2", "from": "J-2", "to": "J-3", "mm": 150},
    {"pipe": "PI-3", "from": "J-2", "to": "J-4", "mm": 150},
    {"pipe": "PI-4", "from": "J-4", "to": "J-1", "mm": 100},
]
_JUNCTIONS = {
    "J-1": {"zone": "high", "pump": True},
    "J-2": {"zone": "high", "pump": False},
    "J-3": {"zone": "low", "pump": False},
    "J-4": {"zone": "low", "pump": False},
}
WATER = Domain(
    "water",
    {"junctions": _JUNCTIONS, "pipes": _PIPES},
    {"junctions": "All junctions by id.", "pipes": "All pipes."},
    [
        View(
            "get_junction",
            "Shows a junction with all pipes at it.",
            {"junction": TEXT},
            lambda junction: {
                "junction": junction,
                **_JUNCTIONS[junction],
                "pipes": picked(_PIPES, ("pipe", "mm"), lambda one: junction in (one["from"], one["to"])),
            },
            [{"junction": "J-2"}, {"junction": "J-1"}],
            {"junction": "J-4"},
        ),
        View(
            "list_junctions",
            "Lists the junctions of a zone; only those with a pump if wanted.",
            {"zone": TEXT, "pumps_only": YES},
            lambda zone, pumps_only=False: {
                "junctions": rows(
                    _JUNCTIONS,
                    "junction",
                    ("zone", "pump"),
                    lambda one: one["zone"] == zone and (one["pump"] or not pumps_only),
                )
            },
            [{"zone": "low"}, {"zone": "high", "pumps_only": True}],
            {"zone": "high"},
        ),
        View(
            "trace_downstream",
            "Shows the pipes that leave a junction.",
            {"junction": TEXT},
            lambda junction: {
                "junction": junction,
                "pipes": picked(_PIPES, ("pipe", "to"), lambda one: one["from"] == junction),
            },
            [{"junction": "J-2"}],
            {"junction": "J-1"},
        ),
    ],
)

_RECIPES: dict[str, Row] = {
    "RC-1": {
        "name": "Rye loaf",
        "ingredients": {"rye flour": 500, "water": 400, "salt": 10},
        "steps": ["Mix flour and water.", "Let it rest for two hours.", "Bake it dark."],
    },
    "RC-2": {
        "name": "Plait",
        "ingredients": {"wheat flour": 400, "butter": 60},
        "steps": ["Knead it all.", "Plait three strands."],
    },
}
BAKERY = Domain(
    "bakery",
    {"recipes": _RECIPES},
    {"recipes": "All recipes by id."},
    [
        View(
            "get_recipe",
            "Shows a recipe.",
            {"recipe": TEXT},
            lambda recipe: {
                "recipe": recipe,
                **_RECIPES[recipe],
                "ingredients": [
                    {"ingredient": name, "grams": much}
                    for name, much in _RECIPES[recipe]["ingredients"].items()
                ],
            },
            [{"recipe": "RC-1"}],
            {"recipe": "RC-2"},
        ),
        View(
            "get_steps",
            "Shows the steps of a recipe.",
            {"recipe": TEXT},
            lambda recipe: {"recipe": recipe, "steps": _RECIPES[recipe]["steps"]},
            [{"recipe": "RC-1"}],
            {"recipe": "RC-2"},
        ),
    ],
)

_METERS: dict[str, Row] = {
    "MT-1": {
        "street": "Elm Street",
        "readings": [
            {"day": "2025-01-01", "kwh": 10},
            {"day": "2025-01-02", "kwh": 12},
            {"day": "2025-01-03", "kwh": 12},
        ],
    },
    "MT-2": {
        "street": "Ash Lane",
        "readings": [{"day": "2025-01-01", "kwh": 7}, {"day": "2025-01-03", "kwh": 9}],
    },
}
METERS = Domain(
    "meters",
    {"meters": _METERS, "today": "2025-01-04"},
    {"meters": "All meters by id with their readings."},
    [
        View(
            "get_readings",
            "Shows the readings of a meter, from a day on if wanted.",
            {"meter": TEXT, "since": TEXT},
            lambda meter, since="": {
                "meter": meter,
                "readings": [one for one in _METERS[meter]["readings"] if one["day"] >= since],
            },
            [{"meter": "MT-1"}, {"meter": "MT-1", "since": "2025-01-02"}],
            {"meter": "MT-2"},
        ),
    ],
)

DOMAINS = (ARCHIVE, SCHOOL, ZOO, SKI, BINS, ORCHARD, POLL, WATER, BAKERY, METERS)
