"""Keys don't belong into a configuration file: it is committed, copied, and shown to others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from replaylab.errors import UsageError

_NAMES = re.compile(r"(?i)(^|[_-])(api[_-]?key|key|token|secret|password|authorization|credential)s?$")
_SHAPES = re.compile(
    r"""(?x) \b(?: sk-[A-Za-z0-9_-]{12,}     # OpenAI, Anthropic, DeepSeek, DashScope
    | AIza[A-Za-z0-9_-]{20,}                 # Google
    | (?:gsk|xai|hf|ghp|glpat|pat)[_-][A-Za-z0-9_-]{16,}
    | Bearer\s+\S{8,}
    | ey[A-Za-z0-9_-]{8,}\.ey[A-Za-z0-9_-]{8,}\. )"""
)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")


def refuse_secrets(value: Any, refused: Callable[[tuple[str, ...], str], UsageError]) -> None:
    """Raises the error that `refused` makes of a place and a reason when a value is a key or looks like one."""
    for keys, leaf in _leaves(value, ()):
        if reason := _reason(keys, leaf):
            raise refused(keys, reason)


def _reason(keys: tuple[str, ...], leaf: Any) -> str:
    name = keys[-1]
    if name == "api_key_env" and isinstance(leaf, str) and leaf and not _VARIABLE.fullmatch(leaf):
        return "api_key_env is not the name of an environment variable (upper-case letters, digits, _)"
    if any(_SHAPES.search(part) for part in keys):
        return "a name in the file looks like a key"
    if not isinstance(leaf, str):  # `max_tokens` is a number and no secret
        return ""
    if name != "api_key_env" and _NAMES.search(name) and leaf:
        return f"{name!r} would hold a key in the file itself"
    if _SHAPES.search(leaf):
        return f"the value of {name!r} looks like a key"
    if name == "base_url":
        return _in_url(leaf)
    return ""


def _in_url(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "base_url is not a URL"
    if parts.username or parts.password:
        return "base_url holds a user name or a password"
    if any(_NAMES.search(name) for name, _ in parse_qsl(parts.query)):
        return "base_url holds a key"
    return ""


def _leaves(value: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(part, (*keys, name))
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part, keys)
    elif keys:
        yield keys, value
