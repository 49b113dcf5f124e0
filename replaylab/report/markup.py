"""HTML out of untrusted text. Every text of a recording passes through `text` or `attr`; nothing else escapes."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import NewType

Html = NewType("Html", str)

# What a reader can't see and what turns the order of other text around: C0 and C1 controls, marks of direction, line
# separators, lone surrogates and non-characters. Newlines, tabs and CRLF stay.
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
    "|\r(?!\n)"
)

# In a line of plain text also what would begin another one, or another column.
_BREAKS = re.compile("[\t\n\r]")


def text(value: object) -> Html:
    """The value as content of an element. What is hidden is shown by its code point, as U+001B."""
    return Html(HIDDEN.sub(_mark, html.escape(str(value))))


def _mark(match: re.Match[str]) -> str:
    return f'<span class="code-point">{_code_point(match)}</span>'


def attr(value: object) -> Html:
    """The value as content of a quoted attribute."""
    return Html(HIDDEN.sub(_code_point, html.escape(str(value))))


def seen(value: object) -> str:
    """The value as one line of plain text: what is hidden, and what would break the line, is shown by its code point."""
    line = str(value)
    if line.isprintable():  # nothing of either kind is; the most of many thousand texts are
        return line
    return _BREAKS.sub(_code_point, HIDDEN.sub(_code_point, line))


def _code_point(match: re.Match[str]) -> str:
    return f"U+{ord(match[0]):04X}"


def size(part: str) -> int:
    """Bytes of a piece of a page."""
    return len(part) if part.isascii() else len(part.encode())


def join(parts: Iterable[str], glue: str = "") -> Html:
    """Pieces of HTML, one after the other."""
    return Html(glue.join(parts))


def tag(name: str, *content: str, **attributes: object) -> Html:
    """An element. Attribute names lose a trailing `_`, and `_` inside stands for `-`; None leaves one out.

    `content` is HTML already; attribute values are escaped here.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{attr(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}>{''.join(content)}</{name}>")


def badge(word: str) -> Html:
    """A verdict as a word in its colour."""
    return tag("span", text(word), class_=f"badge {word if word.isalpha() else 'none'}")


def facts(rows: Iterable[tuple[str, Html]]) -> Html:
    """Names and values as a description list."""
    return tag(
        "dl", *(f"<div><dt>{text(name)}</dt><dd>{value}</dd></div>" for name, value in rows), class_="facts"
    )


def code(value: object) -> Html:
    """A digest, a key, a name to copy."""
    return tag("code", text(value))


def prose(value: str, cut: int | None = None) -> Html:
    """A text with its line breaks, in its own direction. Past `cut` characters it ends with a count."""
    return _block(value, cut, "prose", 2_000)


def listing(value: str, cut: int | None = None) -> Html:
    """JSON and the like, in a fixed pitch."""
    return _block(value, cut, "listing", 1_200)


def _block(value: str, cut: int | None, name: str, fold: int) -> Html:
    shown = value if cut is None or len(value) <= cut else value[:cut]
    left = len(value) - len(shown)
    missing = f'<p class="note">{left:,} more characters are not on this page.</p>' if left else ""
    if len(shown) <= fold * 1.5:
        return Html(f'<div class="{name}" dir="auto">{text(shown)}</div>{missing}')
    # Folded rather than scrolled: a box that scrolls is hard to use with a keyboard and on a phone.
    at = shown.rfind("\n", fold // 2, fold) + 1 or fold
    rest = f"<summary>{len(shown) - at:,} more characters</summary>"
    body = f'<div class="{name}" dir="auto">{text(shown[at:])}</div>'
    return Html(
        f'<div class="{name}" dir="auto">{text(shown[:at].rstrip(chr(10)))}</div><details class="more">{rest}{body}</details>{missing}'
    )
