"""The summary of a recording: what stands beside verdicts, what it cost, and what comes next."""

from __future__ import annotations

import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from replaylab.cli.app import App
from replaylab.cli.output import Output
from replaylab.cli.recorded import ledger_line, programs, show_recorded
from replaylab.engine.gate import Totals
from replaylab.engine.ledger import Order
from replaylab.engine.record import Recorded
from replaylab.schema.run import Run
from replaylab.store.library import Library


@pytest.fixture
def run(study: Path) -> Run:
    return Library(study).run("study")[1]


def told(run: Run, **fields: Any) -> tuple[int, str]:
    """(exit code, text) of a recording that came to `run`."""
    base: dict[str, Any] = {"new": 1, "resumed": 0, "in_progress": 0, "totals": Totals(calls=3)}
    recorded = Recorded("f" * 64, run, **(base | fields))
    app = App({}, Path("/here"))
    app.output = Output("record", json=False, out=io.StringIO(), err=io.StringIO())
    code = show_recorded(app, recorded, Order(run.name, run.spec, ()))
    assert isinstance(app.output.out, io.StringIO)
    return code, app.output.out.getvalue()


def test_errors_and_missing_trials_stand_beside_verdicts() -> None:
    counts = {"planned": 9, "recorded": 5, "pass": 2, "fail": 1, "error": 1, "missing": 3}
    assert ledger_line(counts) == "9 planned, 5 recorded (2 pass, 1 fail, 2 unjudged), 1 error, 3 missing"


def test_an_unknown_cost_is_said(run: Run) -> None:
    assert "0 in + 0 out tokens, cost unknown\n" in told(run, totals=Totals(calls=3, unpriced=1))[1]
    assert "tokens, $0.2500\n" in told(run, totals=Totals(calls=3, cost=Decimal("0.25")))[1]


def test_retries_and_failures_are_named_where_there_are_any(run: Run) -> None:
    assert ", 3 calls, " in told(run)[1]
    assert ", 3 calls (1 retry, 2 failures), " in told(run, totals=Totals(calls=3, retries=1, failed=2))[1]


def test_resumed_trials_are_told(run: Run) -> None:
    assert "now: 2 trials sealed, 1 resumed, 3 calls" in told(run, new=2, resumed=1)[1]


def test_a_stop_ends_with_1_and_an_interrupt_with_130(run: Run) -> None:
    assert told(run)[0] == 0
    assert told(run, stopped="--max-cost 5 is reached")[0] == 1
    code, text = told(run, stopped="interrupted", interrupted=True, in_progress=2)
    assert code == 130
    assert "stopped: interrupted; what 2 begun trials answered is kept. The same command goes on." in text


def test_who_played_is_said_only_for_programs(run: Run) -> None:
    assert programs(run) == ["Played by programs, not LLMs: rubric, scripted:careful, scripted:greedy, twin"]
    llm = run.spec.agents[0].model_copy(update={"alias": "far", "player": "llm"})
    spec = run.spec.model_copy(update={"agents": (llm,)})
    assert programs(run.model_copy(update={"spec": spec})) == ["Played by programs, not LLMs: rubric, twin"]
    assert run.model_copy(update={"spec": spec}).players["far"] == "llm"
