"""A new environment out of a shipped one: a state that its twin reaches by allowed calls, with other ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from replaylab.builtin.grammar.moves import Moves
from replaylab.builtin.grammar.renaming import renaming
from replaylab.builtin.seeded.draw import Draw
from replaylab.catalogue.twin import Twin
from replaylab.schema.base import Json
from replaylab.schema.scenario import Environment, PlannedCall, Scenario

Twinned = Callable[[Environment], Twin]
"""The twin of an environment that has the tools of a shipped one, at its own initial state."""

MOST_STEPS = 3


class World(NamedTuple):
    """An environment, calls that fit it, and the twin that runs it at its initial state."""

    environment: Environment
    known: tuple[PlannedCall, ...]
    twin: Twin
    steps: tuple[PlannedCall, ...]


def world_of(scenario: Scenario, twinned: Twinned, code: str, seed: Json, *, still: bool = False) -> World:
    """The world that a seed gives, made of the scenario's first environment. `still`: no call is made in it first."""
    draw = Draw({"world": scenario.id, "seed": seed})
    source = scenario.environments[0]
    known = [
        call
        for task in scenario.tasks
        if task.plan and task.environment == source.id
        for call in task.plan.calls
    ]
    twin, steps = twinned(source), []
    moves = Moves(source, known)
    moves.reads(twin)
    for _ in range(0 if still else draw.below(MOST_STEPS + 1)):
        found = next(moves.writes(twin, draw), None)
        if found is not None:
            steps.append(found[0].planned)
            twin = found[1]
    rename = renaming([source.initial_state], code, Draw({"names": scenario.id, "seed": seed}))
    environment = _renamed(source, twin.state(), rename)
    calls = tuple(PlannedCall.model_validate(rename(call.model_dump(mode="json"))) for call in known)
    return World(environment, calls, twinned(environment), tuple(steps))


def _renamed(source: Environment, state: Json, rename: Callable[[Json], Json]) -> Environment:
    given = source.model_dump(mode="json") | {"initial_state": state}
    return Environment.model_validate(
        {name: part if name in ("id", "clock", "origin") else rename(part) for name, part in given.items()}
    )
