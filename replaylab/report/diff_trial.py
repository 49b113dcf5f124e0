"""The trajectories of a trial side by side: a row a call, what each simulator said to it, and how the answers differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from replaylab.canonical import dumps
from replaylab.report.diff_finding import answer_html, mark_of, side_html
from replaylab.report.diff_words import DONE, MANNERS, blame_words, brief, counted, difference_words
from replaylab.report.markup import Html, badge, code, facts, join, tag, text
from replaylab.schema.base import in_json
from replaylab.schema.difference import Answer, Difference, Row, TrialDiff
from replaylab.schema.violation import Violation


@dataclass(frozen=True)
class Links:
    """The ids of a page: of findings by where they stand, of rows by trial and number."""

    findings: Mapping[tuple[int, int, int], Sequence[tuple[Violation, str]]] = field(default_factory=dict)
    rows: Mapping[tuple[int, int], str] = field(default_factory=dict)


@dataclass(frozen=True)
class Detail:
    """How much of the trajectories is on the page. `cut` is in characters of a fold; `all` has calls with nothing on them."""

    all: bool = True
    cut: int = 100_000


def trial_diff_html(trial: TrialDiff, number: int, links: Links, detail: Detail) -> Html:
    """A trial, folded."""
    bodies = [_row(trial, number, at, links, detail) for at in range(len(trial.rows))]
    rows = [body for body in bodies if body]
    left = len(bodies) - len(rows)
    heading = tag("h3", tag("bdi", text(trial.task)))
    summary = tag("summary", heading, tag("span", text(_counts(trial)), class_="place"))
    note = (
        tag(
            "p",
            text(
                f"{counted(left, 'call')} at which nothing was found and nothing differs: not on this page."
            ),
            class_="note",
        )
        if left
        else ""
    )
    listing = tag("ol", *rows, class_="rows")
    return tag(
        "details",
        summary,
        *(tag("p", text(notice), class_="note") for notice in trial.notices),
        _facts(trial),
        listing,
        note,
        class_="trial",
        id=f"t{number}",
        data_task=trial.task,
    )


def _counts(trial: TrialDiff) -> str:
    differing = sum(bool(row.differences) for row in trial.rows)
    parts = [counted(len(trial.rows), "call"), counted(len(trial.violations), "violation")]
    if len(trial.simulators) > 1:
        parts.append(
            f"{differing:,} calls answered differently" if differing != 1 else "1 call answered differently"
        )
    return ", ".join(parts)


def _facts(trial: TrialDiff) -> Html:
    rows = [
        (
            "Scenario",
            text(
                f"{trial.scenario} ({trial.industry}), environment {trial.environment}, faults {trial.faults}"
            ),
        ),
    ]
    if len(trial.simulators) > 1:
        rows.append(("Compared", text(MANNERS[trial.manner])))
    for at, name in enumerate(trial.simulators):
        verdict = trial.verdicts[at] if at < len(trial.verdicts) else ""
        key = code(trial.keys[at]) if at < len(trial.keys) else ""
        said = join((" ", badge(verdict))) if verdict and verdict != "none" else ""
        rows.append((name, join((key, said))))
    return facts(rows)


def notable(trial: TrialDiff, at: int) -> bool:
    """Whether a row says more than that all is well."""
    row = trial.rows[at]
    return (
        trial.first == row.row or any(one.violations for one in row.answers if one) or bool(row.differences)
    )


def _row(trial: TrialDiff, number: int, at: int, links: Links, detail: Detail) -> Html:
    row = trial.rows[at]
    here = [links.findings.get((number, at, side), ()) for side in range(len(row.answers))]
    told = any(here) or notable(trial, at)
    if not told and not detail.all:
        return Html("")
    same = len(row.answers) > 1 and len({_said(answer) for answer in row.answers}) == 1
    if same and not told:
        sides = [side_html("All of them", answer_html(row.answers[0], (), detail.cut))]
    else:
        named = zip(trial.simulators, row.answers, here, strict=False)
        sides = [_side(name, answer, found, detail.cut) for name, answer, found in named]
    head = (
        tag("span", text(f"{row.row}"), class_="number"),
        " ",
        code(row.tool),
        " ",
        code(brief(row.arguments, 120)),
        *(join((" ", mark)) for mark in _marks(trial, row, same=same)),
        *(join((" ", link)) for found in here for link in _finding_links(found)),
    )
    inner = (*(_difference(one) for one in row.differences), tag("div", *sides, class_="sides"))
    body = (
        (tag("p", *head, class_="call"), *inner) if told else (tag("details", tag("summary", *head), *inner),)
    )
    return tag("li", *body, id=links.rows.get((number, at)), tabindex="-1", class_="row")


def _marks(trial: TrialDiff, row: Row, *, same: bool) -> list[Html]:
    words = [
        *(["first difference"] if trial.first == row.row else []),
        *(["after the divergence"] if row.parted else []),
        *(["the same"] if same else []),
    ]
    return [tag("span", text(word), class_="badge") for word in words]


def _said(answer: Answer | None) -> bytes | str:
    if answer is None:
        return ""
    try:
        return dumps(answer.observation)
    except (TypeError, ValueError):  # a lone surrogate
        return in_json(answer.observation)


def _finding_links(found: Sequence[tuple[Violation, str]]) -> list[Html]:
    return [tag("a", text(DONE[one.kind]), href=f"#{name}", class_=f"kind {one.kind}") for one, name in found]


def _side(name: str, answer: Answer | None, found: Sequence[tuple[Violation, str]], cut: int) -> Html:
    marks = [mark_of(one, f"#{href}") for one, href in found]
    notes = [" ", tag("span", text("refused"), class_="badge")] if answer and answer.refused else []
    if answer and answer.repeats:
        words = f"asked {counted(answer.repeats, 'more time')}, {answer.same_again} times the same"
        notes += [" ", tag("span", text(words), class_="note")]
    return side_html(name, answer_html(answer, marks, cut), accused=bool(found), notes=notes)


def _difference(one: Difference) -> Html:
    where = join((text(" at "), code(one.pointer))) if one.pointer else ""
    contract = join((text(", contract "), code(one.contract))) if one.contract else ""
    values = [
        tag("li", tag("bdi", text(name)), text(": "), code(brief(value, 160)))
        for name, value in one.values.items()
    ]
    return tag(
        "div",
        tag("p", tag("strong", text(difference_words(one))), where, contract),
        tag("ul", *values) if values else "",
        tag("p", text(blame_words(one)), class_="note"),
        class_="difference",
    )
