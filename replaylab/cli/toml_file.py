"""A TOML file that is checked strictly, with errors that name the line and the closest key.

`tomllib` doesn't say where a key stands, so the line is looked up in the text when there is something to complain of.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from replaylab.errors import UsageError
from replaylab.given import read_given
from replaylab.near import closest
from replaylab.schema.base import Frozen, JsonObject

T = TypeVar("T", bound=Frozen)
_MAX_DEPTH = 50

_SYNTAX = 'write a table as [models.NAME] and a key below it as name = "text", name = 5 or name = true'


class TomlFile:
    """`name` is what messages call the file. Raises UsageError when the text is not TOML."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        try:
            self.value: JsonObject = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            at = re.search(r"at line (\d+)", str(error))
            raise UsageError(
                f"not TOML: {error}", where=f"{name}:{at[1]}" if at else name, fix=_SYNTAX
            ) from error
        except ValueError as error:  # an integer of thousands of digits
            raise UsageError("not a configuration: a number is too long", where=name) from error
        except RecursionError as error:
            raise _too_deep(name) from error
        if _is_deep(self.value):
            raise _too_deep(name)

    @classmethod
    def read(cls, path: Path) -> TomlFile:
        """Reads a file. Raises UsageError when that fails."""
        try:
            return cls(str(path), read_given(path).decode("utf-8-sig").replace("\r\n", "\n"))
        except OSError as error:
            raise UsageError(f"can't read the configuration: {error.strerror}", where=str(path)) from error
        except UnicodeDecodeError as error:
            raise UsageError("not UTF-8", where=str(path), fix="save the file as UTF-8") from error

    def error(self, keys: Sequence[str], what: str, *, near: str = "", fix: str = "") -> UsageError:
        """An error about the key or table `keys`."""
        line = line_of(self.text, keys)
        where = f"{self.name}:{line}" if line else self.name
        return UsageError(
            what, where=where, closest=near, fix=fix or "see the comments that `replaylab init` writes"
        )

    def validated(self, kind: type[T], value: JsonObject, keys: tuple[str, ...] = ()) -> T:
        """`value`, which stands at `keys`, as a `kind`. The error says nothing of the value, which may be secret."""
        try:
            return kind.model_validate(value)
        except ValidationError as error:
            errors = error.errors(include_url=False, include_context=False, include_input=False)
            # A misspelt key first: what else is wrong (a field that is missing now) often follows from it.
            first = min(errors, key=lambda one: one["type"] != "extra_forbidden")
            loc = _standing(first["loc"], value)
            found = keys + loc
            if first["type"] == "literal_error":
                allowed = re.sub(r"'([^']*)'", r'"\1"', first["msg"].removeprefix("Input should be "))
                raise self.error(found, f"{'.'.join(found)}: must be {allowed}") from None
            if first["type"] != "extra_forbidden":
                raise self.error(found, f"{'.'.join(found)}: {first['msg']}") from None
            near = closest(loc[-1], _fields_at(kind, loc[:-1]))
            raise self.error(found, f"unknown key {'.'.join(found)!r}", near=near) from None


def _too_deep(name: str) -> UsageError:
    return UsageError(f"not a configuration: nested deeper than {_MAX_DEPTH}", where=name)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_MAX_DEPTH + 1):
        level = [part for one in level if isinstance(one, dict | list) for part in _parts(one)]
    return bool(level)


def _parts(value: JsonObject | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value


def _standing(loc: tuple[int | str, ...], value: Any) -> tuple[str, ...]:
    """The part of a pydantic location that stands in the file: pydantic adds the branches of unions."""
    keys: list[str] = []
    for part in loc:
        if isinstance(value, dict):
            keys.append(str(part))
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            keys.append(str(part))
            value = value[part]
    return tuple(keys)


def _fields_at(kind: type[Frozen], loc: tuple[str, ...]) -> list[str]:
    """The keys that the table at `loc` may have. A name of a free mapping (a model, a price) leads into its values."""
    for part in loc:
        if part in kind.model_fields:
            kind = next(_tables(kind.model_fields[part].annotation), kind)
    return list(kind.model_fields)


def _tables(annotation: Any) -> Iterator[type[Frozen]]:
    if isinstance(annotation, type) and issubclass(annotation, Frozen):
        yield annotation
    for part in get_args(annotation):
        yield from _tables(part)


_HEADER = re.compile(r"^\s*(\[\[?[^\]]+\]\]?)\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*((?:[A-Za-z0-9_.-]+|\"[^\"]*\"|'[^']*'|\s*\.\s*)+?)\s*=")


def line_of(text: str, path: Sequence[str]) -> int | None:
    """The line, counted from 1, of the key or table `path`; else of the innermost table around it, or None.

    A table of an array has its number in the path, counted from 0; without a number the first one is meant.
    """
    wanted, best, depth = tuple(path), None, 0
    table: tuple[str | int, ...] = ()
    found: tuple[str | int, ...]
    arrays: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            name = _path(header[1])
            array: tuple[int, ...] = ()
            if header[1].startswith("[["):
                arrays[name] = arrays.get(name, -1) + 1
                array = (arrays[name],)
            table = found = (*name, *array)
        elif key := _KEY.match(line):
            found = table + _path(f"{key[1]} = 0")
        else:
            continue
        shared = _shared(wanted, found)
        if shared > depth:
            best, depth = number, shared
    return best


def _shared(wanted: Sequence[str], found: Sequence[str | int]) -> int:
    """How many parts of a path lead to a line; 0 where the line is none of it."""
    at = 0
    for part in found:
        if at == len(wanted):
            break
        if isinstance(part, int) and not wanted[at].isdecimal():
            continue  # the path names no number
        if wanted[at] != str(part):
            return 0
        at += 1
    return at


def _path(line: str) -> tuple[str, ...]:
    """The dotted path that one header or key line means; the TOML parser itself takes it apart."""
    try:
        value: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:  # a line inside a multi-line string that only looks like a key
        return ()
    path: list[str] = []
    while isinstance(value, (dict, list)) and value:
        if isinstance(value, list):
            value = value[0]
            continue
        name, value = next(iter(value.items()))
        path.append(name)
    return tuple(path)
