from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from replaylab.checks.failure import is_error
from replaylab.derive.episode import play
from replaylab.errors import CallFailed
from replaylab.faults.inject import Injector
from replaylab.faults.of import injector_of
from replaylab.faults.plan import named
from replaylab.roles.agent import AgentTurn, RequestedCall
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.cassette import Limits
from replaylab.schema.fault import FaultEvent, FaultPlan
from replaylab.schema.scenario import Rubric, Tool
from replaylab.schema.trajectory import Trajectory
from tests.roles.fakes import ENVIRONMENT, TASK

END = AgentTurn("Done.", "", "stop", ())
BROKEN = CallFailed("the words of a server", kind="http_status")


def call(tool: str, arguments: JsonObject | None = None, raw: str = "{}") -> RequestedCall:
    problem = "unknown_tool" if ENVIRONMENT.tool(tool) is None else ""
    return RequestedCall("id", tool, raw, {} if arguments is None else arguments, problem)  # type: ignore[arg-type]


def turn(*calls: RequestedCall) -> AgentTurn:
    return AgentTurn("", "", "tool_calls", calls)


class Table:
    """Both sides of a trial, and everything that happened on the table in order."""

    def __init__(
        self, turns: Sequence[AgentTurn | CallFailed], answers: Sequence[Json | CallFailed] = ()
    ) -> None:
        self.turns, self.answers = list(turns), list(answers)
        self.log: list[tuple[str, Json]] = []

    def next_turn(self) -> AgentTurn:
        self.log.append(("turn", None))
        given = self.turns.pop(0)
        if isinstance(given, CallFailed):
            raise given
        return given

    def observe(self, call: RequestedCall, observation: Json) -> None:
        self.log.append(("observe", observation))

    def step(self, tool: Tool, arguments: JsonObject) -> Json:
        self.log.append(("step", tool.name))
        given = self.answers.pop(0) if self.answers else {"answer": len(self.log)}
        if isinstance(given, CallFailed):
            raise given
        return given

    @property
    def steps(self) -> list[Json]:
        return [what for kind, what in self.log if kind == "step"]


class Always:
    """A fault at every call: explicit, or implicit where `clean` is kept."""

    def __init__(self, *, explicit: bool) -> None:
        self.is_explicit = explicit

    def explicit(self, call: int, tool: Tool, arguments: JsonObject) -> FaultEvent | None:
        if not self.is_explicit:
            return None
        return FaultEvent(
            fault=0, kind="timeout", call=call, tool=tool.name, left=0, delivered={"error": "t"}
        )

    def implicit(self, call: int, tool: Tool, arguments: JsonObject, clean: Json) -> FaultEvent | None:
        delivered = {"cut": call}
        return FaultEvent(
            fault=0, kind="truncated", call=call, tool=tool.name, left=0, clean=clean, delivered=delivered
        )


def played(table: Table, *, limit: int = 9, faults: Always | None = None) -> Trajectory:
    injector = faults or Injector(FaultPlan(), TASK.id, TASK.expected_calls)
    return play(table, table, injector, ENVIRONMENT, Limits(max_steps=limit))


def test_each_call_is_answered_and_observed_before_the_next_one() -> None:
    table = Table([turn(call("ping"), call("names")), END], ["a", "b"])
    assert played(table).termination == "answered"
    assert table.log == [
        ("turn", None), ("step", "ping"), ("observe", "a"), ("step", "names"), ("observe", "b"), ("turn", None),
    ]  # fmt: skip


def test_calls_are_numbered_over_the_whole_trial() -> None:
    trajectory = played(Table([turn(call("ping"), call("nothing")), turn(call("ping")), END]))
    assert [action.call for action in trajectory.actions] == [0, 1, 2]


def test_a_turn_without_calls_ends_the_trial_with_its_text_whatever_its_finish_reason() -> None:
    for reason in ("stop", "length", "tool_calls", ""):
        trajectory = played(Table([END._replace(finish_reason=reason)]))
        assert (trajectory.termination, trajectory.answer) == ("answered", "Done.")


def test_the_limit_is_looked_at_before_a_turn_and_never_inside_one() -> None:
    table = Table([turn(*[call("ping")] * 3)] * 3)
    trajectory = played(table, limit=4)
    assert (trajectory.termination, len(trajectory.actions), trajectory.answer) == ("step_limit", 6, "")
    assert len(table.turns) == 1


def test_with_a_limit_of_nothing_nobody_is_asked() -> None:
    table = Table([END])
    assert played(table, limit=0).termination == "step_limit"
    assert table.log == []


def test_an_agent_that_fails_ends_the_trial_and_what_was_answered_is_kept() -> None:
    trajectory = played(Table([turn(call("ping")), BROKEN]))
    assert (trajectory.termination, trajectory.error) == ("agent_error", "turn 1: http_status")
    assert len(trajectory.actions) == 1


def test_a_simulator_that_fails_ends_the_trial_inside_the_turn() -> None:
    table = Table([turn(call("ping"), call("names"), call("ping")), END], ["a", BROKEN])
    trajectory = played(table)
    assert (trajectory.termination, trajectory.error) == ("simulator_error", "call 1: http_status")
    assert ([action.tool for action in trajectory.actions], table.steps) == (["ping"], ["ping", "names"])
    assert ("observe", "a") in table.log
    assert len(table.turns) == 1


def test_a_call_that_cannot_be_made_is_answered_by_the_engine_and_meets_no_fault() -> None:
    malformed = RequestedCall("id", "ping", "{", None, "malformed_arguments")
    table = Table([turn(call("nothing"), malformed), END])
    trajectory = played(table, faults=Always(explicit=True))
    assert [(action.by, action.fault) for action in trajectory.actions] == [("engine", None)] * 2
    assert [action.raw_arguments for action in trajectory.actions] == ["", "{"]
    assert table.steps == []


def test_an_explicit_fault_comes_before_the_call_which_is_never_executed() -> None:
    table = Table([turn(call("assign_room")), END])
    (action,) = played(table, faults=Always(explicit=True)).actions
    assert (action.by, action.observation) == ("faults", {"error": "t"})
    assert (table.steps, table.log[1]) == ([], ("observe", {"error": "t"}))


def test_an_implicit_fault_comes_after_the_call_and_only_the_agent_sees_it() -> None:
    table = Table([turn(call("ping")), END], [{"whole": 1}])
    (action,) = played(table, faults=Always(explicit=False)).actions
    assert (action.by, action.observation, action.clean) == ("simulator", {"cut": 0}, {"whole": 1})
    assert table.log[1:3] == [("step", "ping"), ("observe", {"cut": 0})]


@given(
    st.sampled_from(["E1", "E3", "persistent", "correlated", "E1+targeted"]),
    st.integers(0, 40),
    st.lists(st.sampled_from(["assign_room", "list_rooms"]), max_size=20),
)
def test_a_call_that_an_explicit_fault_met_has_not_happened(name: str, seed: int, tools: list[str]) -> None:
    checks = ({"id": "put", "kind": "called", "tool": "assign_room"},)
    task = TASK.model_copy(update={"rubric": Rubric(text="", checks=checks)})
    table = Table([*(turn(call(tool)) for tool in tools), END])
    injector = injector_of(named(name, 3, 2, seed), task, ENVIRONMENT)
    trajectory = play(table, table, injector, ENVIRONMENT, Limits(max_steps=60))
    executed = [action.tool for action in trajectory.actions if action.by == "simulator"]
    assert table.steps == executed
    failed = [action for action in trajectory.actions if action.by == "faults"]
    assert len(executed) + len(failed) == len(tools)
    assert all(is_error(action.observation) and action.clean == action.observation for action in failed)
