"""One page of HTML for an audit: everything inside, nothing fetched, the same bytes each time."""

from __future__ import annotations

from replaylab.audit.value import Assessment, AuditReport, Step, StepOutcome
from replaylab.report.audit_parts import BADGES, STEPS, TITLES, findings_of, heading, parts, place, summary
from replaylab.report.markup import Html, badge, code, facts, join, listing, tag, text
from replaylab.report.pretty import pretty
from replaylab.report.shell import frame, main

_ASSETS = ("base.css",)
_STEP_BADGES = {"pass": "pass", "fail": "fail", "warn": "error", "not_checkable": "none"}


def audit_page(report: AuditReport) -> bytes:
    """The page of a report."""
    body = join(
        (
            _header(report),
            main(_tiles(report), _about(report), _steps(report), *_sections(report)),
            _footer(),
        ),
        "\n",
    )
    return frame(f"{report.title}: audit - replaylab", body, _ASSETS)


def _header(report: AuditReport) -> Html:
    notices = [tag("p", text(notice)) for notice in report.notices]
    return tag(
        "header",
        tag("p", text("An audit of a published result"), class_="kicker"),
        tag("h1", tag("bdi", text(report.title))),
        tag("div", *notices, class_="notes", role="note") if notices else "",
    )


def _tiles(report: AuditReport) -> Html:
    if report.steps:
        outcomes = [step.outcome for step in report.steps]
        shown: tuple[tuple[StepOutcome, str], ...] = (
            ("fail", "fail"),
            ("warn", "error"),
            ("not_checkable", "none"),
            ("pass", "pass"),
        )
        tiles = [
            tag("li", tag("strong", text(outcomes.count(kind))), text(STEPS[kind].lower()), class_=style)
            for kind, style in shown
        ]
        return tag("ul", *tiles, class_="tiles")
    counts = report.counts()
    tiles = [
        tag("li", tag("strong", text(counts[name])), text(TITLES[name].lower()), class_=BADGES[name])
        for name in ("fails", "undecided", "holds")
    ]
    return tag("ul", *tiles, class_="tiles")


def _about(report: AuditReport) -> Html:
    rows = [("Claims", join((text(report.source), " ", code(report.digest))))] if report.digest else []
    rows.append(("Came of it", text(summary(report))))
    rows += [("Run", code(run)) for run in report.runs]
    listed = [
        tag(
            "tr",
            tag("td", code(table["id"])),
            tag("td", text(table["title"])),
            tag("td", text(f"{table['rows']} x {table['columns']}")),
            tag("td", text(_rounding(table) if table["rates"] else "")),
        )
        for table in report.tables
    ]
    head = tag(
        "tr",
        *(tag("th", text(name)) for name in ("id", "table", "size", "impossible rates by rounding rule")),
    )
    whole = (
        tag("details", tag("summary", text(f"Tables: {len(listed)}")), tag("table", head, *listed))
        if listed
        else ""
    )
    return join((facts(rows), whole))


def _rounding(table: dict[str, object]) -> str:
    impossible = table["impossible"]
    told = (
        ", ".join(f"{rule} {count}" for rule, count in impossible.items())
        if isinstance(impossible, dict)
        else ""
    )
    return f"{told} of {table['rates']}; taken: {table['rounding']}"


def _steps(report: AuditReport) -> Html:
    if not report.steps:
        return Html("")
    return join(
        (
            tag("h2", text("Checklist"), id="checklist"),
            tag("ol", *map(_step, report.steps), class_="plain-list"),
        )
    )


def _step(step: Step) -> Html:
    told = (*([f"Passes if {step.rule}."] if step.rule else ()), *step.evidence, *findings_of(step))
    evidence = [tag("p", text(one), class_="note") for one in told]
    mark = tag("span", text(STEPS[step.outcome]), class_=f"badge {_STEP_BADGES[step.outcome]}")
    return tag("li", mark, " ", tag("strong", text(f"{step.number}. {step.name}")), *evidence)


def _sections(report: AuditReport) -> list[Html]:
    found = []
    for asked, title in ((False, "Checks of every table"), (True, "Claims")):
        groups = parts(report, asked=asked)
        if not groups:
            continue
        inner = [
            join(
                (
                    tag("h3", text(f"{TITLES[outcome]}: {len(ones)}")),
                    tag("ul", *map(_one, ones), class_="plain-list"),
                )
            )
            for outcome, ones in groups
        ]
        anchor = "claims" if asked else "checks"
        found.append(tag("section", tag("h2", text(title), id=anchor), *inner, aria_labelledby=anchor))
    return found


def _one(one: Assessment) -> Html:
    shown = [badge(BADGES[one.outcome]), " ", tag("strong", tag("bdi", text(heading(one))))]
    if place(one):
        shown.append(tag("span", text(one.where), class_="condition"))
    if one.asked and one.said:
        shown.append(tag("p", text(one.said)))
    if one.reason:
        shown.append(tag("p", text(one.reason)))
    if one.explanation:
        shown.append(tag("p", tag("em", text(f"Nearest: {one.explanation}"))))
    if one.numbers:
        shown.append(tag("details", tag("summary", text("Numbers")), listing(pretty(one.numbers))))
    return tag("li", *shown)


def _footer() -> Html:
    return tag(
        "footer",
        tag(
            "p",
            text("Made by replaylab audit. What can't be decided is neither a pass nor a failure."),
            class_="note",
        ),
    )
