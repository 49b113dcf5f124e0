"""Look: one call under inspection, with its contract, its past, and what its observation shows."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Required, TypedDict, Unpack

from replaylab.diff.calls.world import Step, World
from replaylab.diff.contract.binding import Binding
from replaylab.diff.contract.contract import Contract
from replaylab.diff.contract.ripples import ripples
from replaylab.diff.words.identity import key_of, name_key
from replaylab.diff.words.observed import Group, groups, leaves
from replaylab.schema.base import Json
from replaylab.schema.scenario import Task
from replaylab.schema.violation import Against, LicenceLevel, Violation, ViolationKind

_LEAST_DIGITS = 4


class Said(TypedDict, total=False):
    """The fields of a violation beside the call that it is about; see `schema.violation`."""

    kind: Required[ViolationKind]
    subkind: Required[str]
    confidence: Required[float]
    message: Required[str]
    against: Against
    pointer: str
    contract: str
    entity: str
    expected: Json
    observed: Json
    quote: str
    licence: LicenceLevel


@dataclass(frozen=True)
class Look:
    """What every check is given. `task` is None where none is known."""

    contract: Contract
    world: World
    step: Step
    task: Task | None = None
    kept: dict[str, Any] = field(
        default_factory=dict, compare=False, repr=False
    )  # worked out once for all checks

    @cached_property
    def bindings(self) -> list[Binding]:
        """The collections that the observation shows."""
        return self.contract.bindings(self.step.tool, self.step.observation, self.step.arguments)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The lists and maps of the observation."""
        return tuple(groups(self.step.observation))

    @cached_property
    def said(self) -> frozenset[str]:
        """The keys of all values and all keys of the observation."""
        values = {key_of(value) for _, _, value in leaves(self.step.observation)}
        names = {
            name_key(part) for pointer, _, _ in leaves(self.step.observation) for part in pointer.split("/")
        }
        return frozenset((values | names) - {""})

    @cached_property
    def touched(self) -> frozenset[str]:
        """The keys of what accepted writes named or returned, of what these things are made of or refer to, and of what
        refers to them.
        """
        named = self.world.written
        if not named:
            return named
        named |= self.rippled
        own = (
            key_of(value)
            for one in self.contract.collections
            for entity in one.entities
            if entity.aliases & named
            for _, _, value in leaves(entity.attributes)
        )
        return self.contract.links.reached(named) | (frozenset(own) - {""})

    @cached_property
    def rippled(self) -> frozenset[str]:
        """The keys of what accepted writes have changed besides, by what the contract says of them."""
        return frozenset[str]().union(*map(self.ripples_of, self.world.writes))

    @cached_property
    def ended(self) -> frozenset[str]:
        """The keys of what accepted writes may have ended besides, by what the contract says of them."""
        found = (
            ripples(self.contract, one.tool, one.named, one.keys, ends=True) for one in self.world.writes
        )
        return frozenset[str]().union(*found)

    def ripples_of(self, step: Step) -> frozenset[str]:
        """The keys of what one of them has changed besides."""
        kept = self.kept.setdefault("ripples", {})
        if step.call not in kept:
            kept[step.call] = ripples(self.contract, step.tool, step.named, step.keys)
        found: frozenset[str] = kept[step.call]
        return found

    @cached_property
    def instructed(self) -> str:
        """What the task says to the agent; the simulator never sees it."""
        return self.task.instruction if self.task else ""

    def violation(self, **said: Unpack[Said]) -> Violation:
        """What this call's answer says against the contract."""
        return Violation(call=self.step.call, tool=self.step.tool.name, **said)

    def is_known(self, key: str) -> bool:
        """Whether a name comes from somewhere: the contract, this call's arguments, or what happened before."""
        is_count = (
            key.isdigit() and len(key) < _LEAST_DIGITS
        )  # a 4 may stand anywhere and names nothing there
        return (
            not key
            or (not is_count and self.contract.universe.known(key) is not None)
            or key in self.step.named
            or self.world.knows(key)
            or (len(key) > 3 and self.is_instructed(key))
        )

    def is_instructed(self, key: str) -> bool:
        """Whether the instruction has a name, whole: "IMD-4115 and" is no IMD-4115A."""
        if key not in name_key(self.instructed):
            return False
        text = unicodedata.normalize("NFKC", self.instructed).casefold()
        name = r"[\W_]*".join(map(re.escape, key))
        return re.search(rf"(?<![^\W_]){name}(?:s|es)?(?![^\W_])", text) is not None
