"""Report cards of simulators as one page of HTML that fetches nothing."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.compare.agreeing import Agreement
from replaylab.compare.ranking import Ranking
from replaylab.report.agreement_text import all_tables
from replaylab.report.agreement_text import around as agreement_around
from replaylab.report.agreement_text import notices as agreement_notices
from replaylab.report.markup import Html, tag, text
from replaylab.report.simulators_text import Part, closing, parts, shorten_names
from replaylab.report.tables_page import Section, page, section

TITLE = "Report cards of simulators"
KICKER = "How often each simulator broke the contract of its environment, from the cassettes alone"
FOOT = "Made by replaylab simulators from cassettes alone. Built-in models are programs and not LLMs."


def simulators_page(ranking: Ranking, agreed: Sequence[Agreement] = ()) -> bytes:
    """The page, with the agreement of simulators where it was asked for. The same recordings give the same bytes."""
    sections = [*map(_cards, parts(ranking)), *map(_agreement, agreed)]
    return page(TITLE, KICKER, sections, [FOOT, *closing(ranking)])


def _cards(part: Part) -> Section:
    told = [tag("li", tag("bdi", text(shorten_names(line)))) for line in part.told]
    lead = tag("ul", *told)
    return section(f"Evidence: {part.evidence}", part.evidence, part.notices, lead, part.tables, part.around)


def _agreement(found: Agreement) -> Section:
    lead = tag("p", text(found.why_not)) if found.why_not else Html("")
    title, anchor = f"Agreement on agents ({found.evidence})", f"agreement-{found.evidence}"
    return section(
        title, anchor, agreement_notices(found), lead, tuple(all_tables(found)), agreement_around(found)
    )
