"""A Python function as the agent: `function(task, tools, call)` in a thread of this process, its answer the final one."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from replaylab.canonical import canonical, digest_bytes, loads
from replaylab.errors import UsageError
from replaylab.foreign.chat import Assigned, Doors
from replaylab.foreign.named import python_name
from replaylab.foreign.own import OwnCalls
from replaylab.foreign.session import Call, Session, TrialOver
from replaylab.near import closest, listed
from replaylab.schema.base import Json, JsonObject
from replaylab.wire.handed import Handed

GRACE_S = 5.0
Function = Callable[..., Any]
Hand = Callable[[OwnCalls], Handed]


class Calling:
    """Calls tools: `call("tool_name", {"argument": 1})` gives what the tool returned.

    An error of a tool is a value like any other: `{"error": "…"}`. Arguments may be a text too, which goes on as it is.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def __call__(self, tool: str, arguments: JsonObject | str | None = None) -> Json:
        """One call; a turn of its own."""
        return self.together([(tool, arguments)])[0]

    def together(self, calls: Sequence[tuple[str, JsonObject | str | None]]) -> list[Json]:
        """Several calls of one turn, answered in their order."""
        asked = [Call(str(tool), _text(arguments)) for tool, arguments in calls]
        if not asked:
            raise ValueError("no call to make")
        return [loads(text) for text in self._session.call(asked)]

    async def later(self, tool: str, arguments: JsonObject | str | None = None) -> Json:
        """One call, for agents that are coroutines."""
        return await asyncio.to_thread(self, tool, arguments)


def _text(arguments: JsonObject | str | None) -> str:
    return arguments if isinstance(arguments, str) else canonical(arguments or {}).decode("utf-8")


class GivenTask:
    """What the function is told of its task, and the way to LLMs whose answers are recorded.

    `instruction` is what is to be done, `system` what an LLM in its place would be told beside it.
    """

    def __init__(
        self, assigned: Assigned, handed: Handed, open_doors: Callable[[], Mapping[str, str]]
    ) -> None:
        self.instruction, self.system = assigned.instruction, assigned.system
        self._handed, self._open_doors = handed, open_doors

    def client(self) -> Any:
        """An `openai.OpenAI` client. What is asked through it is recorded in this trial."""
        return self._handed.client()

    def async_client(self) -> Any:
        """The same as `openai.AsyncOpenAI`."""
        return self._handed.async_client()

    @property
    def variables(self) -> Mapping[str, str]:
        """Where LLM APIs are for clients of other packages, by the environment variables that those read. What is asked
        there is recorded in this trial, too. Needs the extra `capture`.
        """
        return self._open_doors()

    @property
    def base_url(self) -> str:
        """What `OPENAI_BASE_URL` says among them."""
        return self.variables["OPENAI_BASE_URL"]


class PythonAgent:
    """Starts a function at its trial, in a thread of its own. `told` gets the traceback when it fails."""

    repeats = True

    def __init__(self, function: Function, hand: Hand, doors: Doors, told: Callable[[str], None]) -> None:
        self._function, self._hand, self._doors, self._told = function, hand, doors, told

    def __call__(self, assigned: Assigned, session: Session, calls: OwnCalls) -> PythonRun:
        """Start it."""
        opened = Opened(partial(self._doors, assigned, session, calls))
        task = GivenTask(assigned, self._hand(calls), opened)
        given = (task, list(assigned.tools), Calling(session))
        return PythonRun(self._function, given, session, opened.close, self._told)


class Opened:
    """Doors that are opened when somebody first asks for them."""

    def __init__(self, doors: Callable[[], AbstractContextManager[Mapping[str, str]]]) -> None:
        self._doors = doors
        self._lock = threading.Lock()
        self._open: AbstractContextManager[Mapping[str, str]] | None = None
        self._told: Mapping[str, str] = {}

    def __call__(self) -> Mapping[str, str]:
        with self._lock:
            if self._open is None:
                self._open = self._doors()
                self._told = self._open.__enter__()
            return self._told

    def close(self) -> None:
        with self._lock:
            if self._open is not None:
                self._open.__exit__(None, None, None)


class PythonRun:
    """The function at work."""

    def __init__(
        self,
        function: Function,
        given: tuple[Any, ...],
        session: Session,
        close: Callable[[], None],
        told: Callable[[str], None],
    ) -> None:
        self._function, self._given, self._session = function, given, session
        self._close, self._told = close, told
        self._thread = threading.Thread(target=self._run, name="replaylab-agent", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Wait a little for its thread. One that goes on gets nothing done, and ends with the process at the latest."""
        self._thread.join(GRACE_S)
        self._close()
        if self._thread.is_alive():
            self._told("the agent goes on after the end of its trial; nothing that it does now is recorded")

    def _run(self) -> None:
        try:
            answer = self._function(*self._given)
            if inspect.isawaitable(answer):
                answer = asyncio.run(_awaited(answer))
            if isinstance(answer, str):
                self._session.answer(answer)
            else:
                self._session.fail("agent_crashed", f"it returned {type(answer).__name__}, not text")
        except TrialOver:
            return
        except BaseException as error:  # noqa: BLE001 - whatever ends the user's code ends the trial as an error
            if not self._session.over:
                self._told("".join(traceback.format_exception(error)).rstrip())
            self._session.fail("agent_crashed", _brief(error, getattr(self._function, "__module__", "")))


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await answer


def _brief(error: BaseException, module: str) -> str:
    """The error in a line, with the line of the agent's module that it came from, and no path of this machine."""
    places = [
        (frame.f_globals.get("__name__"), line) for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    own = [line for name, line in places if name == module]
    at = f" ({module}:{own[-1]})" if own else ""
    return f"{type(error).__name__}: {error}"[:2000] + at


def load_python(name: str, folder: Path) -> tuple[Function, str]:
    """The function of `python:package.module:function`, and its version: the SHA-256 of its module's source.

    Modules are looked for in `folder` first. Raises UsageError where there is none, or what there is can't be called.
    """
    module_name, function_name = python_name(name)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:
        raise UsageError(
            f"the module {module_name!r} of the agent can't be imported: {type(error).__name__}: {error}",
            where=name,
            fix="run the command in the folder that the module lies in, or install it",
        ) from error
    source = getattr(found, "__file__", None)
    for part in function_name.split("."):
        if not hasattr(found, part):
            raise UsageError(
                f"the module {module_name!r} has no {function_name!r}",
                where=name,
                closest=closest(part, _callables(found)),
                fix="name a function that takes (task, tools, call) and returns the answer; "
                f"it has {listed(_callables(found))}",
            )
        found = getattr(found, part)
    if not callable(found):
        raise UsageError(f"{function_name!r} in {module_name!r} is no function", where=name)
    return found, digest_bytes(Path(source).read_bytes() if source else name.encode())


def _callables(module: Any) -> list[str]:
    return [name for name, value in vars(module).items() if inspect.isfunction(value)][:8]
