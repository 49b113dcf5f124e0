"""What a task is about: writes that are wanted, looks before them, and what shows afterwards that they were made."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replaylab.builtin.grammar.moves import Move, Moves
from replaylab.builtin.seeded.draw import Draw
from replaylab.canonical import canonical
from replaylab.catalogue.twin import Twin
from replaylab.schema.base import Json, JsonObject

ID = re.compile(r"[A-Za-z]{1,20}(?:-[A-Za-z0-9]+)+")
_SAYABLE = 40
_TALL = 12


class Leaf(NamedTuple):
    """A value in an observation: its name, the rows around it (nearest first), and the path without list positions."""

    path: str
    value: Json
    rows: tuple[JsonObject, ...]

    @property
    def key(self) -> str:
        return self.path.rpartition(".")[2]


class Shown(NamedTuple):
    """A look after which one value tells that a write was made. `where` says which row it stands in."""

    move: Move
    leaf: Leaf
    where: JsonObject


class Asked(NamedTuple):
    """Something that the answer has to say: a value that a look shows, the same before and after the writes."""

    move: Move
    leaf: Leaf
    about: str


class Meant(NamedTuple):
    """A thing that the instruction names by what a look shows of it and not by its id."""

    move: Move
    key: str
    value: str


class Goals(NamedTuple):
    """The parts of one task. `shown` and `looks` have an entry for each write; `meant` may be None."""

    writes: tuple[Move, ...]
    looks: tuple[Move, ...]
    shown: tuple[Shown, ...]
    asked: tuple[Asked, ...]
    meant: tuple[Meant | None, ...]


class Sought(NamedTuple):
    """How much a task is to ask for. `meant` is how many things are named by what they are; `looks` is the least."""

    writes: int
    asked: int
    meant: int
    looks: int


def goals(moves: Moves, twin: Twin, before: Sequence[Move], draw: Draw, sought: Sought) -> Goals | None:
    """Goals of that size, or None where this draw leads nowhere. `before` are the looks that the twin answers now."""
    writes, asked, meant = sought.writes, sought.asked, sought.meant
    chosen, twins = _writes(moves, twin, draw, writes)
    if len(chosen) < writes:
        return None
    after = _again(before, twins[-1])
    shown: list[Shown] = []
    for number, write in enumerate(chosen):
        found = _shown(write, _again(before, twins[number]), after, draw, shown)
        if found is None:
            return None
        shown.append(found)
    named = tuple(_meant(write, before) if number < meant else None for number, write in enumerate(chosen))
    looks = _looks(chosen, before, [one.move for one in named if one])
    questions = _asked(before, after, draw, asked)
    if len(questions) < asked:
        return None
    looks = _distinct([*looks, *(one.move for one in questions)])
    spare = [one for one in draw.shuffled(before) if one.arguments and _key(one) not in set(map(_key, looks))]
    looks += spare[: max(0, sought.looks - len(looks))]
    return Goals(tuple(chosen), tuple(looks), tuple(shown), tuple(questions), named)


def _writes(moves: Moves, twin: Twin, draw: Draw, count: int) -> tuple[list[Move], list[Twin]]:
    """Writes one after the other, none twice, and where the twin stands before each and after the last."""
    chosen: list[Move] = []
    twins, used, held = [twin], set[bytes](), canonical(twin.state()).decode()
    while len(chosen) < count:
        tools = {move.tool for move in chosen}
        other = None
        for move, after in moves.writes(twins[-1], draw):
            if _key(move) in used or not _is_held(move.arguments, held):
                continue  # done already, or about a thing that only an earlier write has made
            other = other or (move, after)
            if move.tool not in tools:
                other = move, after
                break
        if other is None:
            break
        move, after = other
        used.add(_key(move))
        chosen.append(move)
        twins.append(after)
    return chosen, twins


def _is_held(arguments: JsonObject, held: str) -> bool:
    """Whether every id in the arguments stands in the state, whose text is `held`."""
    ids = [value for value in _scalars(arguments) if isinstance(value, str) and ID.fullmatch(value)]
    return all(f'"{name}"' in held for name in ids)


def _again(reads: Sequence[Move], twin: Twin) -> list[Move]:
    """The same looks at another state."""
    return [one._replace(observation=twin.call(one.tool, one.arguments)) for one in reads]


def _shown(
    write: Move, before: Sequence[Move], after: Sequence[Move], draw: Draw, taken: Sequence[Shown]
) -> Shown | None:
    """A look that shows what the write changed, as it stands when all is done; one that no other write has, if there is."""
    texts = set(map(_as_text, _scalars(write.arguments)))
    options: list[tuple[int, Shown]] = []
    for earlier, later in zip(before, after, strict=True):
        cost = 200_000 if _key(later) in {_key(one.move) for one in taken} else 0
        old = {_placed(leaf) for leaf in leaves(earlier.observation)}
        for leaf in leaves(later.observation):
            if _placed(leaf) in old or not _plain(leaf.value):
                continue
            where = next((one for one in _wheres(leaf, later) if _alone(leaf, one, later)), None)
            if where is None:
                continue
            # What the write itself named says the most of whether it was this one.
            near = _as_text(leaf.value) in texts or any(_as_text(value) in texts for value in where.values())
            size = len(canonical(later.observation)) + cost + (0 if near else 100_000)
            options.append((size, Shown(later, leaf, where)))
    options.sort(key=lambda pair: pair[0])
    return draw.one(options[:3])[1] if options else None


def _placed(leaf: Leaf) -> bytes:
    return canonical([leaf.path, leaf.value, _names(leaf)])


def _as_text(value: Json) -> str:
    return str(value)


def _names(leaf: Leaf) -> list[Json]:
    """What tells a leaf from those of other rows: the ids around it, and what its row begins with."""
    ids = [
        value for row in leaf.rows for value in row.values() if isinstance(value, str) and ID.fullmatch(value)
    ]
    return [*ids, *(_first(leaf).values())]


def _first(leaf: Leaf) -> JsonObject:
    """The first field of a leaf's row, where that is a short value and not the leaf itself."""
    row = leaf.rows[0] if leaf.rows else {}
    for name, value in row.items():
        if name == leaf.key or isinstance(value, (dict, list)) or not _plain(value):
            break
        return {name: value}
    return {}


def _wheres(leaf: Leaf, move: Move) -> Iterator[JsonObject]:
    """What may tell the row of a leaf from the others: an id in it or around it, one in the call, what it begins with."""
    ids = [
        {name: value}
        for row in leaf.rows
        for name, value in row.items()
        if isinstance(value, str) and ID.fullmatch(value) and value != leaf.value
    ]
    given: list[JsonObject] = [{name: v} for name, v in move.arguments.items() if isinstance(v, str)]
    for one in [*ids, *given, {}]:
        yield one
    for one in [*given, *ids, {}]:
        yield {**one, **_first(leaf)}


def _alone(leaf: Leaf, where: JsonObject, move: Move) -> bool:
    """Whether no other row of that observation has the key under the same condition: a check takes the last one."""
    alike = [
        one
        for one in leaves(move.observation)
        if one.key == leaf.key and all(_looked_up(one, name, move) == value for name, value in where.items())
    ]
    return len(alike) == 1


def _looked_up(leaf: Leaf, name: str, move: Move) -> Json:
    return next((row[name] for row in (*leaf.rows, move.arguments) if name in row), None)


def _looks(chosen: Sequence[Move], reads: Sequence[Move], first: Sequence[Move]) -> list[Move]:
    """For each write a look at what it is about, and those that names have to be found by; each once."""
    looks = list(first)
    for write in chosen:
        texts = [value for value in _scalars(write.arguments) if isinstance(value, str)]
        about = [one for one in reads if one.arguments and any(v in texts for v in one.arguments.values())]
        telling = about or [one for one in reads if any(text in _scalars(one.observation) for text in texts)]
        looks += (telling or list(reads))[:1]
    return _distinct(looks)


def _distinct(moves: Sequence[Move]) -> list[Move]:
    found: dict[bytes, Move] = {}
    for one in moves:
        found.setdefault(_key(one), one)
    return list(found.values())


def _key(move: Move) -> bytes:
    return canonical([move.tool, move.arguments])


def _asked(before: Sequence[Move], after: Sequence[Move], draw: Draw, count: int) -> list[Asked]:
    """Questions, each about another thing, whose answer the writes leave alone. Numbers come first."""
    options: list[Asked] = []
    for earlier, later in zip(before, after, strict=True):
        known = {_placed(leaf) for leaf in leaves(later.observation)}
        for leaf in leaves(earlier.observation):
            about = _about(leaf, earlier)
            if about and about != leaf.value and _sayable(leaf.value) and _placed(leaf) in known:
                options.append(Asked(earlier, leaf, about))
    numbers = [one for one in options if not isinstance(one.leaf.value, str)]
    chosen: list[Asked] = []
    for one in [*draw.shuffled(numbers), *draw.shuffled(options)]:
        other_look = all(_key(one.move) != _key(two.move) for two in chosen) or not one.move.arguments
        if len(chosen) < count and other_look and one.about not in {two.about for two in chosen}:
            chosen.append(one)
    return chosen


def _about(leaf: Leaf, move: Move) -> str:
    """The id of the thing that a value is of: the one that leads its row, or that the whole look is at."""
    row = leaf.rows[0] if leaf.rows else {}
    names = [value for value in row.values() if isinstance(value, str) and ID.fullmatch(value)]
    names = names[:1] or [
        value for value in move.arguments.values() if isinstance(value, str) and "." not in leaf.path
    ]
    return names[0] if names and len(names[0]) <= _SAYABLE else ""


def _meant(write: Move, reads: Sequence[Move]) -> Meant | None:
    """How a thing that the write names can be told from its like by another field, in one look that lists them."""
    for text in _scalars(write.arguments):
        if not (isinstance(text, str) and ID.fullmatch(text)):
            continue
        for look in reads:
            rows = [leaf.rows[0] for leaf in leaves(look.observation) if leaf.rows and leaf.value == text]
            for row in rows[:1]:
                for key, value in row.items():
                    if isinstance(value, str) and value != text and 3 < len(value) <= _SAYABLE:
                        alike = [leaf for leaf in leaves(look.observation) if leaf.value == value]
                        if len(alike) == 1 and not ID.fullmatch(value):
                            return Meant(look, key, value)
    return None


def leaves(node: Json, path: str = "", rows: tuple[JsonObject, ...] = ()) -> Iterator[Leaf]:
    """Every scalar of an observation, in document order."""
    if isinstance(node, dict):
        for key, part in node.items():
            here = f"{path}.{key}" if path else key
            if isinstance(part, (dict, list)):
                yield from leaves(part, here, (node, *rows))
            else:
                yield Leaf(here, part, (node, *rows))
    elif isinstance(node, list):
        for part in node:
            if isinstance(part, (dict, list)):
                yield from leaves(part, path, rows)


def _scalars(node: Json) -> list[Json]:
    if isinstance(node, (dict, list)):
        parts = node.values() if isinstance(node, dict) else node
        return [one for part in parts for one in _scalars(part)]
    return [node]


def _plain(value: Json) -> bool:
    return value is not None and value != "" and len(str(value)) <= 3 * _SAYABLE


def _sayable(value: Json) -> bool:
    """Whether a value can be said and found in an answer: a number, or a short text that no sentence breaks."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, (int, float)):
        return bool(abs(value) < 10**_TALL)
    return (
        isinstance(value, str) and 3 < len(value) <= _SAYABLE and re.fullmatch(r"[\w :-]+", value) is not None
    )
