"""The answers of several simulators to one call, held beside each other: only what the contract fixes can differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from replaylab.canonical import canonical
from replaylab.diff.parting.projection import Projection, same_value
from replaylab.diff.words.identity import name_key
from replaylab.diff.words.observed import leaves
from replaylab.schema.base import Json, in_json
from replaylab.schema.difference import Difference
from replaylab.schema.pointer import lookup
from replaylab.schema.violation import THRESHOLD, Violation, ViolationKind

VOTERS = 3  # simulators; among fewer there is no majority that could say anything
_OPEN = "the contract leaves this open"
_PROMPTED = "faults were asked for in the prompt, and this may be one"


@dataclass(frozen=True)
class Side:
    """One simulator's answer to a call. `repeats` are its further answers to the very same question.

    `hushed` is set where a possible fault explains the answer, so that nothing is compared with it.
    """

    simulator: str
    said: Projection
    repeats: tuple[Projection, ...] = ()
    found: tuple[Violation, ...] = ()
    hushed: bool = False

    @property
    def own(self) -> tuple[Projection, ...]:
        """All its answers to the question."""
        return (self.said, *self.repeats)

    def broke(self, *kinds: ViolationKind) -> Iterator[Violation]:
        """Its violations of these kinds; what is too uncertain to be one blames nobody."""
        return (one for one in self.found if one.kind in kinds and one.confidence >= THRESHOLD)


@dataclass(frozen=True)
class _Seen:
    """What is compared of a side under one key: `said` decides, `shown` is for the reader."""

    side: Side
    said: Json
    shown: Json
    pointer: str
    own: tuple[Json, ...] = field(default=())


def differences(sides: Sequence[Side], *, prompted: bool = False) -> list[Difference]:
    """How the answers differ, what counts first. `prompted`: hidden faults were asked for, which cut lists short."""
    heard = [side for side in sides if not side.hushed]
    counted = [*_acceptance(heard), *_entities(heard), *_values(heard)]
    counted += _broken(heard, counted)
    if prompted:
        counted = [one if one.blamed or one.kind == "acceptance" else _opened(one) for one in counted]
    return [*counted, *_open(sides, counted)]


def counts(one: Difference) -> bool:
    """Whether a difference says something of the simulators."""
    return one.kind != "open" and not one.noise


def same_again(side: Side) -> int:
    """How many of a side's repeats say the same under the contract."""
    return sum(
        not list(_under_contract([Side("answer", side.said), Side("again", one)])) for one in side.repeats
    )


def _under_contract(sides: Sequence[Side]) -> Iterator[Difference]:
    yield from _acceptance(sides)
    yield from _entities(sides)
    yield from _values(sides)


def _acceptance(sides: Sequence[Side]) -> Iterator[Difference]:
    seen = [
        _Seen(
            side,
            side.said.refused,
            f"refused: {side.said.refusal.text}" if side.said.refusal else "accepted",
            side.said.refusal.pointer if side.said.refusal else "",
            tuple(one.refused for one in side.own),
        )
        for side in sides
    ]
    if len({one.said for one in seen}) < 2:
        return
    refused = [one.side.simulator for one in seen if one.said]
    blamed = [
        one.side.simulator
        for one in seen
        if any(one.side.broke(*(("rule_invention", "omission") if one.said else ("fabrication",))))
    ]
    quoted = next((v.contract for one in seen for v in one.side.found if v.contract), "")
    yield Difference(
        kind="acceptance",
        pointer=next(one.pointer for one in seen if one.said),
        contract=quoted,
        values={one.side.simulator: one.shown for one in seen},
        blamed=tuple(blamed),
        minority=_minority(seen, _equal),
        noise=_is_noise(seen, _equal),
        message=f"{_names(refused)} refused the call, {_names([one.side.simulator for one in seen if not one.said])} "
        "carried it out",
    )


def _entities(sides: Sequence[Side]) -> Iterator[Difference]:
    for pointer in dict.fromkeys(key for side in sides for key in side.said.shown):
        having = [side for side in sides if pointer in side.said.shown]
        keys = [frozenset(side.said.shown[pointer].names) for side in having]
        apart = frozenset().union(*keys) - frozenset(keys[0]).intersection(*keys)
        if apart:
            yield _entity_difference(pointer, having, apart)


def _entity_difference(pointer: str, having: Sequence[Side], apart: frozenset[str]) -> Difference:
    titles = {key: name for side in having for key, name in side.said.shown[pointer].names.items()}
    by_key = {
        key: _presence(pointer, having, key) for key in sorted(apart, key=lambda key: (titles[key], key))
    }
    names = {name_key(titles[key]) for key in apart}
    blamed = [
        side.simulator
        for side in having
        if any(
            name_key(one.entity) in names or _is_below(one.contract, apart)
            for one in side.broke("fabrication", "omission", "contradiction")
        )
    ]
    minority = {name for seen in by_key.values() for name in _minority(seen, _equal)}
    told: dict[str, list[str]] = {}
    for key, seen in by_key.items():
        told.setdefault(_who_shows(seen), []).append(titles[key])
    return Difference(
        kind="entities",
        pointer=having[0].said.shown[pointer].within[0],
        contract=pointer,
        values={side.simulator: list(side.said.shown[pointer].names.values()) for side in having},
        blamed=tuple(blamed),
        minority=tuple(side.simulator for side in having if side.simulator in minority),
        noise=all(_is_noise(seen, _equal) for seen in by_key.values()),
        message="; ".join(f"{who} {', '.join(which)}" for who, which in told.items()),
    )


def _presence(pointer: str, having: Sequence[Side], key: str) -> list[_Seen]:
    """Whether each side shows one member, in each of its own answers that list the collection."""
    return [
        _Seen(
            side,
            key in side.said.shown[pointer].names,
            None,
            "",
            tuple(key in one.shown[pointer].names for one in side.own if pointer in one.shown),
        )
        for side in having
    ]


def _who_shows(seen: Sequence[_Seen]) -> str:
    """`only a shows`, or, of three and more, `b leaves out` where those that do are fewer."""
    showing = [one.side.simulator for one in seen if one.said]
    lacking = [one.side.simulator for one in seen if not one.said]
    if len(lacking) < len(showing):
        return f"{_names(lacking)} {'leaves' if len(lacking) == 1 else 'leave'} out"
    return f"only {_names(showing)} {'shows' if len(showing) == 1 else 'show'}"


def _values(sides: Sequence[Side]) -> Iterator[Difference]:
    for key in dict.fromkeys(key for side in sides for key in side.said.values):
        seen = []
        for side in sides:
            if key in side.said.values:
                value = side.said.values[key]
                own = tuple(one.values[key].said for one in side.own if key in one.values)
                seen.append(_Seen(side, value.said, value.said, value.pointer, own))
        if len(seen) < 2 or all(same_value(seen[0].said, one.said) for one in seen):
            continue
        value = seen[0].side.said.values[key]
        blamed = [
            one.side.simulator
            for one in seen
            if any(v.pointer == one.pointer for v in one.side.broke("contradiction"))
        ]
        yield Difference(
            kind="value",
            pointer=seen[0].pointer,
            contract=value.contract,
            values={one.side.simulator: one.shown for one in seen},
            blamed=tuple(blamed),
            minority=_minority(seen, same_value),
            noise=_is_noise(seen, same_value),
            message=f"{value.title}: "
            + ", ".join(f"{one.side.simulator} says {in_json(one.said)}" for one in seen)
            + f"; the state says {in_json(value.state)}",
        )


def _broken(sides: Sequence[Side], counted: Sequence[Difference]) -> Iterator[Difference]:
    """Where a violation stands in what the projection does not know, and the answers differ there, it is no open matter."""
    if len(sides) < 2 or any(one.kind == "acceptance" for one in counted):
        return
    told = {name for one in counted for name in one.blamed}
    for side in sides:
        for one in side.broke("fabrication", "omission", "contradiction"):
            values = {other.simulator: value_at(other.said.observation, one.pointer) for other in sides}
            if side.simulator in told or len({canonical(value) for value in values.values()}) < 2:
                continue
            yield Difference(
                kind="value" if one.kind == "contradiction" else "entities",
                pointer=one.pointer,
                contract=one.contract,
                values=values,
                blamed=(side.simulator,),
                noise=any(
                    value_at(again.observation, one.pointer) != values[side.simulator]
                    for again in side.repeats
                ),
                message=f"{side.simulator} {_DID[one.kind]} {one.entity or one.pointer}",
            )


_DID: dict[ViolationKind, str] = {
    "fabrication": "invents",
    "omission": "leaves out",
    "contradiction": "changes",
}


def is_there(node: Json, pointer: str) -> bool:
    """Whether there is a value at a JSON pointer, null or not."""
    return lookup(node, pointer) is not ...


def value_at(node: Json, pointer: str) -> Json:
    """The value at a JSON pointer, None where there is none."""
    value = lookup(node, pointer)
    return None if value is ... else value


def _open(sides: Sequence[Side], counted: Sequence[Difference]) -> Iterator[Difference]:
    """One difference for all that the contract leaves open; none where the answers are the same but for what counts."""
    texts = {canonical(side.said.observation) for side in sides}
    if len(texts) < 2 or any(one.kind == "acceptance" for one in counted):
        return
    pointers = {one.pointer for one in counted}
    flat = [
        {at: value for at, _, value in leaves(side.said.observation) if not _is_below(at, pointers)}
        for side in sides
    ]
    apart = [at for at in dict.fromkeys(at for one in flat for at in one) if _is_apart(at, flat)]
    if apart:
        more = f", here and in {len(apart) - 1} more places" if len(apart) > 1 else ""
        values = {side.simulator: part.get(apart[0]) for side, part in zip(sides, flat, strict=True)}
        yield Difference(kind="open", pointer=apart[0], values=values, message=_OPEN + more)


def _is_below(pointer: str, roots: AbstractSet[str]) -> bool:
    return any(pointer == root or pointer.startswith(f"{root}/") for root in roots)


def _is_apart(pointer: str, flat: Sequence[dict[str, Json]]) -> bool:
    return len({canonical(one[pointer]) if pointer in one else b"" for one in flat}) > 1


def _opened(one: Difference) -> Difference:
    return one.model_copy(update={"kind": "open", "message": f"{one.message}; {_PROMPTED}"})


def _equal(one: Json, other: Json) -> bool:
    return bool(one == other)


def _minority(seen: Sequence[_Seen], same: Callable[[Json, Json], bool]) -> tuple[str, ...]:
    """Those outside a group of more than half, where three or more answered."""
    if len(seen) < VOTERS:
        return ()
    for one in seen:
        with_it = [other for other in seen if same(one.said, other.said)]
        if len(with_it) * 2 > len(seen):
            return tuple(other.side.simulator for other in seen if other not in with_it)
    return ()


def _is_noise(seen: Sequence[_Seen], same: Callable[[Json, Json], bool]) -> bool:
    """Whether nothing is left once those are taken out whose own answers differ in this too."""
    steady = [one for one in seen if all(same(one.own[0], other) for other in one.own)]
    return all(same(steady[0].said, one.said) for one in steady)


def _names(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "nobody"
