"""A figure on a page: the drawing inside, its words for those who can't see it, and where its numbers are."""

from __future__ import annotations

import base64
import re
from urllib.parse import quote

from replaylab.report.markup import Html, attr, join, tag, text
from replaylab.report.score_parts import Drawn

SVG_LIMIT = 400_000  # bytes; a larger drawing goes in as PNG


def figure_html(name: str, drawn: Drawn, anchor: str | None) -> Html:
    """The figure with links to its files and, by `anchor`, to the table that it is drawn from."""
    is_svg = len(drawn.svg) <= SVG_LIMIT
    kind, data = ("svg+xml", drawn.svg) if is_svg else ("png", drawn.png)
    source = f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}"
    width, height = _size(drawn.svg)
    image = f'<img src="{source}" alt="{attr(drawn.alt)}"{width}{height}>'
    links = join(
        (tag("a", text(one.upper()), href=f"figures/{quote(name)}.{one}") for one in ("svg", "png", "pdf")),
        ", ",
    )
    drawn_from = tag("a", text("the table that it is drawn from"), href=f"#{anchor}") if anchor else ""
    said = [text(f"{drawn.title}. "), links, text("; ") if anchor else "", drawn_from]
    region = tag(
        "div",
        image,
        class_="scroll drawing",
        role="region",
        tabindex="0",
        aria_label=f"Figure: {drawn.title}",
    )
    return tag("figure", region, tag("figcaption", *said), id=f"figure-{name}")


_VIEW = re.compile(rb'<svg[^>]*?\sviewBox="[-0-9.e]+ [-0-9.e]+ ([0-9.e]+) ([0-9.e]+)"')


def _size(svg: bytes) -> tuple[str, str]:
    """Width and height of a drawing as attributes, so that nothing on the page moves when it is there."""
    found = _VIEW.search(svg[:4_000])
    if found is None:
        return "", ""
    # Points to pixels of CSS.
    width, height = (round(float(one) * 4 / 3) for one in found.groups())
    return f' width="{width}"', f' height="{height}"'
