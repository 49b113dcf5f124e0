"""Contract: everything that a detector may know of an environment, worked out once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from replaylab.diff.binding import Binding, all_bindings
from replaylab.diff.collection import Collection
from replaylab.diff.extract import collections_of
from replaylab.diff.identity import stem, words
from replaylab.diff.keyfield import ID_WORDS
from replaylab.diff.lexicon import NAME_WORDS
from replaylab.diff.observed import groups
from replaylab.diff.sentences import LiteralError, Sentence, literal_errors, open_clause, sentences_of
from replaylab.diff.universe import Universe
from replaylab.schema.base import Json
from replaylab.schema.scenario import Environment, Tool


class Contract:
    """The contract of one environment."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.collections = collections_of(
            environment.initial_state, environment.state_description, subjects_of(environment)
        )
        self._shown: dict[str, tuple[tuple[str, Collection], ...]] = {}

    @cached_property
    def universe(self) -> Universe:
        return Universe(self.environment)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return sentences_of(self.environment)

    @cached_property
    def errors(self) -> tuple[LiteralError, ...]:
        return literal_errors(self.environment)

    @cached_property
    def open_clause(self) -> Sentence | None:
        return open_clause(self.sentences)

    def shown_by(self, tool: Tool) -> tuple[tuple[str, Collection], ...]:
        """What a tool's example output shows: names of its groups, with the collection of each."""
        if tool.name not in self._shown:
            example = tool.example_output if tool.has_example else None
            found = all_bindings(list(groups(example)), tool, self.collections)
            self._shown[tool.name] = tuple((one.group.name, one.collection) for one in found)
        return self._shown[tool.name]

    def bindings(self, tool: Tool, observation: Json) -> list[Binding]:
        """The collections that an observation of this tool shows."""
        return list(all_bindings(list(groups(observation)), tool, self.collections, self.shown_by(tool)))


def subjects_of(environment: Environment) -> frozenset[str]:
    """The stems of what tools take ids of: `component` for a `component_id`."""
    return frozenset(_subjects(environment))


def _subjects(environment: Environment) -> Iterator[str]:
    for tool in environment.tools:
        for name in tool.parameters.get("properties", {}):
            parts = words(name)
            if len(parts) > 1 and parts[-1] in ID_WORDS | NAME_WORDS | {"ids", "names"}:
                yield from (stem(part) for part in parts[:-1])
