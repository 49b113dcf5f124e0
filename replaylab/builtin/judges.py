"""`rubric`: a verifier that runs a task's checks. `coin`: a seeded judge for load tests, never for results."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.builtin.answer import json_text
from replaylab.builtin.asked import Asked, Refusal
from replaylab.builtin.index import Index
from replaylab.checks import passed, run_checks
from replaylab.errors import UsageError
from replaylab.roles.verifier import TASK_HEADING, read_blocks
from replaylab.schema.base import JsonObject
from replaylab.schema.trajectory import CheckResult, Trajectory


def rubric(asked: Asked, index: Index) -> str:
    """A vote by the task's checks.

    Checks that only a judge can decide are left open by a program. Where every other one passes, and where a task has
    no checks at all, the answer is no vote but a sentence, which counts as an error vote: the program can't tell.
    """
    blocks = _blocks(asked)
    block = next((text for text in asked.texts("user") if text.startswith(TASK_HEADING)), "")
    found = index.judged(block)
    if blocks is None or found is None:
        what = "the messages hold no task block of this catalogue, or no trajectory block"
        fix = "Load the folder of the task's scenario, or take a language model as verifier."
        raise Refusal(what, param="messages", fix=fix)
    try:
        results = run_checks(found.task.rubric.checks, blocks[1], found.environment)
    except UsageError as error:
        raise Refusal(
            f"the checks of {found.task.id} are wrong: {error.what}", param="messages", fix=error.fix
        ) from error
    outcome = passed(results)
    if outcome == "error":
        return _undecided(results)
    vote = {"is_correct": outcome == "pass", "feedback": _feedback(results)}
    if asked.bound is None:  # a schema for votes has no place for checks
        vote["checks"] = [result.to_json() for result in results]
    return json_text(vote)


def _blocks(asked: Asked) -> tuple[JsonObject, Trajectory] | None:
    try:
        return read_blocks([message for message in asked.messages if message["role"] == "user"])
    except (KeyError, TypeError, ValueError) as error:
        raise Refusal("the trajectory block has not the shape of one", param="messages") from error


def _undecided(results: Sequence[CheckResult]) -> str:
    """No vote: prose without a brace, so that no parser takes it for one."""
    if not results:
        return "cannot decide: the task has no checks that a program can run"
    count = sum(result.result == "open" for result in results)
    return f"cannot decide: {count} of {len(results)} checks need a judge, and the others pass"


def _feedback(results: Sequence[CheckResult]) -> str:
    """The checks that decided: those that failed, or that all passed."""
    failed = [result for result in results if result.result == "fail"]
    if not failed:
        return f"all {len(results)} checks pass"
    named = "; ".join(
        f"{result.id}{f' (call {result.call})' if result.call >= 0 else ''}: {result.reason}"
        for result in failed
    )
    return f"{len(failed)} of {len(results)} checks fail: {named}"


def coin(asked: Asked) -> str:
    """A vote by the digest of the request."""
    heads = int(asked.digest[0], 16) % 2 == 0
    return json_text({"is_correct": heads, "feedback": "a seeded coin; it looked at nothing"})
