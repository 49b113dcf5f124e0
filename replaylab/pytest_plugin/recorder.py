"""What a test gets: a proxy of its own on loopback that records it or plays to it, and clients that ask it."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import pytest

from replaylab.capture.variables import PLACEHOLDER_KEY, child_variables, placeholder_keys
from replaylab.cli.app import App
from replaylab.cli.capturing import Staged, staged
from replaylab.cli.capturing import Wanted as Captured
from replaylab.cli.extra import require_capture
from replaylab.engine.captured.ledger import captured_run
from replaylab.errors import UsageError
from replaylab.pytest_plugin.modes import Mode, rule_of, session_mode
from replaylab.pytest_plugin.names import run_name
from replaylab.schema.base import in_json
from replaylab.store.library import Library
from replaylab.wire.offline import allow_network, first_refusal, refuse_network

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

    from replaylab.engine.captured.miss import Miss

_SHOWN = 5


@dataclass(frozen=True)
class Wanted:
    """What a test asked for. `network` lets it reach other machines while nothing is recorded."""

    node_id: str
    mode: Mode
    root: Path
    library: Path
    name: str = ""
    may_stay_unplayed: bool = False
    network: bool = False


class Recorder:
    """Records one test, or plays to it. The usual variables lead any client to it; `openai` is a ready one.

    `run` is the name of the test's recording, `has_recording` whether there was one at its start.
    """

    def __init__(self, wanted: Wanted, env: Mapping[str, str]) -> None:
        require_capture("the fixture replaylab")
        self.mode, self.run = wanted.mode, wanted.name or run_name(wanted.node_id)
        self._wanted = wanted
        self._app = App(dict(env), wanted.root)  # as it is now: the test's own variables come on top
        self._app.library_option = wanted.library
        self.has_recording = captured_run(Library(wanted.library), self.run) is not None
        self.rule = rule_of(wanted.mode, self.has_recording)
        self._ends = contextlib.ExitStack()
        self._stage: Staged | None = None
        self._sealed = False

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            offline = session_mode(self.rule) == "offline"
            if offline:
                stack.callback(allow_network)
            self._stage = stack.enter_context(
                staged(self._app, Captured(self.run, session_mode(self.rule), may_be_new=True))
            )
            if offline:
                (allow_network if self._wanted.network else refuse_network)()
            patch = stack.enter_context(pytest.MonkeyPatch.context())
            for name, value in self.variables.items():
                patch.setenv(name, value)
            stack.callback(self._seal)
            self._ends = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.close()

    @property
    def stage(self) -> Staged:
        if self._stage is None:
            raise UsageError("the recorder is used outside its test")
        return self._stage

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that are set for the test: the base URLs, and keys where none are needed and none are set."""
        stage, env = self.stage, self._app.env
        keys = placeholder_keys(env) if session_mode(self.rule) == "offline" else {}
        return {**keys, **child_variables(stage.server.address, stage.routes, env, stage.variables)}

    def base_url(self, name: str = "openai") -> str:
        """The base URL of an API for a client that is given one. Raises UsageError for a name that is not known."""
        upstream = self.stage.routes.upstreams.get(name)
        if upstream is None:
            raise UsageError(
                f"no API is known as {name!r}",
                closest=", ".join(sorted(self.stage.routes.upstreams)),
                fix="add [capture.upstreams.NAME] to replaylab.toml",
            )
        return f"{self.stage.server.address}/{name}{upstream.mount}"

    def openai(self, name: str = "openai", **options: Any) -> OpenAI:
        """A client for the OpenAI API or one of its shape; closed at the end of the test."""
        from openai import OpenAI

        client = OpenAI(**self._options(name, options))
        self._ends.callback(client.close)
        return client

    def async_openai(self, name: str = "openai", **options: Any) -> AsyncOpenAI:
        """The same for asynchronous code; close it in the loop that used it."""
        from openai import AsyncOpenAI

        return AsyncOpenAI(**self._options(name, options))

    def _options(self, name: str, options: dict[str, Any]) -> dict[str, Any]:
        key = os.environ.get("OPENAI_API_KEY") or PLACEHOLDER_KEY
        return {"base_url": self.base_url(name), "api_key": key, **options}

    def problems(self, *, whole: bool) -> str:
        """Why the test fails, "" where it does not. `whole`: the test came to its end, so all of it had to be played."""
        session, lines = self.stage.session, []
        lines += [_in_a_line(miss) for miss in session.misses[:_SHOWN]]
        if session.missed > _SHOWN:
            lines.append(f"… and {session.missed - _SHOWN} more requests that are not recorded")
        if lines:
            lines.append(self._what_to_do())
        refused = (
            first_refusal() if session_mode(self.rule) == "offline" and not self._wanted.network else None
        )
        if refused is not None:
            lines.append(
                f"the test wanted the network while its calls are played: {refused.what} {refused.where}".strip()
            )
        if whole and self.rule.unplayed == "fail" and not self._wanted.may_stay_unplayed:
            lines += self._unplayed()
        return "\n".join(lines)

    def _unplayed(self) -> list[str]:
        left = list(self.stage.session.unplayed())
        if not left:
            return []
        lines = [f"recorded, and not asked for: {path}" for path in left[:_SHOWN]]
        lines += [f"… and {len(left) - _SHOWN} more"] if len(left) > _SHOWN else []
        return [*lines, "record the test anew with --replaylab-mode=all, or allow it: unplayed='allow'"]

    def _what_to_do(self) -> str:
        if not self.has_recording:
            return f"the test has no recording (run {self.run}): record it with --replaylab-mode=once"
        return (
            f"the run {self.run} has no answer to that: record what is new with --replaylab-mode=new_episodes, or all of it "
            "with --replaylab-mode=all"
        )

    @property
    def counts(self) -> Counter[str]:
        """What the test did, for the line at the end."""
        stage = self.stage
        unplayed = len(stage.session.unplayed()) if self.rule.known == "play" else 0
        counts = stage.app.counts
        return Counter(
            tests=1,
            played=counts.played,
            recorded=counts.live,
            unplayed=unplayed,
            missed=stage.session.missed,
        )

    def _seal(self) -> None:
        """What was recorded is kept, whether the test passed or not: it was paid for."""
        self.stage.server.stop()
        self.stage.session.seal()
        if self.stage.app.defects:
            raise self.stage.app.defects[0]


def _in_a_line(miss: Miss) -> str:
    parts = [f"{miss.method} {miss.path} of {miss.endpoint}: {miss.message}"]
    parts += [f"nearest {miss.nearest}"] if miss.nearest else []
    if miss.pointer:
        parts.append(
            f"differs at {miss.pointer}: recorded {in_json(miss.expected):.200}, asked {in_json(miss.observed):.200}"
        )
    return "; ".join(parts)
