"""Report cards of simulators as one page of HTML that fetches nothing."""

from __future__ import annotations

from replaylab.compare.ranking import Ranking
from replaylab.report.markup import Html, attr, join, tag, text
from replaylab.report.score_cells import shorten
from replaylab.report.score_table import table_html
from replaylab.report.shell import frame, main
from replaylab.report.simulators_text import Part, closing, parts, shorten_names
from replaylab.score.value import Table

_ASSETS = ("base.css", "score.css", "score.js")
TITLE = "Report cards of simulators"


def simulators_page(ranking: Ranking) -> bytes:
    """The page. The same recordings give the same bytes."""
    found = parts(ranking)
    body = join((_header(), _contents(found), main(*map(_part, found)), _footer(ranking)), "\n")
    return frame(f"{TITLE} - replaylab", body, _ASSETS, images=True)


def _header() -> Html:
    said = "How often each simulator broke the contract of its environment, from the cassettes alone"
    return tag("header", tag("p", text(said), class_="kicker"), tag("h1", text(TITLE)))


def _anchor(part: Part, table: Table) -> str:
    return f"{part.evidence}-{table.id}"


def _contents(found: list[Part]) -> Html:
    items = [
        tag("li", tag("a", text(f"{table.title} ({part.evidence})"), href=f"#{_anchor(part, table)}"))
        for part in found
        for table in part.tables
    ]
    listed = tag("details", tag("summary", text("Contents")), tag("ol", *items), open="", id="contents")
    return tag("nav", listed, aria_label="Contents")


def _part(part: Part) -> Html:
    heading = f"{part.evidence}-simulators"
    notices = [tag("p", text(notice)) for notice in part.notices]
    told = [tag("li", tag("bdi", text(shorten_names(line)))) for line in part.told]
    return tag(
        "section",
        tag("h2", text(f"Evidence: {part.evidence}"), id=heading),
        tag("div", *notices, class_="notes", role="note") if notices else "",
        tag("ul", *told),
        *(_section(part, table) for table in part.tables),
        aria_labelledby=heading,
    )


def _section(part: Part, table: Table) -> Html:
    anchor = _anchor(part, table)
    heading = tag("h3", tag("bdi", text(shorten(table.title))), id=attr(anchor))
    return tag(
        "section",
        heading,
        table_html(table, part.around, None, anchor),
        class_="table-section",
        aria_labelledby=anchor,
    )


def _footer(ranking: Ranking) -> Html:
    said = "Made by replaylab simulators from cassettes alone. Built-in models are programs and not LLMs."
    notes = [tag("p", text(line), class_="note") for line in closing(ranking)]
    return tag("footer", tag("p", text(said)), *notes)
