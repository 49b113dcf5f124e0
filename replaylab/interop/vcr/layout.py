"""How a request's body was written, so that an export gives its bytes again without keeping them twice.

A cassette of ours holds the value of a JSON body, cut into messages that later requests share. The bytes differ from it by
the order of keys and by spaces, in a way that hardly any client varies: so the way is kept, and the whole text only where
no known way leads to it.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from replaylab.canonical import NotIJson, digest, dumps, parse_strict
from replaylab.schema.base import Json, JsonObject

# How the clients of this world write JSON: httpx and today's SDKs, json.dumps as it is, and the two in between.
_STYLES: dict[str, dict[str, Any]] = {
    "compact": {"separators": (",", ":"), "ensure_ascii": False},
    "spaced": {},
    "compact/ascii": {"separators": (",", ":")},
    "spaced/utf-8": {"ensure_ascii": False},
}


class Layouts:
    """Finds the layout of bodies that go into one cassette, one after the other.

    The cassette keeps the first spelling of what two bodies share. A part that comes again with its keys in another order
    can't be told from the cassette, so such a body is kept whole.
    """

    def __init__(self) -> None:
        self._first: dict[str, bytes | None] = {}

    def of(self, body: bytes) -> JsonObject:
        """The layout of a body, for `written`."""
        try:
            value = parse_strict(body)
        except NotIJson:
            return {}  # it is kept as bytes
        if not isinstance(value, dict):
            return {}
        known = self._spelled_as_before(value)
        for style, options in _STYLES.items():
            if json.dumps(value, **options).encode() == body:
                return {"style": style, "keys": list(value)} if known else whole(body)
        return whole(body)

    def _spelled_as_before(self, value: JsonObject) -> bool:
        parts = [part for one in value.values() for part in (one if isinstance(one, list) else [one])]
        same = True
        for part in parts:
            if isinstance(part, dict | list):
                name, text = digest(part), dumps(part)
                if self._first.setdefault(name, text) != text:
                    self._first[name] = None  # from here on nobody knows which of them the cassette has
                    same = False
        return same


def whole(body: bytes) -> JsonObject:
    """The layout that is the body itself."""
    try:
        return {"text": body.decode()}
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(body).decode()}


def written(layout: JsonObject, value: Json) -> bytes:
    """The bytes of a body, from its layout and the recorded value: an object, or {"raw": bytes}."""
    if "text" in layout:
        return str(layout["text"]).encode()
    if "b64" in layout:
        return base64.b64decode(layout["b64"])
    if isinstance(value, bytes):
        return value
    keys = [key for key in layout.get("keys", ()) if key in value]
    ordered = {key: value[key] for key in (*keys, *(key for key in value if key not in keys))}
    return json.dumps(ordered, **_STYLES.get(layout.get("style", ""), _STYLES["compact"])).encode()
