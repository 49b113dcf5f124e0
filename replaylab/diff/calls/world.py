"""What has happened so far: what earlier calls created, changed, moved or removed, what was said and seen, and the time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple

from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.tools import is_write, moves_time, undoes, verb_of
from replaylab.diff.words.identity import ids_in, key_of, name_key, names_whole, stems
from replaylab.diff.words.lexicon import (
    CREATE_VERBS,
    ENDING_VERBS,
    LEAVING_ARGUMENTS,
    LEAVING_VERBS,
    QUEUES,
    REMOVE_VERBS,
    TIME_WORDS,
)
from replaylab.diff.words.observed import leaves, words_of
from replaylab.diff.words.stated import numbers_in
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool

Fate = Literal["same", "changed", "perhaps gone"]


@dataclass(frozen=True)
class Step:
    """One call and what it returned. `refused` is set where the observation is a failure of any sort."""

    call: int
    tool: Tool
    arguments: JsonObject
    observation: Json
    refused: bool = False

    @cached_property
    def named(self) -> frozenset[str]:
        """The keys of everything that the arguments name."""
        return frozenset(key for _, _, value in leaves(self.arguments) if (key := key_of(value)))

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of what the arguments name and of what it returned."""
        return self.named | _shown(self.observation)

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of what it returned."""
        return words_of(self.observation)

    @cached_property
    def numbers(self) -> frozenset[Fraction]:
        """The numbers of what it returned."""
        return frozenset(numbers_in(self.observation))

    def mentions(self, entity: Entity) -> bool:
        """Whether the arguments name an entity, also inside a text."""
        if self.named & entity.aliases:
            return True
        texts = [value for _, _, value in leaves(self.arguments) if isinstance(value, str) and " " in value]
        return len(entity.key) > 2 and any(names_whole(text, entity.id) for text in texts)

    def concerns(self, entity: Entity) -> bool:
        """Whether the arguments name an entity or the answer does: who ends a run is told whose run it was."""
        return bool(self.keys & entity.aliases) or self.mentions(entity)


class Told(NamedTuple):
    """What a call showed last of a field of a thing; `write` where a write returned it."""

    value: Json
    call: int
    tool: str
    write: bool = False


@dataclass
class World:
    """The past of one trial, step by step."""

    steps: list[Step] = field(default_factory=list)
    said: dict[str, int] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    created: dict[str, int] = field(default_factory=dict)
    told: dict[tuple[str, str], Told] = field(default_factory=dict)

    def add(
        self,
        step: Step,
        accepted: frozenset[str] = frozenset(),
        told: Mapping[tuple[str, str], Told] = MappingProxyType({}),
    ) -> None:
        """A step is over. `accepted` are the keys of what its observation showed and nothing speaks against, `told` what it
        said of fields of things.
        """
        self.told.update(told)
        for key in step.named:
            self.said.setdefault(key, step.call)
        if not step.refused:
            into = self.created if is_write(step.tool) else self.seen
            for key in _shown(step.observation) if is_write(step.tool) else accepted:
                into.setdefault(key, step.call)
        self.steps.append(step)

    @property
    def writes(self) -> list[Step]:
        """The steps that may have changed something."""
        return [step for step in self.steps if not step.refused and is_write(step.tool)]

    @property
    def written(self) -> frozenset[str]:
        """The keys of all names in accepted writes and in what they returned."""
        return frozenset(key for step in self.writes for key in (*step.named, *_shown(step.observation)))

    @property
    def time_moved(self) -> bool:
        return any(moves_time(step.tool) for step in self.writes)

    def knows(self, key: str) -> bool:
        """Whether an argument, a creating call or an earlier accepted observation has brought this name in."""
        return key in self.created or key in self.seen or key in self.said

    def fate(self, entity: Entity, collection: Collection, also: str = "") -> Fate:
        """What may have become of a member since the beginning. `also` is another key by which calls may name it."""
        fate: Fate = "same"
        for step in self.writes:
            if undoes(step.tool) and _speaks_of(step, collection):
                return "perhaps gone"
            if step.mentions(entity) or (also and also in step.named) or _quotes(step, entity):
                if _makes_leave(step, entity.aliases | {also}) or collection.stems & QUEUES:
                    return "perhaps gone"
                fate = "changed"
            elif _sweeps(step, collection) or _belongs_to(entity, collection, step):
                return "perhaps gone"
            elif ("*" in collection.pointer or collection.stems & QUEUES) and (
                step.concerns(entity) or (also and also in step.keys)
            ):
                return "perhaps gone"  # what a thing holds is no whole: a hold goes with the last item of its booking
        return fate

    def is_removed(self, entity: Entity, collection: Collection) -> bool:
        """Whether a call may have ended a member. What only moved it or changed how it stands has not."""
        if collection.stems & QUEUES:
            return self.fate(entity, collection) == "perhaps gone"
        return any(
            _sweeps(step, collection)
            or (step.mentions(entity) and bool(stems(step.tool.name) & ENDING_VERBS))
            for step in self.writes
        )

    def anonymous_creations(self, collection: Collection, makers: frozenset[str] = frozenset()) -> int:
        """How many creating calls gave no id for what they made, so that a new id may be theirs. `makers` are the tools that
        alone make such, where that is known.
        """
        return sum(
            (step.tool.name in makers if makers else verb_of(step.tool) in CREATE_VERBS)
            and not (_shown(step.observation) - step.named)
            for step in self.writes
        )


def _shown(observation: Json) -> frozenset[str]:
    """The keys of all names in an observation, those inside texts too."""
    found = set()
    for _, _, value in leaves(observation):
        found.add(key_of(value))
        if isinstance(value, str):
            found.update(name_key(name) for name in ids_in(value))
    return frozenset(found - {""})


def _makes_leave(step: Step, names: frozenset[str]) -> bool:
    """Whether a write on a thing of these names can take it out of where it was: it removes or moves it, sets how it
    stands, or does not say what it does.
    """
    if verb_of(step.tool) in LEAVING_VERBS or stems(step.tool.name) & REMOVE_VERBS:
        return True
    said = leaves(step.arguments)
    others = [key for _, key, value in said if value not in (None, "") and key_of(value) not in names]
    return not others or any(stems(key) & LEAVING_ARGUMENTS for key in others)


def _quotes(step: Step, entity: Entity) -> bool:
    """Whether an argument gives a text of a member that has no name of its own, whole: the notice that is taken down."""
    own = {value for value in entity.attributes.values() if isinstance(value, str) and value.count(" ") > 1}
    return bool(own) and any(value in own for _, _, value in leaves(step.arguments))


def _belongs_to(entity: Entity, collection: Collection, step: Step) -> bool:
    """Whether a plain name stands in what a write was made on: a hold of a declaration."""
    return collection.shape in ("names", "texts") and bool(entity.parent) and entity.parent in step.named


def _speaks_of(step: Step, collection: Collection) -> bool:
    """Whether a tool is named after a collection, or its description speaks of it or of its members."""
    return bool(
        (collection.stems | collection.heads) & (stems(step.tool.name) | stems(step.tool.description))
    )


def _sweeps(step: Step, collection: Collection) -> bool:
    """Whether a write clears a whole collection without naming any of it. What closes a day clears only what it speaks of."""
    if not stems(step.tool.name) & REMOVE_VERBS:
        return False
    spoken = bool(collection.stems & (stems(step.tool.name) | stems(step.tool.description)))
    anything = not step.named and not stems(step.tool.name) & TIME_WORDS
    return not step.named & collection.keys and (spoken or anything)
