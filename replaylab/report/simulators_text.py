"""Report cards of simulators: as text for a terminal, as Markdown, and as the fields of a JSON document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from replaylab.compare.card_tables import tables
from replaylab.compare.cards import EVIDENCE, Card
from replaylab.compare.ranking import Ranking
from replaylab.report.markup import seen
from replaylab.report.notice import evidence_notices
from replaylab.report.score_cells import shorten
from replaylab.report.score_parts import Around
from replaylab.report.score_text import escape_markdown, markdown, plain, wrapped
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import Evidence
from replaylab.score.value import Table

FIRST = ("ranking", "kinds", "prices")  # what a terminal shows; the rest on request


class Part(NamedTuple):
    """The simulators of one kind of evidence: what must be said of them, a sentence for each, and their tables."""

    evidence: Evidence
    notices: tuple[str, ...]
    told: tuple[str, ...]
    tables: tuple[Table, ...]

    @property
    def around(self) -> Around:
        return Around(f"Evidence: {self.evidence}.", ())


def parts(ranking: Ranking) -> list[Part]:
    """One part for each kind of evidence: they are never pooled."""
    found = []
    for evidence in EVIDENCE:
        cards = [one for one in ranking.cards if one.evidence == evidence]
        if cards:
            # Who wrote answers down played nothing, whatever the header calls the player.
            played = () if evidence == "authored" else programs(cards)
            notices = (*evidence_notices(evidence), *played)
            told = tuple(map(sentence, cards))
            found.append(Part(evidence, notices, told, tables(ranking, evidence)))
    return found


def programs(cards: Iterable[Card]) -> list[str]:
    """Which of them are no LLMs."""
    names = [one.name for one in cards if one.settings.player == "program"]
    return [f"Programs and not LLMs: {', '.join(names)}."] if names else []


def sentence(one: Card) -> str:
    """What there is to know of a simulator, in a sentence."""
    if one.rank is None:
        return f"{one.name}: no rank; {one.unranked}."
    low, high = one.ranks or (one.rank, one.rank)
    may = "" if low == high else f", may be {low} to {high}"
    bounds = one.share.interval
    within = f" (95 %: {100 * bounds.low:.1f} to {100 * bounds.high:.1f} %)" if bounds else ""
    unknown = one.calls - one.checkable
    return (
        f"{one.name}: rank {one.rank}{may}; {one.share.k} of {one.share.n} checkable calls break the contract"
        f"{within}; {unknown} of {one.calls} calls could not be checked."
    )


def text(ranking: Ranking, *, every: bool = False, width: int | None = None) -> str:
    """The cards for a terminal."""
    lines: list[str] = []
    for part in parts(ranking):
        lines += wrapped((f"! {seen(notice)}" for notice in part.notices), width, 2)
        lines += wrapped((seen(shorten_names(line)) for line in part.told), width, 2)
        for table in part.tables:
            if every or table.id in FIRST:
                lines += ["", plain(table, part.around, width).rstrip("\n")]
        lines.append("")
    lines += wrapped(map(seen, closing(ranking)), width, 2)
    return "\n".join(lines).rstrip("\n")


def shorten_names(line: str) -> str:
    """A sentence with a name in it that could be of any length."""
    return line if len(line) < 600 else shorten(line)


def closing(ranking: Ranking) -> list[str]:
    """What stands below all tables."""
    if not ranking.copied:
        return []
    return [
        f"Not counted: {ranking.copied} trials with copied answers (judged anew); they count where they were recorded."
    ]


def as_markdown(ranking: Ranking) -> str:
    """All tables as Markdown."""
    blocks = ["# Simulators\n"]
    for part in parts(ranking):
        lines = [f"> {escape_markdown(notice, first=True)}\n" for notice in part.notices]
        lines += [f"- {escape_markdown(line, first=True)}" for line in part.told]
        blocks += ["\n".join(lines) + "\n", *(markdown(table, part.around) for table in part.tables)]
    blocks += [escape_markdown(line, first=True) + "\n" for line in closing(ranking)]
    return "\n".join(blocks)


def fields(ranking: Ranking) -> JsonObject:
    """What the JSON document has of them: every number unrounded, with what it stands on."""
    return {
        "simulators": [card_json(one) for one in ranking.cards],
        "pairs": [one.model_dump(mode="json") for one in ranking.pairs],
        "copied": ranking.copied,
    }


def card_json(one: Card) -> JsonObject:
    """All fields of a card."""
    return one.model_dump(mode="json") | {
        "share": one.share.to_json(),
        "critical": one.critical.to_json(),
        "kinds": [kind.model_dump(mode="json") | {"share": kind.share.to_json()} for kind in one.kinds],
        "industries": {name: share.to_json() for name, share in one.industries.items()},
    }
