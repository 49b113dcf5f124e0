"""Report cards of simulators as one page of HTML that fetches nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from replaylab.compare.agreeing import Agreement
from replaylab.compare.ranking import Ranking
from replaylab.report.agreement_text import all_tables
from replaylab.report.agreement_text import around as agreement_around
from replaylab.report.agreement_text import notices as agreement_notices
from replaylab.report.markup import Html, join, tag, text
from replaylab.report.score_cells import shorten
from replaylab.report.score_parts import Around
from replaylab.report.score_table import table_html
from replaylab.report.shell import frame, main
from replaylab.report.simulators_text import Part, closing, parts, shorten_names
from replaylab.score.value import Table

_ASSETS = ("base.css", "score.css", "score.js")
TITLE = "Report cards of simulators"


def simulators_page(ranking: Ranking, agreed: Sequence[Agreement] = ()) -> bytes:
    """The page, with the agreement of simulators where it was asked for. The same recordings give the same bytes."""
    sections = [_cards(part) for part in parts(ranking)]
    sections += [_agreement(one) for one in agreed]
    body = join(
        (_header(), _contents(sections), main(*(one.html for one in sections)), _footer(ranking)), "\n"
    )
    return frame(f"{TITLE} - replaylab", body, _ASSETS, images=True)


class _Section(NamedTuple):
    """A part of the page: its title, where its tables stand and what they are called, and the whole of it."""

    title: str
    anchor: str
    tables: tuple[tuple[str, str], ...]
    html: Html


def _cards(part: Part) -> _Section:
    told = [tag("li", tag("bdi", text(shorten_names(line)))) for line in part.told]
    lead = tag("ul", *told)
    return _section(f"Evidence: {part.evidence}", part.evidence, part.notices, lead, part.tables, part.around)


def _agreement(found: Agreement) -> _Section:
    lead = tag("p", text(found.why_not)) if found.why_not else Html("")
    title, anchor = f"Agreement on agents ({found.evidence})", f"agreement-{found.evidence}"
    tables = tuple(all_tables(found))
    return _section(title, anchor, agreement_notices(found), lead, tables, agreement_around(found))


def _section(
    title: str, anchor: str, notices: Sequence[str], lead: Html, tables: Sequence[Table], around: Around
) -> _Section:
    places = tuple(
        (f"{anchor}-{number}-{table.id}", shorten(table.title)) for number, table in enumerate(tables)
    )
    said = [tag("p", text(notice)) for notice in notices]
    html = tag(
        "section",
        tag("h2", text(title), id=anchor),
        tag("div", *said, class_="notes", role="note") if said else "",
        lead,
        *(_table(table, around, *place) for table, place in zip(tables, places, strict=True)),
        aria_labelledby=anchor,
    )
    return _Section(title, anchor, places, html)


def _table(table: Table, around: Around, anchor: str, title: str) -> Html:
    heading = tag("h3", tag("bdi", text(title)), id=anchor)
    inner = table_html(table, around, None, f"{anchor}-table")
    return tag("section", heading, inner, class_="table-section", aria_labelledby=anchor)


def _contents(sections: Sequence[_Section]) -> Html:
    items = [
        tag(
            "li",
            tag("a", text(one.title), href=f"#{one.anchor}"),
            tag(
                "ol",
                *(tag("li", tag("a", tag("bdi", text(title)), href=f"#{at}")) for at, title in one.tables),
            ),
        )
        for one in sections
    ]
    listed = tag("details", tag("summary", text("Contents")), tag("ol", *items), open="", id="contents")
    return tag("nav", listed, aria_label="Contents")


def _header() -> Html:
    said = "How often each simulator broke the contract of its environment, from the cassettes alone"
    return tag("header", tag("p", text(said), class_="kicker"), tag("h1", text(TITLE)))


def _footer(ranking: Ranking) -> Html:
    said = "Made by replaylab simulators from cassettes alone. Built-in models are programs and not LLMs."
    notes = [tag("p", text(line), class_="note") for line in closing(ranking)]
    return tag("footer", tag("p", text(said)), *notes)
