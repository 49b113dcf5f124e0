"""Which environment or task a prompt belongs to, by the digest of its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TypeVar

from replaylab.canonical import digest_bytes
from replaylab.catalogue.loader import Catalogue, Found
from replaylab.roles.simulator import render_system, without_faults
from replaylab.roles.verifier import task_block
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Environment

T = TypeVar("T")
_FREE = ModelSettings(alias="index", model="index")
_BOUND = ModelSettings(alias="index", model="index", observations="json_schema")


class Index:
    """The prompts that the roles build for a catalogue. Each part is built when it is first asked for."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def environments(self, system: str) -> tuple[Environment, ...]:
        """The environments whose simulator gets this system prompt. That it asks for faults makes no difference."""
        return self._by_system.get(_key(without_faults(system)), ())

    def tasks(self, instruction: str) -> tuple[Found, ...]:
        """The tasks of this instruction."""
        return self._by_instruction.get(_key(instruction), ())

    def judged(self, block: str) -> Found | None:
        """The task whose verifier gets this block."""
        return next(iter(self._by_block.get(_key(block), ())), None)

    @cached_property
    def _by_system(self) -> dict[str, tuple[Environment, ...]]:
        return _grouped(
            (render_system(environment, settings), environment)
            for environment in self.catalogue.environments
            for settings in (_FREE, _BOUND)
        )

    @cached_property
    def _by_instruction(self) -> dict[str, tuple[Found, ...]]:
        return _grouped((found.task.instruction, found) for found in self._found())

    @cached_property
    def _by_block(self) -> dict[str, tuple[Found, ...]]:
        return _grouped((task_block(found.environment, found.task), found) for found in self._found())

    def _found(self) -> Iterator[Found]:
        return (self.catalogue.task(task.id) for task in self.catalogue.tasks)


def _key(text: str) -> str:
    return digest_bytes(text.encode("utf-8"))


def _grouped(pairs: Iterable[tuple[str, T]]) -> dict[str, tuple[T, ...]]:
    groups: dict[str, list[T]] = {}
    for text, value in pairs:
        group = groups.setdefault(_key(text), [])
        if not any(value is known for known in group):
            group.append(value)
    return {key: tuple(group) for key, group in groups.items()}
