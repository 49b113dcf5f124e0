"""One page of HTML for a score: every table and figure inside, nothing fetched, the same bytes each time.

Each number links to the list of the trials behind it, which the page's script draws from a ledger that lies in the page
once. Without the script everything but that list is there, and `trials.csv` has the list too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from replaylab.report.ledger import ledger_html
from replaylab.report.markup import Html, badge, code, facts, join, listing, tag, text
from replaylab.report.pretty import pretty
from replaylab.report.score_cells import shorten
from replaylab.report.score_figure import figure_html
from replaylab.report.score_parts import Drawn, Scored, table_of
from replaylab.report.score_table import table_html
from replaylab.report.score_trials import OUTCOMES, Names, embedded
from replaylab.report.sections import who
from replaylab.report.shell import frame, main
from replaylab.score.facts import Study
from replaylab.score.value import Layout, Selector, Table

LIMIT = 8_000_000  # bytes of a page; a phone opens that in a second or two
_SHORT = 16  # digits of a cassette's name that still find it
# Down this list until a page fits: digits of cassette names, None for no list of trials.
_LEVELS = (64, _SHORT, None)
_ASSETS = ("base.css", "score.css", "score.js")
_RULES = {
    "planned": "Rates are passed trials over planned ones: an error or a missing trial is not a pass, and is shown apart.",
    "decided": "Rates are passed trials over those that passed or failed; errors and missing trials are shown apart.",
}


def score_page(scored: Scored, limit: int = LIMIT) -> bytes:
    """The page of a score. Past `limit` bytes cassette names are shortened first, then the list of trials is left out."""
    page = b""
    for digits in _LEVELS:
        page = _page(scored, digits)
        if len(page) <= limit:
            break
    return page


def _page(scored: Scored, digits: int | None) -> bytes:
    names = Names.of(scored.study.trials) if digits is not None else None
    data = {"trials-data": embedded(scored.study, names, digits or 0)} if names else {}
    tables = {
        name: {layout: _told_once(scored, table) for layout, table in layouts.items()}
        for name, layouts in scored.tables().items()
    }
    shown = {name: _tables(scored, name, layouts, names) for name, layouts in tables.items()}
    figures = _figures_by_table(scored)  # they may still be in the making, so they come late
    parts = [
        *(_section(name, tables[name], shown[name], figures.get(name, {})) for name in tables),
        _loose_figures(figures.get(None, {})),
        _left_out(scored),
        _trials(scored, digits),
    ]
    body = join(
        (
            _header(scored),
            _contents(scored, figures),
            main(_about(scored), _gate(scored, names), _findings(scored), *parts),
            _footer(scored),
        ),
        "\n",
    )
    title = f"{shorten(scored.name)}: score - replaylab"
    return frame(title, body, _ASSETS, images=True, data=data)


def _header(scored: Scored) -> Html:
    notices = [tag("p", text(notice)) for notice in scored.notices]
    return tag(
        "header",
        tag("p", text("The score of a run, made from its cassettes alone"), class_="kicker"),
        tag("h1", tag("bdi", text(shorten(scored.name)))),
        tag("div", *notices, class_="notes", role="note") if notices else "",
    )


def _contents(scored: Scored, figures: Mapping[str | None, Mapping[str, Drawn]]) -> Html:
    entries = [("about", "What this stands on")]
    entries += [("gate", "Gate")] if scored.extra.get("gate") else []
    entries += [("findings", "Findings")] if scored.study.findings else []
    entries += [(f"table-{name}", _title(layouts)) for name, layouts in scored.tables().items()]
    entries += [("figures", "Further figures")] if figures.get(None) else []
    entries += [("left-out", "Left out")] if scored.left_out else []
    entries.append(("trials", "Trials"))
    items = [
        tag("li", tag("a", tag("bdi", text(shorten(title))), href=f"#{name}")) for name, title in entries
    ]
    # Open, so that it is there without the script; the script closes it where it would fill the window.
    listed = tag("details", tag("summary", text("Contents")), tag("ol", *items), open="", id="contents")
    return tag("nav", listed, aria_label="Contents")


def _title(layouts: Mapping[Layout, Table]) -> str:
    return next(iter(layouts.values())).title


def _about(scored: Scored) -> Html:
    study, counts = scored.study, scored.counts()
    rows = [
        ("Run", join((code(one.name), " ", code(one.run), text(f", created {one.created}"))))
        for one in study.runs
    ]
    fixed = (("simulator", study.sim), ("verifier", study.judge), ("faults", study.clean))
    rows += [
        ("Evidence", join(tag("div", text(note)) for note in scored.evidence_notes)),
        ("Reference", join((join((text(f"{role} "), code(shorten(name)))) for role, name in fixed), ", ")),
        ("Rates", text(_RULES[study.denominator])),
    ]
    if study.declared:
        said = "; ".join(f"{cell.replace('|', ', ')}: {count}" for cell, count in study.declared.items())
        rows.append(("Declared", text(f"Denominators that somebody declared: {said}")))
    rows.append(("Fault plans", join((code(shorten(name)) for name in study.faults), ", ")))
    rows.append(("Resampling", text(f"{study.draws:,} draws, seed {study.seed}")))
    if scored.versions:
        rows.append(("Versions", text(", ".join(f"{name} {one}" for name, one in scored.versions.items()))))
    shown = [(name, counts[name]) for name in OUTCOMES if counts[name] or name != "unjudged"]
    return tag(
        "section",
        tag("h2", text("What this stands on"), id="about"),
        ledger_html(sum(counts.values()), shown),
        facts(rows),
        _players(scored.study),
        _choice(scored),
        aria_labelledby="about",
    )


def _players(study: Study) -> Html:
    roles = (("Agent", study.agents), ("Simulator", study.simulators), ("Verifier", study.verifiers))
    rows = [(role, who(one)) for role, models in roles for one in models.values()]
    return tag("details", tag("summary", text(f"Who played: {len(rows)} models")), facts(rows))


def _choice(scored: Scored) -> Html:
    if not scored.choice:
        return Html("")
    return tag("details", tag("summary", text("What was asked for")), listing(pretty(scored.choice)))


def _gate(scored: Scored, names: Names | None) -> Html:
    """The decisions of a gate, if one was asked for: as the JSON document has them."""
    items = []
    for one in scored.extra.get("gate", ()):
        selectors = [Selector.model_validate(which) for which in one.get("trials", ())]
        words = join((tag("strong", text(one["rule"])), text(f", {one['agent']}: {one['reason']}")))
        behind = tag("a", text("its trials"), href=names.link(selectors)) if names and selectors else ""
        items.append(tag("li", badge(one["outcome"]), " ", words, " ", behind))
    if not items:
        return Html("")
    heading = tag("h2", text("Gate"), id="gate")
    return tag("section", heading, tag("ul", *items, class_="plain-list"), aria_labelledby="gate")


def _findings(scored: Scored) -> Html:
    found = [
        tag(
            "li",
            tag("strong", text(one.kind)),
            " ",
            text(one.message),
            " ",
            tag("span", text(one.where), class_="condition"),
        )
        for one in scored.study.findings
    ]
    if not found:
        return Html("")
    return tag(
        "section",
        tag("h2", text(f"Findings: {len(found)}"), id="findings"),
        tag("ul", *found, class_="plain-list"),
        aria_labelledby="findings",
    )


def _tables(
    scored: Scored, name: str, layouts: Mapping[Layout, Table], names: Names | None
) -> tuple[list[Html], list[Html]]:
    """What stands above the figures of a table, and what below them."""
    anchor = f"table-{name}"
    above = [tag("h2", tag("bdi", text(shorten(_title(layouts)))), id=anchor)]
    full, paper = layouts.get("full"), layouts.get("paper")
    first = full or paper
    if first is not None:
        above.append(tag("p", text(scored.ledger(first)), class_="ledger"))
        above.append(table_html(first, scored.around(first), names, f"{anchor}-{first.layout}"))
    if not full or not paper:
        return above, []
    inner = table_html(paper, scored.around(paper), names, f"{anchor}-paper")
    return above, [tag("details", tag("summary", text("The same as published")), inner, class_="paper")]


def _section(
    name: str,
    layouts: Mapping[Layout, Table],
    shown: tuple[Sequence[Html], Sequence[Html]],
    figures: Mapping[str, Drawn],
) -> Html:
    anchor = f"table-{name}"
    drawn = [figure_html(one, figure, anchor) for one, figure in figures.items()]
    parts = (*shown[0], *drawn, *shown[1], _files(name, layouts))
    return tag("section", *parts, class_="table-section", aria_labelledby=anchor)


def _told_once(scored: Scored, table: Table) -> Table:
    """The table without the notes that hold for all of them and stand at the top. A file stands alone and keeps them."""
    told = scored.evidence_notes
    return table.model_copy(update={"notes": tuple(note for note in table.notes if note not in told)})


def _files(name: str, layouts: Mapping[Layout, Table]) -> Html:
    said = {"full": "Full layout", "paper": "As published"}
    lines = []
    for layout in layouts:
        stem = file_stem(name, layout)
        links = [
            tag("a", text(word), href=f"tables/{quote(stem)}.{ending}")
            for word, ending in (("CSV", "csv"), ("Markdown", "md"), ("LaTeX", "tex"))
        ]
        lines.append(join((text(f"{said[layout]}: "), join(links, ", "))))
    return tag("p", join(lines, ". "), class_="note")


def file_stem(name: str, layout: Layout) -> str:
    """What the files of a table are called, before the dot."""
    return name if layout == "full" else f"{name}-{layout}"


def _figures_by_table(scored: Scored) -> dict[str | None, dict[str, Drawn]]:
    """The figures by the table that they are drawn from; None for those whose name doesn't say."""
    found: dict[str | None, dict[str, Drawn]] = {}
    tables = scored.tables()
    for name, drawn in scored.figures.items():
        found.setdefault(table_of(name, tables), {})[name] = drawn
    return found


def _loose_figures(figures: Mapping[str, Drawn]) -> Html:
    if not figures:
        return Html("")
    parts = [figure_html(name, drawn, None) for name, drawn in figures.items()]
    return tag("section", tag("h2", text("Further figures"), id="figures"), *parts, aria_labelledby="figures")


def _left_out(scored: Scored) -> Html:
    if not scored.left_out:
        return Html("")
    rows = [(shorten(name), text(why)) for name, why in scored.left_out.items()]
    return tag(
        "section",
        tag("h2", text("Left out"), id="left-out"),
        tag("p", text("Tables that would show nothing, and why.")),
        facts(rows),
        aria_labelledby="left-out",
    )


# The script draws into it; without the script it stays hidden.
_VIEW = Html(
    '<div id="trials-view" hidden><p id="trials-count" role="status"></p><div id="trials-groups"></div>'
    '<ol id="trials-list" class="plain-list"></ol><p><button type="button" id="trials-more"></button></p></div>'
)


def _trials(scored: Scored, digits: int | None) -> Html:
    csv = tag("a", text("trials.csv"), href="trials.csv")
    count = f"The list of the {len(scored.study.trials):,} trials"
    if digits is None:
        parts = [
            tag("p", text(f"{count} is not on this page, which would be too large; "), csv, text(" has it."))
        ]
    else:
        without = tag("p", text(f"{count} needs JavaScript; "), csv, text(" has it too."))
        short = text(f" Here cassette names are cut to their first {digits} digits." if digits < 64 else "")
        parts = [
            tag("noscript", without),
            _VIEW,
            tag("p", text("All trials are in "), csv, text("."), short, class_="note"),
        ]
    heading = tag("h2", text("Trials"), id="trials", tabindex="-1")
    return tag("section", heading, *parts, aria_labelledby="trials")


def _footer(scored: Scored) -> Html:
    links = (("score.json", "everything as JSON"), ("trials.csv", "all trials"))
    files = [join((tag("a", text(name), href=name), text(f" ({what})"))) for name, what in links]
    outcomes = ", ".join(OUTCOMES)
    return tag(
        "footer",
        tag(
            "p",
            text("Made by replaylab score from cassettes alone. Beside this page: "),
            join(files, ", "),
            text("."),
        ),
        tag(
            "p",
            text(f"A trial ends as one of: {outcomes}. An error is never counted as failed."),
            class_="note",
        ),
    )
