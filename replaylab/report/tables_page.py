"""Pages that are made of sections with tables: one file of HTML that fetches nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from replaylab.report.markup import Html, join, tag, text
from replaylab.report.score_cells import shorten
from replaylab.report.score_parts import Around
from replaylab.report.score_table import table_html
from replaylab.report.shell import frame, main
from replaylab.score.value import Table

_ASSETS = ("base.css", "score.css", "score.js")


class Section(NamedTuple):
    """A part of a page: its title, where its tables stand and what they are called, and the whole of it."""

    title: str
    anchor: str
    tables: tuple[tuple[str, str], ...]
    html: Html


def page(title: str, kicker: str, sections: Sequence[Section], foot: Sequence[str]) -> bytes:
    """The page. `foot` are its last lines. The same values give the same bytes."""
    header = tag(
        "header", tag("p", text(kicker), class_="kicker"), tag("h1", tag("bdi", text(shorten(title))))
    )
    last = tag("footer", *(tag("p", text(line), class_="note") for line in foot))
    body = join((header, _contents(sections), main(*(one.html for one in sections)), last), "\n")
    return frame(f"{shorten(title)} - replaylab", body, _ASSETS, images=True)


def section(
    title: str, anchor: str, notices: Sequence[str], lead: Html, tables: Sequence[Table], around: Around
) -> Section:
    """A section with a heading, what must be said first, a lead, and tables. `anchor` stands once on a page."""
    places = tuple(
        (f"{anchor}-{number}-{table.id}", shorten(table.title)) for number, table in enumerate(tables)
    )
    said = [tag("p", text(notice)) for notice in notices]
    html = tag(
        "section",
        tag("h2", tag("bdi", text(shorten(title))), id=anchor),
        tag("div", *said, class_="notes", role="note") if said else "",
        lead,
        *(_table(table, around, *place) for table, place in zip(tables, places, strict=True)),
        aria_labelledby=anchor,
    )
    return Section(shorten(title), anchor, places, html)


def _table(table: Table, around: Around, anchor: str, title: str) -> Html:
    heading = tag("h3", tag("bdi", text(title)), id=anchor)
    inner = table_html(table, around, None, f"{anchor}-table")
    return tag("section", heading, inner, class_="table-section", aria_labelledby=anchor)


def _contents(sections: Sequence[Section]) -> Html:
    items = [
        tag(
            "li",
            tag("a", tag("bdi", text(one.title)), href=f"#{one.anchor}"),
            tag(
                "ol",
                *(tag("li", tag("a", tag("bdi", text(title)), href=f"#{at}")) for at, title in one.tables),
            ),
        )
        for one in sections
    ]
    listed = tag("details", tag("summary", text("Contents")), tag("ol", *items), open="", id="contents")
    return tag("nav", listed, aria_label="Contents")
