"""The ledger of a run or a study on a page: how many trials ended how, as numbers and as a bar."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.report.markup import Html, attr, join, tag, text


def ledger_html(planned: int, shown: Sequence[tuple[str, int]]) -> Html:
    """A tile for each outcome, in this order, and a bar of them."""
    tiles = [tag("li", tag("strong", text(f"{count:,}")), text(word), class_=word) for word, count in shown]
    first = tag("li", tag("strong", text(f"{planned:,}")), text("planned"))
    said = ", ".join(f"{count} {word}" for word, count in shown)
    at, bars = 0, []
    for word, count in shown:
        if count:
            bars.append(f'<rect class="{attr(word)}" x="{at}" y="0" width="{count}" height="1"/>')
        at += count
    bar = f'<svg class="bar" viewBox="0 0 {max(at, 1)} 1" preserveAspectRatio="none" role="img" aria-label="{attr(said)}">'
    return join((tag("ul", first, *tiles, class_="tiles"), f"{bar}{''.join(bars)}</svg>"))
