"""`scripted:explorer`: an agent for any environment. It calls each tool once, with arguments that its schema allows."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.builtin.answer import Answer, Call
from replaylab.builtin.arguments import arguments_for
from replaylab.builtin.asked import Asked
from replaylab.builtin.steps import Step, offered, steps
from replaylab.checks import is_error
from replaylab.schema.base import Json

MAX_CALLS = 16
_MAX_SEEN = 20


def explorer(asked: Asked) -> Answer:
    """The next tool in the order in which they are offered; after `MAX_CALLS` calls, or the last tool, the answer.

    Values are taken from earlier observations where a field has the name of the parameter, so that calls meet things
    that are there.
    """
    done = steps(asked)
    called = {step.tool for step in done}
    seen = _seen(done)
    left_out: list[str] = []
    for tool in offered(asked):
        if tool.name in called or len(done) >= MAX_CALLS:
            continue
        arguments = arguments_for(tool.parameters, seen)
        if arguments is not None:
            return Call(tool.name, arguments)
        left_out.append(tool.name)
    return _report(done, left_out)


def _report(done: Sequence[Step], left_out: Sequence[str]) -> str:
    failed = [step.tool for step in done if is_error(step.observation)]
    text = f"I made {len(done)} calls: {', '.join(step.tool for step in done) or 'none'}."
    text += f" An error came back from {', '.join(failed)}." if failed else ""
    text += f" I found no valid arguments for {', '.join(left_out)}." if left_out else ""
    return text + " I explored the tools and did not try to solve the task."


def _seen(done: Sequence[Step]) -> dict[str, list[Json]]:
    """Texts and numbers of the observations by the name of their field, in the order in which they came."""
    seen: dict[str, list[Json]] = {}
    stack: list[tuple[str, Json]] = [("", step.observation) for step in reversed(done)]
    while stack:
        name, value = stack.pop()
        if isinstance(value, dict):
            stack.extend(reversed(value.items()))
        elif isinstance(value, list):
            stack.extend((name, item) for item in reversed(value))
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            values = seen.setdefault(name, [])
            if value not in values and len(values) < _MAX_SEEN:
                values.append(value)
    return seen
