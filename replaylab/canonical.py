"""Canonical JSON and digests: what every identity in replaylab is made of.

The canonical form is RFC 8785 (JCS), through the `rfc8785` package. Anything that is not I-JSON is refused here and
never changed: NaN and infinities, integers beyond 2**53 - 1, lone surrogates, duplicate keys, a byte order mark. A
digest is the lower-case hex SHA-256 of canonical bytes; what it covers is named by a `v` field inside the hashed value.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, NoReturn

import orjson
import rfc8785

from replaylab.errors import UsageError

MAX_SAFE_INTEGER = 2**53 - 1
MAX_DEPTH = 200


class NotIJson(UsageError):
    """A value or a text that has no canonical form; the message says why."""


class Digest(str):
    """64 lower-case hex digits: a SHA-256."""

    __slots__ = ()

    def __new__(cls, text: str) -> Digest:
        if _DIGEST.fullmatch(text) is None:
            raise UsageError(f"not a digest: {text[:80]!r}", fix="a digest is 64 lower-case hex digits")
        return super().__new__(cls, text)


_DIGEST = re.compile(r"[0-9a-f]{64}")


def canonical(value: Any) -> bytes:
    """The RFC 8785 bytes of `value`, which is built of dict, list, tuple, str, int, float, bool and None.

    Raises NotIJson when `value` has no canonical form.
    """
    try:
        # orjson writes the same bytes for values without floats and with ASCII keys, some 50 times faster; a property
        # test holds the two together.
        if _is_plain(value):
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        return _with_numbers(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError, TypeError) as error:
        raise NotIJson(f"no canonical form: {str(error) or type(error).__name__}") from error


_TEXTS = frozenset(
    (str, Digest)
)  # a list of nothing else is seen through at once, such as a request's digests


def _is_plain(value: Any) -> bool:
    kind = type(value)
    if kind is str or kind is Digest or value is None or kind is bool:
        return True
    if kind is int:
        return bool(-MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER)
    if kind is float:  # in this range both print the shortest digits without an exponent
        return 1e-3 <= abs(value) < 1e15 and not value.is_integer()
    if kind is dict:
        for key, part in value.items():
            if type(key) is not str or not key.isascii():
                return False
            if type(part) is not str and not _is_plain(part):
                return False
        return True
    if kind is list or kind is tuple:
        return _TEXTS.issuperset(map(type, value)) or all(map(_is_plain, value))
    return False


class _OnlyRfc8785(Exception):
    """A value that orjson can't be brought to write in the canonical form."""


def _with_numbers(value: Any) -> bytes:
    """The canonical form of a value in which only numbers are not plain, or what rfc8785 makes of it."""
    try:
        return orjson.dumps(_plainer(value), option=orjson.OPT_SORT_KEYS)
    except (_OnlyRfc8785, TypeError):  # orjson refuses what is nested very deeply
        return rfc8785.dumps(value)


def _plainer(value: Any) -> Any:
    """The value with its whole numbers as integers, and others that the two write unlike as rfc8785 writes them."""
    kind = type(value)
    if kind is dict:
        if not all(type(key) is str and key.isascii() for key in value):
            raise _OnlyRfc8785
        return {key: _plainer(part) for key, part in value.items()}
    if kind is list or kind is tuple:
        return [_plainer(part) for part in value]
    if kind is float and not _is_plain(value):
        return (
            int(value) if abs(value) < 1e15 and value.is_integer() else orjson.Fragment(rfc8785.dumps(value))
        )
    if not _is_plain(value):
        raise _OnlyRfc8785
    return value


def indented(text: str) -> bytes | None:
    """A JSON text of `json.dumps(…, ensure_ascii=False)` with an indent of two, to the byte as `json` has it with
    `indent=2`, which is five times slower. None where only `json` can do it.
    """
    if _LONG_INTEGER.search(text):
        return None
    try:
        found = orjson.dumps(orjson.loads(text), option=orjson.OPT_INDENT_2)
    except (ValueError, TypeError):
        return None
    if found.count(b":") != text.count(":"):  # a key that stands twice
        return None
    return _UNLIKE.sub(lambda match: repr(float(match[0])).encode("ascii"), found)


_LONG_INTEGER = re.compile("(?<![0-9.])[0-9]{19}")  # the digits of a fraction are none
# Floats that Python writes with another exponent, or with one. Each stands at the end of its line, where no text can.
_UNLIKE = re.compile(rb"(?<= )-?(?:[0-9.]+e[-+]?[0-9]+|0\.0000[0-9]*)(?=,?\n)")


def digest(value: Any) -> Digest:
    """SHA-256 over the canonical form of `value`."""
    return digest_bytes(canonical(value))


def digest_bytes(data: bytes) -> Digest:
    """SHA-256 over raw bytes."""
    return str.__new__(Digest, hashlib.sha256(data).hexdigest())


def dumps(value: Any) -> bytes:
    """Compact JSON for the wire and for files whose key order is the writer's. Not a canonical form."""
    return orjson.dumps(value)


def loads(data: bytes | str) -> Any:
    """Fast parse of JSON that replaylab wrote itself. Raises ValueError on bad JSON."""
    return orjson.loads(data)


def parse_strict(data: bytes | str) -> Any:
    """Parse JSON from outside, refusing whatever is not I-JSON (RFC 7493). Raises NotIJson and says why."""
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        escaped = "\\u" in text
        found = None if escaped else _parsed_plain(text)
        if found is not None:
            return found[0]
        text.encode("utf-8")
        value = _DECODER.decode(text)
    except NotIJson:
        raise
    except RecursionError as error:
        raise NotIJson("not I-JSON: nested too deeply") from error
    except ValueError as error:
        raise NotIJson(f"not JSON: {error}") from error
    # Only an escape can spell a surrogate here, and a value is at most as deep as it has brackets.
    if escaped or text.count("{") + text.count("[") > MAX_DEPTH:
        _check_text_and_depth(value, text=escaped)
    return value


def _parsed_plain(text: str) -> tuple[Any] | None:
    """The value of a text without escapes by number, twice as fast; None where only the strict parser can tell.

    A value is at most as deep as it has brackets; where there are many, it is as deep as it is indented.

    orjson keeps the last of two equal keys, so a colon is missing when the value is written again. It reads an integer
    beyond 64 bits as a double, which is then written with an exponent. A property test holds both parsers together.
    """
    few = text.count("{") + text.count("[") <= MAX_DEPTH
    try:
        value = orjson.loads(text)
        again = orjson.dumps(value, option=_STRICT if few else _STRICT | orjson.OPT_INDENT_2)
    except (ValueError, TypeError):
        return None
    if again.count(b":") != text.count(":") or _EXPONENT in again or not _WRITES_PLUS:
        return None
    if not few and _TOO_DEEP in again:
        raise NotIJson(f"not I-JSON: nested deeper than {MAX_DEPTH}")
    return (value,)


_STRICT = orjson.OPT_STRICT_INTEGER
_TOO_DEEP = b"\n" + b"  " * (MAX_DEPTH + 1)  # no text holds a line break when it is written


# How this release writes a double beyond 64 bits; one that writes no plus leaves all to the strict parser.
_EXPONENT = b"e+"
_WRITES_PLUS = _EXPONENT in orjson.dumps(float(2**64))


def _check_text_and_depth(value: Any, *, text: bool) -> None:
    """Escaped lone surrogates pass the parser; they and extreme depth have no canonical form."""
    stack: list[tuple[Any, int]] = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise NotIJson(f"not I-JSON: nested deeper than {MAX_DEPTH}")
        kind = type(item)
        if kind is str:
            _check_text(item)
        if kind is not dict and kind is not list:
            continue
        for key in item if text and kind is dict else ():
            _check_text(key)
        parts = item.values() if kind is dict else item
        # At the deepest level that is allowed any part is too deep; above it only texts and containers matter.
        deepest = depth == MAX_DEPTH
        stack.extend(
            (part, depth + 1)
            for part in parts
            if deepest or type(part) is dict or type(part) is list or (text and type(part) is str)
        )


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise NotIJson("not I-JSON: a lone surrogate") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise NotIJson(f"not I-JSON: the key {twice!r} stands twice in one object")
    return value


def _integer(text: str) -> int:
    if len(text) > 17 or abs(int(text)) > MAX_SAFE_INTEGER:
        raise NotIJson(f"not I-JSON: the integer {text[:40]} is beyond 2**53 - 1")
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise NotIJson(f"not I-JSON: the number {text[:40]} has no double")
    return value


def _constant(text: str) -> NoReturn:
    raise NotIJson(f"not I-JSON: {text}")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_constant
)
