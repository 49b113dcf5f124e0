"""Finds the one JSON value that a model's answer consists of. Every role reads answers through here.

The rules, in order. What fails them is asked again; nothing is guessed, and nothing broken is repaired.

1. The whole text, or the inside of the one code fence that it consists of, is JSON: that value.
2. Everything up to the last `</think>` is thinking and is dropped; so is all that follows a `<think>` that stands
   before the first brace and is never closed.
3. Outside and inside `<predicted_observation>` (whose closing tag may be missing), objects and lists are looked for
   between prose and fences, by matching brackets outside of strings. What a value contains is part of it and is never
   looked at alone. When objects are wanted, a list of scalars in prose, as in "see [1]", is prose.
4. Doubled braces, echoed from a prompt that was written as a template, are read as single ones only where the text as
   it stands is not JSON and the un-doubled text is. Braces inside strings stay.
5. One value, or several identical ones: that value. Several different ones: the tagged value, if it comes last. Else
   the answer is ambiguous. An opening that is never closed makes any answer unusable, since a piece of a cut value
   would otherwise pass for the whole; so does a broken value after the last good one.

Strict I-JSON throughout (`canonical.parse_strict`). The reasons given are part of later requests, so they are fixed
texts and not messages of the interpreter's JSON library, which differ between Python versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, cast

from replaylab.canonical import NotIJson, canonical, parse_strict
from replaylab.errors import CallFailed
from replaylab.schema.base import Json, JsonObject

PARSER_VERSION = "1"  # goes up with every change in how an answer of any role is read
OBJECT = frozenset({"object"})
MAX_SCANS = 100  # how often, on average, a character may be looked at while brackets are matched

_OPEN_TAG, _CLOSE_TAG = "<predicted_observation>", "</predicted_observation>"
_FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
_THINK, _END_THINK = re.compile(r"<think(?:ing)?>"), re.compile(r"</think(?:ing)?>")
_BRACKET = re.compile(r'["{}\[\]]')
_STRING_END = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_LOOKS_LIKE_JSON = re.compile(r"""\{\s*(?:["'}]|\{\s*["'}])|\[\s*["{\[]""")
_CLOSES = {"{": "}", "[": "]"}


class Unparsable(CallFailed):
    """An answer without the one JSON value that was due. `what` is the reason, one of a few fixed texts."""

    def __init__(self, what: str) -> None:
        super().__init__(what, kind="unparsable")


class _Found(NamedTuple):
    """A value in the text; `ok` is false for something that was meant as JSON and is none."""

    value: Json
    ok: bool
    tagged: bool


def one_json_object(text: str) -> JsonObject:
    """The one JSON object in `text`. Raises Unparsable."""
    return cast(JsonObject, one_json(text, OBJECT))


def one_json(text: str, kinds: frozenset[str]) -> Json:
    """The one JSON value in `text`, of one of `kinds` (see `kind_of`). Raises Unparsable."""
    whole = _whole(text)
    if whole is None:
        text = split_thinking(text)[1]
        whole = _whole(text) or _whole(_last_tagged(text))
    if whole is not None:
        if kind_of(whole.value) not in kinds:
            raise Unparsable(f"it is JSON of the kind {kind_of(whole.value)}, not {_either(kinds)}")
        return whole.value
    return _choose([found for found in _search(text) if not _is_prose(found, kinds)], kinds)


_NAMES: dict[type, str] = {bool: "boolean", int: "number", float: "number", str: "string", list: "array"}


def kind_of(value: Json) -> str:
    """object, array, string, number, boolean or null."""
    return "null" if value is None else _NAMES.get(type(value), "object")


def split_thinking(text: str) -> tuple[str, str]:
    """(thinking, what follows): the thinking that a server left in the text, tags removed, and the rest."""
    if "think" not in text:
        return "", text
    ends = list(_END_THINK.finditer(text))
    if ends:
        thinking = _THINK.sub("", _END_THINK.sub("", text[: ends[-1].start()]))
        return thinking.strip(), text[ends[-1].end() :].lstrip()
    start = _THINK.search(text)
    if start and not _BRACKET.search(text, 0, start.start()):
        return text[start.end() :].strip(), text[: start.start()].strip()
    return "", text


def _either(kinds: frozenset[str]) -> str:
    return " or ".join(sorted(kinds, key=lambda kind: (kind != "object", kind)))


def _whole(text: str) -> _Found | None:
    text = text.strip()
    fence = _FENCE.fullmatch(text) if text.startswith("```") else None
    try:
        return _Found(parse_strict(fence[1] if fence else text), ok=True, tagged=False)
    except NotIJson:
        return None


def _last_tagged(text: str) -> str:
    """The inside of the only tag pair when nothing but prose without brackets stands around it, else ""."""
    before, tag, rest = text.partition(_OPEN_TAG)
    inside, _, after = rest.partition(_CLOSE_TAG)
    return "" if not tag or _BRACKET.search(before + after) or _OPEN_TAG in rest else inside


def _is_prose(found: _Found, kinds: frozenset[str]) -> bool:
    return (
        "array" not in kinds
        and isinstance(found.value, list)
        and not any(isinstance(item, dict | list) for item in found.value)
    )


def _choose(found: list[_Found], kinds: frozenset[str]) -> Json:
    good = [item for item in found if item.ok]
    if not found:
        raise Unparsable("it holds no JSON " + _either(kinds))
    if not found[-1].ok:
        raise Unparsable("it holds something like JSON that is not strict JSON")
    tagged = [item for item in good if item.tagged]
    choice = tagged if tagged and found[-1].tagged else good
    if len({canonical(item.value) for item in choice}) > 1:
        raise Unparsable("it holds several different JSON values")
    value = choice[-1].value
    if kind_of(value) not in kinds:
        raise Unparsable(f"it is JSON of the kind {kind_of(value)}, not {_either(kinds)}")
    return value


def _search(text: str) -> Iterator[_Found]:
    """Every object and list of the text, in order, tagged or not."""
    for index, part in enumerate(text.split(_OPEN_TAG)):
        inside, close, after = part.partition(_CLOSE_TAG)
        tagged = index > 0
        yield from _values(inside + ("" if tagged else close + after), tagged=tagged)
        yield from _values(after if tagged else "", tagged=False)


def _values(text: str, *, tagged: bool) -> Iterator[_Found]:
    position, scanned = 0, 0
    while (opening := _next_opening(text, position)) >= 0:
        end = _matching(text, opening)
        looks = _LOOKS_LIKE_JSON.match(text, opening) is not None
        scanned += (end if end >= 0 else len(text)) - opening
        if end < 0 and looks:
            raise Unparsable("it holds JSON that ends before it is complete")
        if scanned > MAX_SCANS * max(len(text), MAX_SCANS):
            raise Unparsable("it holds more loose brackets than can be made sense of")
        found = _read(text[opening:end], tagged=tagged) if end >= 0 else None
        if found is not None and (found.ok or looks):
            yield found
            position = end
        else:
            # Loose braces are prose. So is a remark in square brackets, which may hold a value; but what stands in
            # braces that aren't JSON is a part of something and no value.
            position = end if end >= 0 and text[opening] == "{" else opening + 1


def _next_opening(text: str, position: int) -> int:
    places = [place for place in (text.find("{", position), text.find("[", position)) if place >= 0]
    return min(places, default=-1)


def _matching(text: str, opening: int) -> int:
    """Where the bracket at `opening` is closed (exclusive), strings skipped; -1 when it never is."""
    wanted: list[str] = []
    position = opening
    while (bracket := _BRACKET.search(text, position)) is not None:
        position = bracket.end()
        if bracket[0] == '"':
            string = _STRING_END.match(text, position)
            if string is None:
                return -1
            position = string.end()
        elif bracket[0] in _CLOSES:
            wanted.append(_CLOSES[bracket[0]])
        elif wanted.pop() != bracket[0]:
            return -1
        if not wanted:
            return position
    return -1


def _read(region: str, *, tagged: bool) -> _Found:
    for text in (region, *_undoubled(region)):
        try:
            return _Found(parse_strict(text), ok=True, tagged=tagged)
        except NotIJson:
            continue
    return _Found(None, ok=False, tagged=tagged)


def _undoubled(region: str) -> Iterator[str]:
    """The region with doubled braces made single: the outermost pair alone, then all outside of strings."""
    if "{{" not in region:
        return
    if region.startswith("{{") and region.endswith("}}"):
        yield region[1:-1]
    pieces = re.split(r'("(?:[^"\\]|\\.)*")', region)
    pieces[::2] = [piece.replace("{{", "{").replace("}}", "}") for piece in pieces[::2]]
    yield "".join(pieces)
