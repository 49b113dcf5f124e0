"""Trying a task: with its plan (can it be solved?), without (how hard is it?), and by judges whether doing nothing passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from replaylab.canonical import dumps
from replaylab.cassette.tape import Tape
from replaylab.derive.verdict import verdict_of
from replaylab.engine.plan import lane_names
from replaylab.engine.seal import result_of
from replaylab.engine.stepping import Names, Steps, step_header
from replaylab.engine.trial import OpenChat, Parallel, in_turn, judge_all, run_trial
from replaylab.roles.prompts import all_prompts, render
from replaylab.schema.callpath import Condition
from replaylab.schema.cassette import Header, Limits, ScenarioFacts
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Environment, Task
from replaylab.schema.trajectory import Trajectory, Turn, Verdict
from replaylab.synthesis.history import Tally
from replaylab.synthesis.order import Order

IDLE = Trajectory(turns=(Turn(text="It is done."),), answer="It is done.", termination="answered")


class Tried(NamedTuple):
    """One trial: who acted, how it was judged, what happened, and where it is recorded."""

    agent: str
    verdict: Verdict
    trajectory: Trajectory
    cassette: str


def tally(tried: Sequence[Tried]) -> Tally:
    """How trials ended."""
    ends = [one.verdict.outcome for one in tried]
    return Tally(
        passed=ends.count("pass"),
        failed=ends.count("fail"),
        error=len(ends) - ends.count("pass") - ends.count("fail"),
    )


def guided(task: Task) -> Task:
    """The task with its plan in the instruction, for whoever is to show that the plan solves it."""
    calls = task.plan.calls if task.plan else ()
    steps = "\n".join(
        f"{number}. {call.tool} {dumps(call.arguments).decode()}"
        for number, call in enumerate(calls, start=1)
    )
    answer = task.plan.answer if task.plan else ""
    text = render("generator_guided", instruction=task.instruction, steps=steps, answer=answer or "(none)")
    return task.model_copy(update={"id": f"{task.id}.guided", "instruction": text})


class Trying:
    """Trials of the candidates of one order."""

    def __init__(self, order: Order, steps: Steps, parallel: Parallel = in_turn) -> None:
        self._order, self._steps, self._parallel = order, steps, parallel

    def with_plan(self, facts: ScenarioFacts, environment: Environment, task: Task) -> list[Tried]:
        """The first agent carries out the plan, as often as a task is tried."""
        agent = self._order.agents[0]
        return self._try_all(
            facts, environment, guided(task), [(agent, number) for number in range(self._order.real_tries)]
        )

    def alone(self, facts: ScenarioFacts, environment: Environment, task: Task) -> list[Tried]:
        """Every agent tries it by itself."""
        wanted = [(agent, n) for n in range(self._order.real_tries) for agent in self._order.agents]
        return self._try_all(facts, environment, task, wanted)

    def _try_all(
        self,
        facts: ScenarioFacts,
        environment: Environment,
        task: Task,
        wanted: Sequence[tuple[ModelSettings, int]],
    ) -> list[Tried]:
        done: dict[int, Tried] = {}

        def one(place: int, agent: ModelSettings, number: int) -> None:
            done[place] = self._try(self._header(facts, environment, task, agent, number))

        thunks: list[Callable[[], object]] = [
            partial(one, place, agent, number) for place, (agent, number) in enumerate(wanted)
        ]
        self._parallel(thunks)
        return [done[place] for place in range(len(wanted))]

    def _header(
        self, facts: ScenarioFacts, environment: Environment, task: Task, agent: ModelSettings, number: int
    ) -> Header:
        order = self._order
        condition = Condition(agent.alias, order.simulator.alias, order.verifier.alias, "E0")
        return step_header(
            Names(str(condition), task.id, number),
            facts,
            (environment, task),
            {"agent": agent, "simulator": order.simulator, "verifier": order.verifier},
            lane_names(order.real_votes),
            prompts=all_prompts(),
            limits=Limits(max_steps=order.max_steps, votes=order.real_votes, asks=order.asks),
        )

    def _try(self, header: Header) -> Tried:
        def run(tape: Tape, open_chat: OpenChat) -> tuple[Trajectory, Verdict]:
            run_trial(header, tape, open_chat)
            result = result_of(header, tape.lanes)
            return result.trajectory, result.verdict

        value, cassette = self._steps.take(header, run, lambda both: both[1].outcome == "error")
        return Tried(header.players["agent"].alias, value[1], value[0], cassette)

    def idle(self, facts: ScenarioFacts, environment: Environment, task: Task) -> tuple[Verdict, str]:
        """What the judges say of an agent that does nothing and says that it is done."""
        order = self._order
        condition = Condition("nobody", order.simulator.alias, order.verifier.alias, "E0")
        header = step_header(
            Names(str(condition), f"{task.id}:idle"),
            facts,
            (environment, task),
            {"verifier": order.verifier},
            [f"verifier.{number}" for number in range(order.real_votes)],
            prompts={name: one for name, one in all_prompts().items() if name.startswith("verifier")},
            limits=Limits(votes=order.real_votes, asks=order.asks),
        )

        def run(tape: Tape, open_chat: OpenChat) -> Verdict:
            judge_all(header, tape, IDLE, open_chat, in_turn)
            return verdict_of(header, tape.lanes, IDLE)

        return self._steps.take(header, run, lambda verdict: verdict.outcome == "error")
