"""Two runs held against each other, as one page of HTML that fetches nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from replaylab.compare.divergence import Divergence
from replaylab.compare.regression_tables import WORDS, tables
from replaylab.compare.regressions import Flip, Regressions
from replaylab.report.markup import Html, code, facts, join, listing, tag, text
from replaylab.report.regressions_text import KINDS, SIDES, around, driving, headline, notices
from replaylab.report.score_cells import shorten
from replaylab.report.tables_page import Section, page, section

KICKER = "Two runs trial by trial, from their cassettes alone"
FOOT = (
    "Made by replaylab diff from cassettes alone. Built-in models are programs and not LLMs.",
    "An error or a missing trial is neither a pass nor a fail.",
)
OPEN = 3  # flips that are unfolded
CUT = 4_000  # characters of a value


def regressions_page(found: Sequence[Regressions]) -> bytes:
    """The page. The same recordings give the same bytes."""
    first = found[0]
    sections = [_section(number, one) for number, one in enumerate(found)]
    return page(f"{first.a.name} and {first.b.name}", KICKER, sections, FOOT)


def _section(number: int, one: Regressions) -> Section:
    rows = [
        (name, join((tag("bdi", text(shorten(side.name))), " ", code(side.run))))
        for name, side in zip(SIDES, (one.a, one.b), strict=True)
    ]
    rows += [("differs", text(shorten(change.message))) for change in one.changed]
    lead = join((facts(rows), tag("p", tag("strong", text(headline(one)))), *_flips(number, one.flips)))
    shown = [table for table in (*tables(one), *driving(one)) if table.id != "flips"]
    title = f"Evidence: {' and '.join(dict.fromkeys(one.evidence))}"
    return section(title, f"c{number}", notices(one), lead, shown, around(one))


def _flips(number: int, flips: Sequence[Flip]) -> Iterator[Html]:
    for kind, words in KINDS.items():
        ours = [one for one in flips if one.kind == kind]
        if ours:
            anchor = f"c{number}-{kind}"
            heading = tag("h3", text(f"{kind.capitalize()} ({len(ours)})"), id=anchor)
            items = [_flip(one, at < OPEN) for at, one in enumerate(ours)]
            yield tag("section", heading, tag("p", text(words)), *items, aria_labelledby=anchor)


def _flip(one: Flip, is_open: bool) -> Html:
    what = one.first.message if one.first else "not recorded on both sides"
    summary = tag(
        "summary",
        tag("bdi", text(shorten(one.key_b))),
        text(f": {WORDS[one.before]}, then {WORDS[one.after]}; "),
        tag("bdi", text(shorten(what))),
    )
    rows = [("failed by", text(", ".join(map(shorten, one.failures))))] if one.failures else []
    parts = [facts([*rows, *_sides(one.first)])] if one.first else []
    return tag("details", summary, *parts, open="" if is_open else None)


def _sides(first: Divergence) -> Iterator[tuple[str, Html]]:
    if first.what == "nothing":
        return
    if first.pointer:
        yield "field", code(shorten(first.pointer))
    for side, path, value in zip(SIDES, (first.path_a, first.path_b), (first.a, first.b), strict=True):
        shown = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1)
        yield side, join((code(shorten(path)), listing(shown, CUT)))
