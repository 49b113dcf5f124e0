"""The frame of every page: one file of HTML that fetches nothing, and whose policy allows only its own parts.

The policy names the one style and the one script by digest and forbids every request, so that nothing a model wrote
can act, even if it were not escaped.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from replaylab.canonical import dumps
from replaylab.report.markup import Html, attr, join
from replaylab.schema.base import Json


def frame(
    title: str,
    body: Html,
    assets: Sequence[str],
    *,
    images: bool = False,
    data: Mapping[str, Json] | None = None,
) -> bytes:
    """A whole page. `assets` are files of this package: styles end in .css, scripts in .js.

    `images` allows pictures that lie in the page itself. `data` becomes blocks of JSON, by element id, that no browser
    runs.
    """
    style = "\n".join(_asset(name) for name in assets if name.endswith(".css"))
    script = "\n".join(_asset(name) for name in assets if name.endswith(".js"))
    pictures = " img-src data:;" if images else ""
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';{pictures}"
        " base-uri 'none'; form-action 'none'"
    )
    blocks = join(_block(name, value) for name, value in (data or {}).items())
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{attr(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<a class="skip" href="#main">Skip to the content</a>\n{body}\n'
        f"{blocks}<script>{script}</script>\n</body>\n</html>\n"
    ).encode()


def main(*parts: str) -> Html:
    """The landmark that the first link of a page skips to."""
    return Html(f'<main id="main" tabindex="-1">\n{"".join(parts)}\n</main>')


def _block(name: str, value: Json) -> Html:
    # Only "<" could end the element or begin a comment in it.
    inner = dumps(value).decode().replace("<", "\\u003c")
    return Html(f'<script type="application/json" id="{attr(name)}">{inner}</script>\n')


@cache
def _asset(name: str) -> str:
    return resources.files("replaylab.report").joinpath(name).read_text(encoding="utf-8").strip()


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode("ascii")
