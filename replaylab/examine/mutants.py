"""Mutants: a task's plan with one thing wrong. They show whether the checks see what happens.

    drop      one call left out
    double    one call made twice
    swap      two neighbouring calls the other way round
    argument  one argument of one call has another value
    omit      every call of one tool left out, or every look
    move      one call made at the very beginning or at the very end
    extra     one call more, of any tool
    answer    the calls of the plan, and something else said at the end

Everything follows from the task and its state, so the same task always gives the same mutants.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from replaylab.catalogue.loader import Found
from replaylab.examine.forbidden import base_calls, forbidden_calls, with_argument
from replaylab.examine.values import Kin, wrong_values
from replaylab.schema.base import Json, JsonObject, in_json
from replaylab.schema.scenario import PlannedCall, Tool

Kind = Literal["drop", "double", "swap", "argument", "omit", "move", "extra", "answer"]

_SENTENCE = re.compile(r"[^.!?]*(?:[.!?](?!\s|$)[^.!?]*)*[.!?]*\s*")
_WORD = re.compile(r"[\w][\w.,:/-]*\w|\w")
_NUMBER = re.compile(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?")


class Mutant(NamedTuple):
    """A wrong way through a task. `step` is the call of the plan that was changed, -1 for the answer.

    `bound` says that schema or state give the other value; a reason in other words, say, is not bound.
    """

    kind: Kind
    step: int
    what: str
    calls: tuple[PlannedCall, ...]
    answer: str
    argument: str = ""
    bound: bool = True


def step_mutants(found: Found) -> Iterator[Mutant]:
    """Each step of the plan dropped, doubled, swapped with the next, and given each wrong argument."""
    plan, answer = _plan(found)
    kin = Kin(found.environment.initial_state)
    for step, call in enumerate(plan):
        before, after = plan[:step], plan[step + 1 :]
        yield Mutant("drop", step, f"without {_shown(call)}", before + after, answer)
        yield Mutant("double", step, f"{_shown(call)} twice", (*before, call, call, *after), answer)
        if after and after[0] != call:
            what = f"{_shown(after[0])} before {_shown(call)}"
            yield Mutant("swap", step, what, (*before, after[0], call, *after[1:]), answer)
        tool = found.environment.tool(call.tool)
        for name, value, bound in _wrong_arguments(call, tool, kin):
            wrong = with_argument(call, name, value)
            calls = (*before, wrong, *after)
            yield Mutant("argument", step, f"{_shown(wrong)} for {_shown(call)}", calls, answer, name, bound)


def wide_mutants(found: Found) -> Iterator[Mutant]:
    """Every call of one tool left out, every look left out, and each call moved to an end of the plan."""
    plan, answer = _plan(found)
    for tool in found.environment.tools:
        rest = tuple(call for call in plan if call.tool != tool.name)
        if len(rest) < len(plan):
            yield Mutant("omit", -1, f"without any {tool.name}", rest, answer)
    reads = {tool.name for tool in found.environment.tools if tool.effect == "read"}
    yield Mutant("omit", -1, "without any look", tuple(c for c in plan if c.tool not in reads), answer)
    yield Mutant("omit", -1, "without any write", tuple(c for c in plan if c.tool in reads), answer)
    for step, call in enumerate(plan):
        same = tuple(one for one in plan if one != call)
        yield Mutant("omit", step, f"without any {_shown(call)}", same, answer)
        rest = (*plan[:step], *plan[step + 1 :])
        yield Mutant("move", step, f"{_shown(call)} at first", (call, *rest), answer)
        yield Mutant("move", step, f"{_shown(call)} at last", (*rest, call), answer)


def answer_mutants(found: Found) -> Iterator[Mutant]:
    """Each sentence, number and word of the answer left out or changed; a sentence that says everything."""
    plan, answer = _plan(found)
    for what, text in _answers(answer, found.environment.initial_state):
        yield Mutant("answer", -1, what, plan, text)
    for phrase in dict.fromkeys(_phrases(found.task.rubric.checks)):
        yield Mutant("answer", -1, f"also says {phrase!r}", plan, f"{answer} {phrase}.")


def extra_mutants(found: Found) -> Iterator[Mutant]:
    """One call more: of each tool, with the plan's arguments and wrong ones, at the ends and between."""
    plan, answer = _plan(found)
    kin = Kin(found.environment.initial_state)
    calls = list(forbidden_calls(found.task.rubric.checks, found.environment, plan, kin))
    calls += [call for tool in found.environment.tools for call in _calls_of(tool, plan, kin)]
    for place in dict.fromkeys((len(plan), len(plan) - 1, 0, len(plan) // 2)):
        for call in calls:
            what = f"also {_shown(call)} before call {place}"
            yield Mutant("extra", place, what, (*plan[:place], call, *plan[place:]), answer)


def trivial_ways(found: Found) -> dict[str, tuple[tuple[PlannedCall, ...], str]]:
    """What agents do that don't try, by name: the calls and the answer."""
    plan, _ = _plan(found)
    kin = Kin(found.environment.initial_state)
    once = tuple(call for tool in found.environment.tools for call in _calls_of(tool, (), kin)[:1])
    known = tuple(
        next((one for one in plan if one.tool == tool.name), None) or made
        for tool in found.environment.tools
        for made in _calls_of(tool, (), kin)[:1]
    )
    return {
        "does nothing": ((), ""),
        "says it is done": ((), "It is done."),
        "gives up at once": (plan[:1], "I could not finish this and stopped."),
        "calls each tool once": (once, "I called every tool once."),
        "calls each tool once, rightly": (known, "I called every tool once."),
    }


def _plan(found: Found) -> tuple[tuple[PlannedCall, ...], str]:
    """The calls and the answer of the plan; nothing where there is no plan."""
    plan = found.task.plan
    return (plan.calls, plan.answer) if plan else ((), "")


def _wrong_arguments(call: PlannedCall, tool: Tool | None, kin: Kin) -> Iterator[tuple[str, Json, bool]]:
    properties: JsonObject = tool.parameters.get("properties", {}) if tool else {}
    for name, value in call.arguments.items():
        for wrong in wrong_values(value, properties.get(name, {}), kin):
            yield name, wrong.value, wrong.bound


def _calls_of(tool: Tool, plan: Sequence[PlannedCall], kin: Kin) -> list[PlannedCall]:
    """Calls of a tool: as the plan makes them, else such as its schema allows; and with each wrong argument."""
    found = base_calls(tool, plan, kin)
    for base in list(found):
        for name, value, _ in _wrong_arguments(base, tool, kin):
            if (wrong := with_argument(base, name, value)) not in found:
                found.append(wrong)
    return found


def _answers(answer: str, state: JsonObject) -> Iterator[tuple[str, str]]:
    yield "no answer", ""
    for match in _SENTENCE.finditer(answer):
        if match[0].strip():
            yield f"without {match[0].strip()!r}", answer[: match.start()] + answer[match.end() :]
    for match in _NUMBER.finditer(answer):
        wrong = str(int(match[0][0]) % 9 + 1) + match[0][1:]
        yield f"{wrong} for {match[0]}", answer[: match.start()] + wrong + answer[match.end() :]
    for match in _WORD.finditer(answer):
        yield f"without {match[0]!r}", answer[: match.start()] + "…" + answer[match.end() :]
    names = list(dict.fromkeys(Kin(state).all_texts()))
    for name in names:
        yield f"also names {name!r}", f"{answer} This is about {name} as well."
    yield "says everything", f"{answer} {' '.join(names)}"


def _phrases(node: Json) -> Iterator[str]:
    """Texts that fulfil the patterns of checks, roughly: each alternative with its gaps filled."""
    if isinstance(node, dict):
        patterns = node.get("re", ())
        for pattern in (patterns,) if isinstance(patterns, str) else patterns:
            flat = re.sub(r"\(([^()|]*)\|[^()]*\)", r"\1", re.sub(r"\(\?[:!=<]+", "(", pattern))
            for text in (flat, *flat.split("|"), *re.split(r"[|()]+", pattern)):
                yield _plain(text)
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, (list, tuple)) else ():
        yield from _phrases(part)


def _plain(pattern: str) -> str:
    """A pattern without alternatives as the text that it stands for."""
    text = re.sub(r"(?:\\[sW]|(?<!\\)\.|\[\^[^\]]*\])(?:[*+?]|\{[^}]*\})?", " ", pattern)
    text = re.sub(r"\\[dw](?:[*+?]|\{[^}]*\})?", "7", text)
    return " ".join(re.sub(r"\\[bB]|[\\^$?*+()|\[\]]|\{[^}]*\}", "", text).split())


def _shown(call: PlannedCall) -> str:
    return f"{call.tool}({', '.join(f'{key}={in_json(value)}' for key, value in call.arguments.items())})"
