"""An audit as plain text for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.audit.value import Assessment, AuditReport
from replaylab.report.audit_parts import OUTCOMES, STEPS, TITLES, findings_of, heading, parts, place, summary
from replaylab.report.markup import seen
from replaylab.report.score_text import escape_markdown, wrapped

_SECTIONS = ((False, "Checks of every table"), (True, "Claims"))


def plain(report: AuditReport, width: int | None = None, *, everything: bool = False) -> str:
    """The report for a terminal: what fails and what can't be decided; with `everything` what holds too."""
    lines = [seen(report.title)]
    lines += [f"{seen(report.source)}  {report.digest}"] if report.digest else []
    lines += [f"run id {run}" for run in report.runs]
    lines += [summary(report)]
    lines += wrapped((f"! {seen(notice)}" for notice in report.notices), width, 2)
    for step in report.steps:
        lines.append(f"{step.number:>2}  {STEPS[step.outcome]:<13}  {seen(step.name)}")
        lines += wrapped((f"      {seen(one)}" for one in step.evidence), width, 6)
        lines += wrapped((f"      ! {seen(one)}" for one in findings_of(step)), width, 8)
    for asked, title in _SECTIONS:
        for outcome, found in parts(report, asked=asked):
            if outcome == "holds" and not everything:
                continue
            lines += ["", f"{title}: {TITLES[outcome].lower()} ({len(found)})"]
            for one in found:
                lines += wrapped(_plain_one(one), width, 6)
    if not everything and report.counts()["holds"]:
        lines += ["", f"{report.counts()['holds']} more hold; --all lists them"]
    return "\n".join(lines) + "\n"


def _plain_one(one: Assessment) -> Iterator[str]:
    yield f"  {seen(heading(one))}"
    if place(one):
        yield f"    where:   {seen(one.where)}"
    if one.asked and one.said:
        yield f"    said:    {seen(one.said)}"
    if one.reason:
        yield f"    found:   {seen(one.reason)}"
    if one.explanation:
        yield f"    nearest: {seen(one.explanation)}"


def markdown(report: AuditReport) -> bytes:
    """The whole report as Markdown."""
    lines = [f"# {escape_markdown(report.title, first=True)}", ""]
    lines += (
        [f"Audited: {escape_markdown(report.source)}, SHA-256 `{report.digest}`", ""] if report.digest else []
    )
    lines += [f"Audited: run `{run}`\n" for run in report.runs]
    lines += [escape_markdown(summary(report), first=True), ""]
    for notice in report.notices:
        lines += [f"> {escape_markdown(notice, first=True)}", ""]
    if report.steps:
        lines += ["## Checklist", "", "| step | | outcome | evidence |", "| ---: | --- | --- | --- |"]
        for step in report.steps:
            told = (*step.evidence, *(f"! {one}" for one in findings_of(step)))
            evidence = "<br>".join(map(escape_markdown, told))
            lines.append(
                f"| {step.number} | {escape_markdown(step.name)} | {STEPS[step.outcome]} | {evidence} |"
            )
        lines.append("")
    for asked, title in _SECTIONS:
        found = dict(parts(report, asked=asked))
        lines += [f"## {title}", ""] if found else []
        for outcome in OUTCOMES:
            if outcome in found:
                lines += [f"### {TITLES[outcome]}", "", *(_markdown_one(one) for one in found[outcome]), ""]
    return ("\n".join(lines).rstrip("\n") + "\n").encode("utf-8", "backslashreplace")


def _markdown_one(one: Assessment) -> str:
    told = [f"**{escape_markdown(heading(one))}**"]
    if place(one):
        told.append(f"({escape_markdown(one.where)})")
    if one.asked and one.said:
        told.append(f"{escape_markdown(one.said)}:")
    told.append(escape_markdown(one.reason))
    if one.explanation:
        told.append(f"*Nearest: {escape_markdown(one.explanation)}.*")
    return f"- {' '.join(told)}"
