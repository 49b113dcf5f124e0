"""`replay --rerun-agent`: agents of the user's own run again, offline, and are held to what they did."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import nullcontext
from functools import cache
from typing import NoReturn

from replaylab.cassette.tape import Lane
from replaylab.cli.agents import starts_of
from replaylab.cli.app import App
from replaylab.cli.output import counted
from replaylab.cli.progress import Progress
from replaylab.cli.recorded import nothing_recorded
from replaylab.cli.stage import redactor_of
from replaylab.engine.replay import Replayed, played_chat, replay_run
from replaylab.engine.trial import OpenChat
from replaylab.errors import OfflineError, UsageError
from replaylab.foreign.chat import Around, ForeignChat, Starts
from replaylab.foreign.named import is_name, recorded_name
from replaylab.foreign.python import load_python
from replaylab.roles.chat import Chat
from replaylab.schema.callpath import escape
from replaylab.schema.model import PYTHON, ModelSettings
from replaylab.schema.run import Run
from replaylab.store.library import Library
from replaylab.wire.handed import Way
from replaylab.wire.offline import refuse_network


def rerun(app: App, library: Library, run: Run) -> Replayed:
    """Replay a run with its agents at work. Raises UsageError where it has none that can be run again."""
    if not any(entry.tries for entry in run.ledger):
        raise nothing_recorded(app, run)
    if not any(is_name(recorded_name(agent)[0]) for agent in run.spec.agents):
        raise UsageError(
            f"no agent of the run {run.name!r} is one of your own, so there is nothing to run again",
            fix=f"{app.again(f'replay {run.name} --offline')} compares everything else",
        )
    refuse_network()
    with Progress(f"rerun {run.name}", err=app.output.err) as bar:
        return replay_run(library, run, open_chat=_opener(app), progress=bar.update_counts)


def told(app: App, run: Run, result: Replayed) -> Iterator[str]:
    """Which agents ran, and whether they are what was recorded."""
    for agent in run.spec.agents:
        name, version = recorded_name(agent)
        if not is_name(name):
            continue
        trials = sum(trial.key.partition(",")[0] == escape(agent.alias) for trial in result.trials)
        yield f"{agent.alias} ran again in {counted(trials, 'trial')}"
        if name.startswith(PYTHON) and not load_python(name, app.cwd)[1].startswith(version):
            yield f"{agent.alias} is not what was recorded: its source has changed since"


def _opener(app: App) -> OpenChat:
    def clock_ms() -> float:
        return time.monotonic() * 1000

    redactor = redactor_of(app)
    way = Way(_nowhere, redactor, nullcontext(), clock_ms, time.time, time.sleep)
    around = Around(redactor, clock_ms)

    @cache
    def starts(model: str, alias: str) -> Starts:
        return starts_of(app, ModelSettings(alias=alias, model=model, player="own"), way)

    def open_chat(lane: Lane, settings: ModelSettings) -> Chat:
        if lane.name != "agent" or not is_name(recorded_name(settings)[0]):
            return played_chat(lane, settings)
        return ForeignChat(lane, settings, starts(settings.model, settings.alias), around)

    return open_chat


def _nowhere(model: str) -> NoReturn:
    raise OfflineError(f"the agent asks the model {model!r}, and offline nobody is asked")
