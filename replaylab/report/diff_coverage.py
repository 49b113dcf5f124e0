"""Coverage beside the findings: how much of what was said could be checked, and why not the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from replaylab.report.markup import Html, join, size, tag, text
from replaylab.schema.violation import CheckedFor, Coverage, Covered

CHECKED: tuple[CheckedFor, ...] = ("fabrication", "omission", "rule_invention", "contradiction")
MEANING = "No findings without coverage mean nothing: what could not be checked was not found faithful."


class Total(NamedTuple):
    """Calls of one kind of check, and how many of them could be checked."""

    kind: CheckedFor
    calls: int
    checked: int


def totals(coverage: Iterable[Coverage]) -> list[Total]:
    """The sums over all tools and environments, kind by kind."""
    rows = [row for one in coverage for row in one.rows]
    return [
        Total(
            kind,
            sum(row.calls for row in rows if row.kind == kind),
            sum(row.checked for row in rows if row.kind == kind),
        )
        for kind in CHECKED
    ]


def merged(coverage: Iterable[Coverage]) -> Iterator[Coverage]:
    """One Coverage an environment: those of several trials together, by name."""
    found: dict[str, dict[tuple[str, CheckedFor], Covered]] = {}
    for one in coverage:
        rows = found.setdefault(one.environment, {})
        for row in one.rows:
            before = rows.get((row.tool, row.kind))
            rows[row.tool, row.kind] = _sum(before, row) if before else row
    for name in sorted(found):
        yield Coverage(
            environment=name, rows=tuple(found[name][key] for key in sorted(found[name], key=_place))
        )


def _place(key: tuple[str, CheckedFor]) -> tuple[str, int]:
    return key[0], CHECKED.index(key[1])


def _sum(one: Covered, other: Covered) -> Covered:
    why = dict(one.why_not)
    for reason, count in other.why_not.items():
        why[reason] = why.get(reason, 0) + count
    return one.model_copy(
        update={
            "calls": one.calls + other.calls,
            "checked": one.checked + other.checked,
            "why_not": dict(sorted(why.items())),
        }
    )


def brief_html(coverage: Sequence[Coverage]) -> Html:
    """The few numbers that stand beside the findings."""
    rows = [
        f'<tr><th scope="row">{text(one.kind)}</th><td>{one.checked:,} of {one.calls:,}</td></tr>'
        for one in totals(coverage)
    ]
    head = '<thead><tr><th scope="col">Checked for</th><th scope="col">Calls</th></tr></thead>'
    table = Html(f'<table class="brief">{head}<tbody>{"".join(rows)}</tbody></table>')
    more = tag("a", text("By environment and tool"), href="#coverage")
    return join((table, tag("p", text(f"{MEANING} "), more, text("."), class_="note")))


def coverage_html(coverage: Iterable[Coverage], room: int) -> Html:
    """A table an environment, folded; the last ones are left out where they would take more than `room` bytes."""
    parts: list[str] = []
    left = 0
    for one in merged(coverage):
        part = _environment(one)
        room -= size(part)
        if room < 0:
            left += 1
        else:
            parts.append(part)
    if left:
        parts.append(
            tag(
                "p", text(f"{left:,} more environments are not on this page; --json has them."), class_="note"
            )
        )
    return join(parts)


def _environment(one: Coverage) -> Html:
    rows = "".join(_row(row) for row in one.rows)
    head = "".join(
        f'<th scope="col">{name}</th>' for name in ("Tool", "Checked for", "Checked", "Why not the others")
    )
    table = f'<table class="coverage"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    said = " — nothing could be checked, so no findings here mean nothing" if one.says_nothing else ""
    sums = ", ".join(f"{total.kind} {total.checked:,} of {total.calls:,}" for total in totals([one]))
    summary = tag("summary", tag("bdi", text(one.environment)), text(f": {sums}{said}"))
    return tag("details", summary, table)


def _row(row: Covered) -> str:
    why = "; ".join(f"{reason}: {count:,}" for reason, count in row.why_not.items())
    return (
        f'<tr><th scope="row">{tag("bdi", text(row.tool))}</th><td>{text(row.kind)}</td>'
        f"<td>{row.checked:,} of {row.calls:,}</td><td>{text(why)}</td></tr>"
    )
