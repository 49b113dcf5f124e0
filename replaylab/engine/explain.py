"""Says how a request differs from the recorded one: the first field, in words, and what comes closest."""

from __future__ import annotations

from typing import Any

from replaylab.cassette.codec import Cassette
from replaylab.errors import DivergenceError
from replaylab.schema.base import Json, in_json
from replaylab.schema.finding import Finding

CONTEXT = 40


def explain(error: DivergenceError, cassette: Cassette | None) -> Finding:
    """The finding for a divergence. `cassette` is searched for the nearest recording of a request."""
    expected, observed, pointer = error.expected, error.observed, error.pointer
    if error.kind in ("request", "action"):
        pointer, expected, observed = first_difference(error.expected, error.observed)
    closest = error.closest
    same = _same_request(error, cassette)
    if same and same != error.callpath:
        closest = f"{same} (the very same request)"
    return Finding.of(
        error.kind,
        error.callpath,
        _message(error, pointer, expected, observed),
        expected=expected,
        observed=observed if error.kind != "lane_dry" else None,
        pointer=pointer,
        closest=closest,
    )


def _same_request(error: DivergenceError, cassette: Cassette | None) -> str:
    rows = (row for lane in (cassette.lanes.values() if cassette else ()) for row in lane)
    return next((row.path for row in rows if row.request.digest == error.asked), "")


def _message(error: DivergenceError, pointer: str, expected: Any, observed: Any) -> str:
    if error.kind not in ("request", "action"):
        return error.what
    if not pointer and expected is None and observed is None:
        return f"{error.what}, though nothing in its body does: the model's alias, the method or the path"
    if isinstance(expected, str) and isinstance(observed, str):
        return f"{error.what} at {pointer or 'the top'}: recorded …{expected}…, now …{observed}…"
    return f"{error.what} at {pointer or 'the top'}: recorded {in_json(expected)}, now {in_json(observed)}"[
        :600
    ]


def first_difference(expected: Json, observed: Json) -> tuple[str, Json, Json]:
    """JSON pointer of the first field that differs, in document order, and both values there.

    Long strings are cut to the surroundings of the first character that differs. ("", None, None) when nothing differs.
    """
    from deepdiff import DeepDiff  # noqa: PLC0415 - it loads pandas where that is installed, and only a miss asks

    levels = [
        level
        for group in DeepDiff(
            expected,
            observed,
            view="tree",
            zip_ordered_iterables=True,
            threshold_to_diff_deeper=0,
            ignore_private_variables=False,
        ).values()
        for level in group
        if not _same_number(_value(level.t1), _value(level.t2))
    ]
    if not levels:
        return "", None, None
    level = min(levels, key=lambda one: _place(_path(one), expected, observed))
    return pointer_of(_path(level)), *_cut(_value(level.t1), _value(level.t2))


def _same_number(expected: Json, observed: Json) -> bool:
    """1 and 1.0 are one number to a digest. True is none, though Python says that it equals 1."""
    return {type(expected), type(observed)} == {int, float} and bool(expected == observed)


def _place(path: list[str | int], expected: Json, observed: Json) -> list[int]:
    """Where a path stands in the document: the position of each part, fields that are new after those that were."""
    place = []
    for part in path:
        if isinstance(part, int):
            place.append(part)
            expected, observed = (_item(side, part) for side in (expected, observed))
        else:
            fields = [side for side in (expected, observed) if isinstance(side, dict)]
            place.append(list(dict.fromkeys(key for side in fields for key in side)).index(part))
            expected, observed = (
                side.get(part) if isinstance(side, dict) else None for side in (expected, observed)
            )
    return place


def _item(side: Json, at: int) -> Json:
    return side[at] if isinstance(side, list | tuple) and at < len(side) else None


def _path(level: Any) -> list[str | int]:
    path: list[str | int] = level.path(output_format="list")
    return path


def _value(value: Any) -> Json:
    return None if type(value).__name__ == "NotPresent" else value


def pointer_of(path: list[str | int]) -> str:
    """RFC 6901."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def _cut(expected: Json, observed: Json) -> tuple[Json, Json]:
    if not (isinstance(expected, str) and isinstance(observed, str)):
        return expected, observed
    pairs = zip(expected, observed, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(expected), len(observed)))
    start = max(0, at - CONTEXT)
    return expected[start : at + CONTEXT], observed[start : at + CONTEXT]
