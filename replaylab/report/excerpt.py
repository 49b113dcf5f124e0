"""A JSON value around the places that matter: those are marked, in words too, and what is far from them is folded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replaylab.report.markup import Html, join, tag, text
from replaylab.schema.base import Json

WIDTH = 58  # characters of a line; two of them stand side by side
_WHOLE = 14  # lines; so many are shown as they are
_NEAR = 2  # lines around a place
_HELD = 8  # lines of one place
_STRING = 400  # characters of one line; more are folded


class Mark(NamedTuple):
    """A place in a value. `word` says what is wrong there; `missing` is what should stand inside and does not.

    `needle` is looked for where the place is a text.
    """

    pointer: str
    word: str
    missing: str = ""
    needle: str = ""
    href: str | None = None


class Line(NamedTuple):
    """A line of JSON: the node that it begins or ends, at which depth."""

    pointer: str
    depth: int
    words: str
    close: bool = False


def excerpt(
    value: Json, marks: Sequence[Mark] = (), cut: int = 100_000, *, name: str = "", width: int = WIDTH
) -> Html:
    """The value with its marks, after its name if it has one. Past `cut` characters of a fold only a count is left of it."""
    if isinstance(value, str) and not name:
        return _prose(value, marks, cut)
    lines = list(lines_of(value, marks, name=name, width=width))
    places = {line.pointer for line in lines}
    lost = [mark for mark in marks if mark.pointer not in places]
    body = _folded(lines, [mark for mark in marks if mark.pointer in places], cut)
    return join((body, *(_lost(mark) for mark in lost)))


def _lost(mark: Mark) -> Html:
    where = mark.pointer or "the whole answer"
    return tag("p", _label(mark), text(f" at {where}, which is not in this value"), class_="note")


def lines_of(
    value: Json, marks: Sequence[Mark] = (), *, name: str = "", width: int = WIDTH
) -> Iterator[Line]:
    """The lines of a value. What holds a marked place is opened, so that each place begins a line."""
    above = set()
    for mark in marks:
        parts = mark.pointer.split("/")
        above |= {"/".join(parts[:at]) for at in range(1, len(parts))}
        if mark.missing:
            above.add(mark.pointer)
    before = f"{json.dumps(name, ensure_ascii=False)}: " if name else ""
    yield from _lines(value, _Around(frozenset(above), width, before=before))


class _Around(NamedTuple):
    """Where a node stands: what must be opened, how wide a line may be, and the texts before and after it."""

    above: frozenset[str]
    width: int
    pointer: str = ""
    depth: int = 0
    before: str = ""
    after: str = ""


def _lines(value: Json, at: _Around) -> Iterator[Line]:
    if isinstance(value, dict | list) and value:
        whole = None if at.pointer in at.above else _short(value, at.width - 2 * at.depth - len(at.before))
        if whole is None:
            left, right = "{}" if isinstance(value, dict) else "[]"
            yield Line(at.pointer, at.depth, f"{at.before}{left}")
            yield from _parts(value, at)
            yield Line(at.pointer, at.depth, f"{right}{at.after}", close=True)
            return
        line = whole
    else:
        line = json.dumps(value, ensure_ascii=False)
    yield Line(at.pointer, at.depth, f"{at.before}{line}{at.after}")


def _short(value: Json, room: int) -> str | None:
    """The value on one line; None where it is longer than `room`."""
    # Most of what is large has many parts: it need not be written to be known as long.
    if room < 2 * len(value):
        return None
    line = json.dumps(value, ensure_ascii=False)
    return line if len(line) <= room else None


def _parts(value: Json, at: _Around) -> Iterator[Line]:
    named = value.items() if isinstance(value, dict) else enumerate(value)
    last = len(value) - 1
    for number, (name, part) in enumerate(named):
        key = str(name).replace("~", "~0").replace("/", "~1")
        before = f"{json.dumps(name, ensure_ascii=False)}: " if isinstance(value, dict) else ""
        here = at._replace(
            pointer=f"{at.pointer}/{key}",
            depth=at.depth + 1,
            before=before,
            after="," if number < last else "",
        )
        yield from _lines(part, here)


def _folded(lines: Sequence[Line], marks: Sequence[Mark], cut: int) -> Html:
    shown = _shown(lines, marks)
    by_pointer: dict[str, list[Mark]] = {}
    for mark in marks:
        by_pointer.setdefault(mark.pointer, []).append(mark)
    parts: list[str] = []
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and shown[end] == shown[at]:
            end += 1
        piece = lines[at:end]
        parts.append(_open(piece, by_pointer, cut) if shown[at] else _hidden(piece, cut))
        at = end
    return join(parts)


def _shown(lines: Sequence[Line], marks: Sequence[Mark]) -> list[bool]:
    """Which lines stand open: all of a few; else the marked places, what they stand in, and what is next to them."""
    if len(lines) <= _WHOLE:
        return [True] * len(lines)
    if not marks:
        return [at < _WHOLE for at in range(len(lines))]
    shown = [False] * len(lines)
    for mark in marks:
        inside = [at for at, line in enumerate(lines) if _within(line.pointer, mark.pointer)]
        # Of a list from which something is missing, its first lines say enough.
        held = inside[:_HELD]
        for at in (*held, *_beside(lines, held[0], -1), *_beside(lines, inside[-1], 1)):
            shown[at] = True
        for at, line in enumerate(lines):
            if line.pointer != mark.pointer and _within(mark.pointer, line.pointer):
                shown[at] = True
    # A fold of one or two lines takes as much room as they do.
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and shown[end] == shown[at]:
            end += 1
        if not shown[at] and end - at <= 2:
            shown[at:end] = [True] * (end - at)
        at = end
    return shown


def _beside(lines: Sequence[Line], at: int, by: int) -> Iterator[int]:
    """The lines next to a place that are whole values beside it; half of a value would mislead."""
    parent = lines[at].pointer.rpartition("/")[0]
    for step in range(1, _NEAR + 1):
        near = at + step * by
        if not 0 <= near < len(lines):
            return
        line, after = lines[near], lines[near + 1 : near + 2]
        whole = not line.close and not (after and _within(after[0].pointer, line.pointer))
        if line.pointer.rpartition("/")[0] != parent or not whole:
            return
        yield near


def _within(pointer: str, outer: str) -> bool:
    return pointer == outer or pointer.startswith(f"{outer}/")


def _open(lines: Sequence[Line], marks: dict[str, list[Mark]], cut: int) -> Html:
    parts: list[str] = []
    for line in lines:
        pad = "  " * line.depth
        here = () if line.close else marks.get(line.pointer, ())
        inside = _marked_by(line.pointer, marks)
        words, before, after = _long(line.words, tuple(here))
        if here or (inside and not inside.missing):
            words = tag("mark", words)
        labels = [_label(mark) for mark in here if mark.word and not mark.missing]
        parts.append(join((text(pad), words, *(f" {label}" for label in labels))))
        rest = [("before", before), ("after", after)]
        folds = [_more(part, f"{len(part):,} characters {where}", cut) for where, part in rest if part]
        parts.append(join(folds) if folds else "\n")
        parts += [_missing(mark, line.depth + 1) for mark in here if mark.missing]
    return tag("div", join(parts).rstrip("\n"), class_="listing", dir="auto")


def _marked_by(pointer: str, marks: dict[str, list[Mark]]) -> Mark | None:
    """The mark of a place around this line."""
    while pointer:
        if pointer in marks:
            return marks[pointer][0]
        pointer = pointer.rpartition("/")[0]
    return marks[""][0] if "" in marks else None


def _label(mark: Mark) -> Html:
    words = text(f"◀ {mark.word}")
    return tag("a", words, href=mark.href, class_="at") if mark.href else tag("span", words, class_="at")


def _missing(mark: Mark, depth: int) -> Html:
    gone = tag("ins", text(f"⊖ {mark.word}: {mark.missing}"), class_="gone")
    shown = tag("a", gone, href=mark.href) if mark.href else gone
    return join((text("  " * depth), shown, "\n"))


def _long(words: str, marks: Sequence[Mark]) -> tuple[Html, str, str]:
    """A line and what stands before and after the part of it that is shown: of a very long one, that around the needle."""
    if len(words) <= _STRING:
        return text(words), "", ""
    start, end = _window(words, [mark.needle for mark in marks if mark.needle])
    shown = f"{'…' if start else ''}{words[start:end]}{'…' if end < len(words) else ''}"
    return text(shown), words[:start], words[end:]


def _window(words: str, needles: Sequence[str]) -> tuple[int, int]:
    for needle in needles:
        at = words.find(needle[:_STRING])
        if at >= 0:
            start = max(0, at - _STRING // 4)
            return (0 if start < 40 else start), min(
                len(words), at + min(len(needle), _STRING) + _STRING // 4
            )
    return 0, _STRING


def _hidden(lines: Sequence[Line], cut: int) -> Html:
    whole = "\n".join(f"{'  ' * line.depth}{line.words}" for line in lines)
    return _more(whole, f"{len(lines):,} more lines", cut)


def _more(whole: str, said: str, cut: int) -> Html:
    if len(whole) > cut:
        return tag("p", text(f"… {said}, not on this page"), class_="note")
    body = tag("div", text(whole), class_="listing", dir="auto")
    return tag("details", tag("summary", text(f"… {said}")), body, class_="more")


def _prose(value: str, marks: Sequence[Mark], cut: int) -> Html:
    """A text: the needle is marked where it is found, else the whole of it; what is far is folded."""
    needles = [mark.needle for mark in marks if mark.needle and mark.needle in value]
    start, end = (0, len(value)) if len(value) <= 2 * _STRING else _window(value, needles)
    labels = [_missing(mark, 0) if mark.missing else _label(mark) for mark in marks if mark.word]
    window = value[start:end]
    if needles and (at := window.find(needle := needles[0][:_STRING])) >= 0:
        inner = join((text(window[:at]), tag("mark", text(needle)), text(window[at + len(needle) :])))
    else:
        inner = tag("mark", text(window)) if marks and not marks[0].missing else text(window)
    parts = [
        _more(value[:start], f"{start:,} characters before", cut) if start else "",
        tag("div", inner, *(f" {label}" for label in labels), class_="prose", dir="auto"),
        _more(value[end:], f"{len(value) - end:,} more characters", cut) if end < len(value) else "",
    ]
    return join(parts)
