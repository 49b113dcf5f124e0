"""One task of a level: goals of the level's size, said in words, and kept only where the plan passes its own checks."""

from __future__ import annotations

from typing import NamedTuple

from replaylab.builtin.grammar import words
from replaylab.builtin.grammar.goals import Sought, goals
from replaylab.builtin.grammar.moves import Moves
from replaylab.builtin.grammar.world import World
from replaylab.builtin.seeded.draw import Draw
from replaylab.checks import is_error, passed, run_checks
from replaylab.errors import UsageError
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Plan
from replaylab.schema.trajectory import Action, Trajectory, Turn

DRAWS = 12


class Size(NamedTuple):
    """How large a task of a level is. `strict`: the order of the writes counts."""

    sought: Sought
    strict: bool


LEVELS = (
    Size(Sought(writes=1, asked=2, meant=0, looks=4), strict=False),
    Size(Sought(writes=2, asked=2, meant=0, looks=4), strict=True),
    Size(Sought(writes=3, asked=3, meant=1, looks=6), strict=True),
    Size(Sought(writes=4, asked=3, meant=2, looks=8), strict=True),
)
SHORTEST, LONGEST = 6, 25


class Written(NamedTuple):
    """A task as the grammar writes it."""

    instruction: str
    plan: Plan
    rubric: JsonObject


def write_task(world: World, level: int, seed: Json) -> Written | None:
    """The task that a seed gives for a level from 1, or None where no draw leads to one."""
    size = LEVELS[min(level, len(LEVELS)) - 1]
    moves = Moves(world.environment, world.known)
    before = moves.reads(world.twin)
    for number in range(DRAWS):
        draw = Draw({"task": seed, "level": level, "draw": number})
        found = goals(moves, world.twin, before, draw, size.sought)
        if found is None:
            continue
        written = Written(
            words.instruction(found, world.environment, strict=size.strict),
            words.plan(found),
            words.rubric(found, world.environment, strict=size.strict),
        )
        if SHORTEST <= len(written.plan.calls) <= LONGEST and _holds(world, written):
            return written
    return None


def _holds(world: World, written: Written) -> bool:
    """Whether the plan runs and passes the checks that were written for it."""
    twin = world.twin.fork()
    actions = []
    for number, call in enumerate(written.plan.calls):
        shown = twin.call(call.tool, call.arguments)
        if is_error(shown):
            return False
        action = Action(call=number, id="", tool=call.tool, arguments=call.arguments, observation=shown)
        actions.append(action)
    answer = written.plan.answer
    trajectory = Trajectory(turns=(Turn(actions=tuple(actions)),), answer=answer, termination="answered")
    try:
        results = run_checks(written.rubric["checks"], trajectory, world.environment)
    except UsageError:
        return False  # a value that no check can be written of, such as a pattern with too many alternatives
    return passed(results) == "pass"
