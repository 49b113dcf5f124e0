"""The verifier: what a judge is shown, how a vote is read, and how votes become a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from pydantic import TypeAdapter, ValidationError

from replaylab.canonical import NotIJson, parse_strict
from replaylab.errors import CallFailed
from replaylab.roles.chat import Chat, canonical_text, correction, message, response_format
from replaylab.roles.parsing import Unparsable, one_json_object
from replaylab.roles.prompts import render
from replaylab.roles.shapes import vote_schema
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.completion import Completion
from replaylab.schema.fault import FaultEvent
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Environment, Task
from replaylab.schema.trajectory import Action, CheckResult, Outcome, Trajectory, Turn, Verdict, Vote

TASK_HEADING = "## Task"
TRAJECTORY_HEADING = "## Trajectory"

_CHECKS = TypeAdapter(tuple[CheckResult, ...])


class ReadVote(NamedTuple):
    """What a valid vote says. `checks` is there when a program voted."""

    is_correct: bool
    feedback: str
    checks: tuple[CheckResult, ...] = ()


def task_block(environment: Environment, task: Task) -> str:
    """The message that holds what the trajectory is judged by. No checks: they are for programs."""
    view = {
        "environment": environment.id,
        "initial_state": environment.initial_state,
        "instruction": task.instruction,
        "rubric": task.rubric.text,
        "state_description": environment.state_description,
        "task": task.id,
    }
    return f"{TASK_HEADING}\n{canonical_text(view)}"


def trajectory_block(trajectory: Trajectory) -> str:
    """The message that holds what happened, as the agent saw it."""
    view = {
        "answer": trajectory.answer,
        "termination": trajectory.termination,
        "turns": [
            {"text": turn.text, "actions": [_seen(action) for action in turn.actions]}
            for turn in trajectory.turns
        ],
    }
    return f"{TRAJECTORY_HEADING}\n{canonical_text(view)}"


def _seen(action: Action) -> JsonObject:
    """An action as the agent saw it, and the kind of fault that it met."""
    seen: JsonObject = {
        "call": action.call,
        "tool": action.tool,
        "arguments": action.arguments,
        "observation": action.observation,
    }
    if action.arguments is None:
        seen["raw_arguments"] = action.raw_arguments
    if action.by != "simulator":
        seen["by"] = action.by
    if action.fault is not None:
        seen["fault"] = action.fault.kind
    return seen


def read_blocks(messages: Sequence[JsonObject]) -> tuple[JsonObject, Trajectory] | None:
    """(the task block, the trajectory) of a verifier's request, or None when the messages hold no such blocks.

    For programs that judge. The trajectory is what the judge sees: no ids, no reasoning, no clean observations.
    """
    texts = [item["content"] for item in messages if isinstance(item.get("content"), str)]
    task, view = _under(TASK_HEADING, texts), _under(TRAJECTORY_HEADING, texts)
    if task is None or view is None:
        return None
    return task, _trajectory(view)


def _under(heading: str, texts: Iterable[str]) -> JsonObject | None:
    for text in texts:
        first, _, rest = text.partition("\n")
        if first == heading:
            try:
                return cast(JsonObject, parse_strict(rest))
            except NotIJson:
                return None
    return None


def _trajectory(view: JsonObject) -> Trajectory:
    turns = tuple(
        Turn(text=turn["text"], actions=tuple(_action(seen) for seen in turn["actions"]))
        for turn in view["turns"]
    )
    return Trajectory(turns=turns, answer=view["answer"], termination=view["termination"])


def _action(seen: JsonObject) -> Action:
    fields = {key: value for key, value in seen.items() if key != "fault"}
    fault = None
    if "fault" in seen:
        shown = seen["observation"]
        event = {"fault": 0, "kind": seen["fault"], "call": seen["call"], "tool": seen["tool"], "left": 0}
        fault = FaultEvent(**event, clean=shown, delivered=shown)
    return Action(id="", fault=fault, **fields)


def read_vote(completion: Completion) -> ReadVote:
    """The vote that a completion holds: `is_correct` is true or false, `feedback` a text. Raises Unparsable.

    Other keys are let through, as language models add some; a text "false" is no vote, nor is prose, nor "INCORRECT".
    """
    value = one_json_object(completion.text)
    if not isinstance(value.get("is_correct"), bool):
        raise Unparsable("its is_correct is neither true nor false")
    if not isinstance(value.get("feedback"), str):
        raise Unparsable("its feedback is not a text")
    return ReadVote(value["is_correct"], value["feedback"], _checks(value.get("checks")))


def _checks(value: Json) -> tuple[CheckResult, ...]:
    try:
        return _CHECKS.validate_python(value) if isinstance(value, list) else ()
    except ValidationError:
        return ()


def as_vote(vote: int, read: ReadVote, asked: int) -> Vote:
    """A valid vote, as the verdict keeps it."""
    outcome: Outcome = "pass" if read.is_correct else "fail"
    return Vote(vote=vote, outcome=outcome, reason=read.feedback, asked=asked, checks=read.checks)


def error_vote(vote: int, error: CallFailed, asked: int) -> Vote:
    """The vote of a judge that gave no valid one. Only the kind is kept: it is the same in every replay."""
    return Vote(vote=vote, outcome="error", reason=error.kind, asked=asked)


def decide(votes: Sequence[Vote]) -> Verdict:
    """The majority of the valid votes; a tie or no valid vote is `error`."""
    passed, failed, broken = (
        sum(vote.outcome == outcome for vote in votes) for outcome in ("pass", "fail", "error")
    )
    reason = f"{passed} pass, {failed} fail, {broken} error"
    if passed == failed:
        return Verdict(outcome="error", votes=tuple(votes), reason=reason)
    return Verdict(outcome="pass" if passed > failed else "fail", votes=tuple(votes), reason=reason)


class Judge:
    """One vote in one lane."""

    def __init__(
        self,
        chat: Chat,
        environment: Environment,
        task: Task,
        settings: ModelSettings,
        *,
        vote: int,
        asks: int = 3,
    ) -> None:
        """`vote` counts from 0; `asks` bounds how often the vote is asked for."""
        self._chat, self._vote, self._asks = chat, vote, asks
        self._opening = [
            message("system", render("verifier")),
            message("user", task_block(environment, task)),
        ]
        bound = settings.observations == "json_schema"
        self._extra = response_format("vote", vote_schema()) if bound else None

    def vote(self, trajectory: Trajectory) -> Vote:
        """Judge. An answer that is no vote is asked for again; a failed call is not, since it was retried below."""
        messages = [*self._opening, message("user", trajectory_block(trajectory))]
        error = CallFailed("no asking was allowed", kind="unparsable")
        for asked in range(1, self._asks + 1):
            try:
                completion = self._chat.ask(tuple(messages), extra=self._extra)
            except CallFailed as failed:
                return error_vote(self._vote, failed, asked)
            try:
                return as_vote(self._vote, read_vote(completion), asked)
            except Unparsable as unparsable:
                error = unparsable
                messages += correction("verifier_again", completion, unparsable)
        return error_vote(self._vote, error, self._asks)
