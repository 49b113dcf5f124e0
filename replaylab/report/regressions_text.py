"""Two runs held against each other: as text for a terminal, as Markdown, and as the fields of a JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from replaylab.compare.agreement_tables import tables as agreement_tables
from replaylab.compare.divergence import Divergence
from replaylab.compare.regression_tables import WORDS, tables
from replaylab.compare.regressions import Flip, Regressions
from replaylab.report.markup import seen
from replaylab.report.notice import evidence_notices, players_notices
from replaylab.report.score_cells import shorten
from replaylab.report.score_parts import Around
from replaylab.report.score_text import escape_markdown, markdown, plain, wrapped
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.finding import Finding
from replaylab.score.value import Table

FLIPS = 10  # shown with their first divergence at most; the rest is in --json
VALUE = 100  # characters of a value
SIDES = ("first", "second")
KINDS = {
    "regressed": "passed in the first run, failed in the second",
    "improved": "failed in the first run, passed in the second",
    "undecided": "without a verdict on one side: neither a pass nor a fail",
}


def notices(found: Regressions) -> list[str]:
    """What a reader must know before the first number."""
    told = [notice for kind in dict.fromkeys(found.evidence) for notice in evidence_notices(kind)]
    if len(set(found.evidence)) > 1:
        one, other = found.evidence
        told.append(f"The first run's trials are {one}, the second's {other}: they were not made alike.")
    return [*told, *players_notices([*found.a.players.values(), *found.b.players.values()])]


def around(found: Regressions) -> Around:
    """What stands above each table."""
    one, other = found.evidence
    return Around(f"{found.pairs} pairs of trials; evidence: {one if one == other else f'{one}, {other}'}.")


def headline(found: Regressions) -> str:
    """The answer in a line."""
    counts = [found.count(kind) for kind in KINDS]
    same = found.pairs - sum(counts)
    return (
        f"{found.pairs} pairs: {counts[0]} regressed, {counts[1]} improved, {counts[2]} without a verdict on one side "
        f"alone, {same} as before"
    )


def text(found: Sequence[Regressions], width: int | None = None) -> str:
    """The comparison for a terminal."""
    lines: list[str] = []
    for one in found:
        lines += [
            f"{name}: run {shorten(side.name)}  {side.run}"
            for name, side in zip(SIDES, (one.a, one.b), strict=True)
        ]
        lines += wrapped((f"! {seen(notice)}" for notice in notices(one)), width, 2)
        lines += wrapped((f"differs: {shorten(change.message)}" for change in one.changed), width, 2)
        lines += [] if one.changed else ["differs: nothing that the runs say of themselves"]
        lines += [headline(one), "", *_flips(one.flips, width)]
        for table in (*tables(one), *driving(one)):
            if table.id != "flips":
                lines += [plain(table, around(one), width).rstrip("\n"), ""]
    return "\n".join(lines).rstrip("\n")


def driving(found: Regressions) -> list[Table]:
    """What drives the simulators apart, where the runs differ in those."""
    return [table for between in found.between for table in agreement_tables(between)]


def _flips(flips: Sequence[Flip], width: int | None) -> Iterator[str]:
    for kind, words in KINDS.items():
        ours = [one for one in flips if one.kind == kind]
        if not ours:
            continue
        yield f"{kind.capitalize()} ({len(ours)}): {words}"
        for one in ours[:FLIPS]:
            yield from wrapped(_told(one), width, 6)
        if len(ours) > FLIPS:
            yield f"  … and {len(ours) - FLIPS} more; --json lists all"
        yield ""


def _told(one: Flip) -> Iterator[str]:
    yield f"  {shorten(one.key_b)}  {WORDS[one.before]}, then {WORDS[one.after]}"
    if one.failures:
        yield f"    failed by: {', '.join(map(shorten, one.failures))}"
    if one.first is None:
        yield "    not recorded on both sides"
        return
    yield f"    first difference: {shorten(one.first.message)}"
    yield from (f"    {line}" for line in _values(one.first))


def _values(first: Divergence) -> Iterator[str]:
    if first.what == "nothing":
        return
    where = f" at {shorten(first.pointer)}" if first.pointer else ""
    for side, path, value in zip(SIDES, (first.path_a, first.path_b), (first.a, first.b), strict=True):
        yield f"{side + ':':<8}{shorten(path) or '-'}{where}: {short(value)}"


def short(value: Json) -> str:
    """A value as one line of JSON, cut."""
    told = seen(json.dumps(value, ensure_ascii=False, sort_keys=True))
    return told if len(told) <= VALUE else f"{told[:VALUE]}… ({len(told)} characters)"


def as_markdown(found: Sequence[Regressions]) -> str:
    """The same as Markdown, every flip in a table."""
    blocks = []
    for one in found:
        title = f"# {escape_markdown(shorten(one.a.name), first=True)} and {escape_markdown(shorten(one.b.name))}\n"
        lines = [f"> {escape_markdown(notice, first=True)}\n" for notice in notices(one)]
        lines += [f"- differs: {escape_markdown(shorten(change.message))}" for change in one.changed]
        lines += [f"- {escape_markdown(headline(one))}", ""]
        blocks += [
            title,
            "\n".join(lines),
            *(markdown(table, around(one)) for table in (*tables(one), *driving(one))),
        ]
    return "\n".join(blocks)


def findings(found: Sequence[Regressions]) -> list[Finding]:
    """Each regression as a finding: what a script stops at. What improved is none."""
    return [
        Finding.of(
            "regressed",
            flip.key_b,
            f"{flip.task} under {flip.faults} passed in {one.a.name} and fails in {one.b.name}"
            + (f": {flip.first.message}" if flip.first else ""),
            expected=flip.before,
            observed=flip.after,
            pointer=flip.first.pointer if flip.first else "",
            closest=flip.key_a,
        )
        for one in found
        for flip in one.regressed
    ]


def fields(found: Sequence[Regressions]) -> JsonObject:
    """What the JSON document has of them, unrounded."""
    return {"comparisons": [one.model_dump(mode="json") for one in found]}
