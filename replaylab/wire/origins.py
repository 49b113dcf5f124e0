"""The alias of an upstream, from the address that a client asked: what a recording calls it, wherever it lay."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from replaylab.errors import UsageError

# Host: how the proxy names it, and what its base URL has before the path behind that name. A test holds both together.
_KNOWN = {
    "api.openai.com": ("openai", ""),
    "api.anthropic.com": ("anthropic", ""),
    "generativelanguage.googleapis.com": ("gemini", ""),
    "api.mistral.ai": ("mistral", ""),
    "api.groq.com": ("groq", ""),
    "api.together.xyz": ("together", ""),
    "api.cohere.com": ("cohere", ""),
    "api.deepseek.com": ("deepseek", ""),
    "openrouter.ai": ("openrouter", "/api"),
    "api.cerebras.ai": ("cerebras", ""),
}
_PORTS = {"http": 80, "https": 443}
_ODD = re.compile(r"[^a-z0-9_]+")


class Address(NamedTuple):
    """An address in its parts. `origin` has no user and no password; `target` is the path behind it and the query, without
    the fragment.
    """

    alias: str
    origin: str
    target: str


def address_of(uri: str) -> Address:
    """The parts of an http or https address. Raises UsageError when it is none."""
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError as error:
        raise UsageError("not a web address", where=ascii(uri)[:200]) from error
    host = (parts.hostname or "").lower()
    if parts.scheme not in _PORTS or not host:
        raise UsageError("not a web address", where=ascii(uri)[:200])
    shown = f"[{host}]" if ":" in host else host
    tail = f":{port}" if port not in (None, _PORTS[parts.scheme]) else ""
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    origin = f"{parts.scheme}://{shown}{tail}"
    alias, root = _KNOWN.get(host + tail, ("", "")) if parts.scheme == "https" else ("", "")
    if alias and target.startswith(root):
        return Address(alias, origin + root, target.removeprefix(root) or "/")
    return Address(_alias(parts.scheme, host + tail), origin, target)


def _alias(scheme: str, netloc: str) -> str:
    name = _ODD.sub("-", netloc if scheme == "https" else f"{scheme}-{netloc}").strip("-")
    return name[:64].rstrip("-") or "unknown"
