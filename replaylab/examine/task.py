"""Rules that the file of a task keeps: its plan, its checks, and what its agent may know. No twin is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from jsonschema.exceptions import ValidationError

from replaylab.catalogue import files
from replaylab.catalogue.loader import Found
from replaylab.catalogue.schemas import BrokenSchema, errors_of
from replaylab.checks.base import parse_check
from replaylab.checks.rubric import parse_checks
from replaylab.errors import UsageError
from replaylab.examine.found import finding, phrases
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.finding import Finding
from replaylab.schema.scenario import Plan, Tool

SHORTEST_PLAN, LONGEST_PLAN = 6, 25
LEAK = 5  # words in a row, which nobody writes twice by chance


def task_findings(found: Found, path: Path) -> Iterator[Finding]:
    """What is wrong with the task in `path`, as far as can be told without running anything."""
    rubric, plan = found.task.rubric, found.task.plan
    if not rubric.text.strip():
        yield finding("rubric", path, "rubric.text", "the rubric has no text for readers")
    if not rubric.checks:
        yield finding("rubric", path, "rubric.checks", "the rubric has no check that a program can run")
    for error in _unreadable(found):
        what = f"{error.what}; {error.fix}" if error.fix else error.what
        yield finding("rubric", path, f"rubric.checks ({error.where})", what, closest=error.closest)
    if plan is None:
        yield finding("plan", path, "plan", "the task has no reference plan")
    else:
        yield from _plan_findings(plan, found, path)
    yield from _leaks(found, path)


def _unreadable(found: Found) -> Iterator[UsageError]:
    """What is wrong with each check by itself; and where that is nothing, the first thing wrong between them."""
    checks, alone = found.task.rubric.checks, 0
    for place, check in enumerate(checks, start=1):
        try:
            parse_check(check, f"check {place}")
        except UsageError as error:
            alone += 1
            yield error
    if not alone:
        try:
            parse_checks(checks, found.environment)
        except UsageError as error:
            yield error


def _plan_findings(plan: Plan, found: Found, path: Path) -> Iterator[Finding]:
    if not SHORTEST_PLAN <= len(plan.calls) <= LONGEST_PLAN:
        what = f"{SHORTEST_PLAN} to {LONGEST_PLAN} calls are due, not {len(plan.calls)}"
        yield finding("plan-length", path, "plan.calls", what)
    if not plan.answer.strip():
        yield finding("plan", path, "plan.answer", "the plan ends without an answer")
    for number, call in enumerate(plan.calls):
        tool = found.environment.tool(call.tool)
        for error in _problems(tool, call.arguments):
            name = ".".join(map(str, error.absolute_path))
            field = f"plan.calls.{number}.arguments{'.' if name else ''}{name}"
            yield finding("plan-arguments", path, field, f"{call.tool} refuses it: {error.message}")
    if plan.calls and all(call.purpose == "act" for call in plan.calls):
        what = "no call looks at what came of the others: give one the purpose `verify`"
        yield finding("plan-verify", path, "plan.calls", what)


def _problems(tool: Tool | None, arguments: JsonObject) -> Sequence[ValidationError]:
    """What the tool's schema refuses; a schema that is none is a finding of the tool, not of every call."""
    try:
        return errors_of(tool.parameters if tool else {}, arguments)
    except BrokenSchema:
        return ()


def _leaks(found: Found, path: Path) -> Iterator[Finding]:
    """Text that the agent is shown and that gives rubric or plan away."""
    task = found.task
    hidden = {
        "rubric.text": task.rubric.text,
        "rubric.checks": " . ".join(_notes(list(task.rubric.checks))),
        "plan.answer": task.plan.answer if task.plan else "",
    }
    shown = {"instruction": task.instruction} | {
        f"tools.{tool.name}": " . ".join(_told(tool)) for tool in found.environment.tools
    }
    for place, text in shown.items():
        seen = phrases(text, LEAK)
        for field, secret in hidden.items():
            for run, words in phrases(secret, LEAK).items():
                if run in seen:
                    what = f"the agent reads {words!r}, which stands in {field}"
                    yield finding("leak", path, place, what, words)
                    break
    tools = {tool.name for tool in found.environment.tools}
    for word in sorted(tools & {run[0] for run in phrases(task.instruction, 1)}):
        what = f"the instruction names the tool {word}, which gives a step of the plan away"
        yield finding("leak-tool", path, "instruction", what, word)


def _notes(node: Json) -> Iterator[str]:
    """What checks say to readers."""
    if isinstance(node, dict):
        yield from (text for name in ("note", "question") if isinstance(text := node.get(name), str))
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _notes(part)


def _told(tool: Tool) -> Iterator[str]:
    yield tool.description
    for part in tool.parameters.get("properties", {}).values():
        if isinstance(part, dict):
            yield str(part.get("description", ""))


def task_path(folder: Path, task: str) -> Path:
    """The file of a task of the scenario in `folder`."""
    return folder / "tasks" / f"{task}.json"


def environment_folder(folder: Path, environment: str) -> Path:
    """The folder of an environment of the scenario in `folder`."""
    return folder / "environments" / environment


def twin_path(folder: Path, environment: str) -> Path:
    """The twin of an environment of the scenario in `folder`."""
    return environment_folder(folder, environment) / files.TWIN_FILE
