"""The agreement of simulators: as text for a terminal, as Markdown, and as the fields of a JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replaylab.compare.agreeing import Agreement
from replaylab.compare.agreement_tables import tables
from replaylab.report.markup import seen
from replaylab.report.notice import evidence_notices, players_notices
from replaylab.report.score_parts import Around
from replaylab.report.score_text import escape_markdown, markdown, plain, wrapped
from replaylab.schema.base import JsonObject
from replaylab.score.value import Table


def notices(found: Agreement) -> list[str]:
    """What a reader must know before the first number."""
    players = [one.player for one in found.simulators.values()]
    return [*evidence_notices(found.evidence), *(players_notices(players) if "program" in players else [])]


def around(found: Agreement) -> Around:
    """What stands above each table."""
    return Around(f"Evidence: {found.evidence}. Rates are of trials with a verdict.", (), "decided")


def all_tables(found: Agreement) -> Iterator[Table]:
    """The tables of `score`, then those of each two simulators."""
    yield from found.ranks
    for between in found.between:
        yield from tables(between)


def text(found: Sequence[Agreement], width: int | None = None) -> str:
    """For a terminal."""
    lines: list[str] = []
    for one in found:
        lines += wrapped((f"! {seen(notice)}" for notice in notices(one)), width, 2)
        lines += [f"{one.evidence}: no agreement to show: {seen(one.why_not)}"] if one.why_not else []
        for table in all_tables(one):
            lines += ["", plain(table, around(one), width).rstrip("\n")]
        lines.append("")
    return "\n".join(lines).strip("\n")


def as_markdown(found: Sequence[Agreement]) -> str:
    """All tables as Markdown."""
    blocks = ["# Agreement of simulators\n"]
    for one in found:
        blocks += [f"> {escape_markdown(notice, first=True)}\n" for notice in notices(one)]
        blocks += [escape_markdown(one.why_not, first=True) + "\n"] if one.why_not else []
        blocks += [markdown(table, around(one)) for table in all_tables(one)]
    return "\n".join(blocks)


def fields(found: Sequence[Agreement]) -> list[JsonObject]:
    """What the JSON document has of it: values, unrounded; of the tables of `score` what `score --json` is for."""
    return [
        {
            "evidence": one.evidence,
            "why_not": one.why_not or None,
            "between": [
                between.found.model_dump(mode="json")
                | {
                    "explained": between.explained.model_dump(mode="json")
                    | {
                        name: getattr(between.explained, name).to_json()
                        for name in ("flipped", "unflipped", "flipped_before", "unflipped_before")
                    }
                }
                for between in one.between
            ],
        }
        for one in found
    ]
