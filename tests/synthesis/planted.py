"""Bad candidates, planted: what a generator does wrong, at which step, which rule has to see it, and who mends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from replaylab.roles.generator import Question
from tests.synthesis.playing import Edit

LONG = "Do it well. " * 600


class Planted(NamedTuple):
    """`spoil` changes the value of `step`. `rules` are those that may name it first, `mends` the part that is asked for."""

    step: str
    spoil: Callable[[Any], Any]
    rules: frozenset[str]
    mends: str

    def edit(self, rounds: int) -> Edit:
        """Spoil the first `rounds` answers of the step: 1 is mended, many are dropped."""
        left = [rounds]

        def change(question: Question, value: Any) -> Any:
            if question.step == self.step and left[0]:
                left[0] -= 1
                return self.spoil(value)
            return value

        return change


def _kind(step: str, spoil: Callable[[Any], Any], *rules: str, mends: str = "") -> Planted:
    return Planted(step, spoil, frozenset(rules), mends or step)


def _in(name: str, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: {**value, name: change(value[name])}


def _first(rows: list[Any], **changed: Any) -> list[Any]:
    return [{**rows[0], **changed}, *rows[1:]]


def _without_first(given: dict[str, Any]) -> dict[str, Any]:
    return dict(list(given.items())[1:])


def _last_write(calls: list[Any]) -> list[Any]:
    """The plan's last call for a thing that there is not."""
    *before, last = calls
    return (
        [*before, {**last, "arguments": dict.fromkeys(last["arguments"], "Z-999")}]
        if last["arguments"]
        else [
            {**one, "arguments": dict.fromkeys(one["arguments"], "Z-999")} if one["arguments"] else one
            for one in calls
        ]
    )


IMPOSSIBLE = {"id": "impossible", "kind": "said", "value": "unobtainium"}
VACUOUS = [{"id": "vacuous", "kind": "forbid", "tool": "refill_tank", "args": {"no_such": "argument"}}]

KINDS: dict[str, Planted] = {
    "invalid schema": _kind(
        "tools",
        _in("tools", lambda rows: _first(rows, parameters={"type": "object", "properties": 7})),
        "tool-schema",
        "file",
    ),
    "tool without an effect of its own": _kind(
        "tools", _in("tools", lambda rows: [{**row, "effect": "read"} for row in rows]), "tool-effect"
    ),
    "arguments of any name": _kind(
        "tools",
        _in("tools", lambda rows: _first(rows, parameters={"type": "object", "properties": {}})),
        "tool-open",
        "tool-schema",
    ),
    "wrong ids in an example": _kind(
        "tools", _in("tools", lambda rows: _first(rows, example_output={"zone": "Q-9999"})), "example-state"
    ),
    "state and description disagree": _kind("state", _in("description", _without_first), "state-description"),
    "empty prompt": _kind("environment", _in("system_prompt", lambda text: "   "), "prompt"),
    "placeholder left in the prompt": _kind(
        "environment", _in("system_prompt", lambda text: text + "\n\nTBD"), "placeholder"
    ),
    "placeholder left": _kind(
        "task", _in("instruction", lambda text: text + " Ask {{name}}."), "placeholder"
    ),
    "over-long": _kind("task", _in("instruction", lambda text: text + LONG), "too-long"),
    "names a tool": _kind("task", _in("instruction", lambda text: text + " Call refill_tank."), "leak-tool"),
    "wrong ids in the instruction": _kind(
        "task", _in("instruction", lambda text: text + " Look at QQ-4711 too."), "unknown-id"
    ),
    "plan that does not run": _kind(
        "plan", _in("calls", _last_write), "plan-refused", "plan-arguments", "unknown-id"
    ),
    "unknown tool in the plan": _kind(
        "plan", _in("calls", lambda calls: _first(calls, tool="fly_away")), "file"
    ),
    "plan that ends early": _kind("plan", _in("calls", lambda calls: calls[:2]), "plan-length"),
    "plan without a second look": _kind(
        "plan", _in("calls", lambda calls: [{**one, "purpose": "act"} for one in calls]), "plan-verify"
    ),
    "rubric that no trajectory passes": _kind(
        "checks", _in("checks", lambda checks: [*checks, IMPOSSIBLE]), "plan-fails"
    ),
    "rubric that anything passes": _kind("checks", _in("checks", lambda checks: VACUOUS), "wrong-passes"),
    "check of no known kind": _kind(
        "checks", _in("checks", lambda checks: _first(checks, kind="hoped")), "rubric"
    ),
    "two checks of one name": _kind("checks", _in("checks", lambda checks: [*checks, checks[0]]), "rubric"),
    "overlapping sub-topics": _kind(
        "subtopics", _in("subtopics", lambda rows: [rows[1] + " again", *rows[1:]]), "subtopic-overlap"
    ),
    "a sub-topic without end": _kind(
        "subtopics", _in("subtopics", lambda rows: [LONG, *rows[1:]]), "too-long"
    ),
    "a reference document without end": _kind(
        "reference", _in("summary", lambda text: text + LONG), "too-long"
    ),
    "text that turns round": _kind(
        "task", _in("instruction", lambda text: text + " \u202eyllautca"), "hidden-text"
    ),
    "schema that leads out": _kind(
        "tools",
        _in(
            "tools",
            lambda rows: _first(rows, parameters={**rows[0]["parameters"], "$ref": "https://example.com/s"}),
        ),
        "tool-schema",
    ),
    "too few sub-topics": _kind("subtopics", _in("subtopics", lambda rows: rows[:9]), "subtopics"),
}
