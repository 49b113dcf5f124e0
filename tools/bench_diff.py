"""How long contracts, checks and comparisons take on all of OccuBench; writes reports/bench_diff.{md,json}.

The recordings are made first: an agent that calls every tool in turn, 16 calls a task, and the built-in `example`
simulator under two names. Both are programs, and neither answers sensibly: this measures time and nothing else. Each
measured call is a process of its own; cold is without an index, warm the call after it.

    REPLAYLAB_OCCUBENCH=FOLDER python tools/bench_diff.py
    REPLAYLAB_OCCUBENCH=FOLDER python tools/bench_diff.py --tasks 40            # a quick look; writes no report
    REPLAYLAB_OCCUBENCH=FOLDER python tools/bench_diff.py --keep build/bench    # keeps the library there
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

if __package__ in (None, ""):  # run as a script: the repository's root is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replaylab.builtin.arguments import arguments_for
from replaylab.builtin.responder import Responder
from replaylab.cassette.tape import Lane
from replaylab.catalogue.loader import Catalogue
from replaylab.diff.contract.contract import Contract
from replaylab.engine.gate import Gate
from replaylab.engine.ledger import Order
from replaylab.engine.plan import Choice, make_spec, planned_trials
from replaylab.engine.record import Recording
from replaylab.engine.seams import real_seams
from replaylab.engine.swap import swap_plan
from replaylab.engine.trial import OpenChat
from replaylab.faults.plan import named
from replaylab.interop.occubench.importer import import_occubench
from replaylab.roles.chat import Chat
from replaylab.schema.cassette import Limits
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Environment
from replaylab.store.library import Library
from replaylab.store.processes import in_processes
from replaylab.wire.client import Chats, Outside
from replaylab.wire.endpoint import Endpoint
from replaylab.wire.redact import Redactor
from replaylab.wire.transport import ProgramTransport
from tools.bench_parts import REPO, write

CALLS = 16
AGENT = ModelSettings(alias="bench-agent", model="bench-agent", player="program")
SIMS = [
    ModelSettings(alias="bench-a", model="example", player="program", sampling={"seed": 1}),
    ModelSettings(alias="bench-b", model="example", player="program", sampling={"seed": 2}),
]
JUDGE = ModelSettings(alias="coin", model="coin", player="program")
ALL_TASKS = 10_000  # more than there are
WANTED = {"contracts": 10.0, "diff": 60.0}


def agent(body: dict[str, Any]) -> dict[str, Any]:
    """Calls the tools in turn, with arguments that their schemas allow, until it has made enough calls."""
    made = sum(one["role"] == "tool" for one in body["messages"])
    tools = [one["function"] for one in body["tools"]]
    for at in range(len(tools)):
        tool = tools[(made + at) % len(tools)]
        arguments = arguments_for(tool["parameters"], {})
        if made < CALLS and arguments is not None:
            function = {"name": tool["name"], "arguments": json.dumps(arguments)}
            return {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": f"call-{made}", "type": "function", "function": function}],
            }
    return {"role": "assistant", "content": "Done."}


def respond(responder: Responder) -> Callable[[str, bytes], Any]:
    """The built-in models, and the agent above."""

    def answer(path: str, data: bytes) -> Any:
        body = json.loads(data)
        if body["model"] != AGENT.model:
            return responder.respond(path, data)
        choice = {"index": 0, "message": agent(body), "finish_reason": "stop"}
        whole = {"id": "bench", "object": "chat.completion", "model": AGENT.model, "choices": [choice]}
        return 200, {"content-type": "application/json"}, [json.dumps(whole).encode()]

    return answer


def chats(gate: Gate, responder: Responder) -> OpenChat:
    """Chats with programs of this process, through the SDK and the transport."""
    outside = Outside(
        ProgramTransport(respond(responder)), Redactor(), gate, lambda: 0.0, lambda: 0.0, lambda seconds: None
    )
    endpoints = {one.alias: Endpoint(one, "http://built-in.invalid/v1") for one in (AGENT, *SIMS, JUDGE)}
    opened = Chats(endpoints, outside)

    def open_chat(lane: Lane, settings: ModelSettings) -> Chat:
        return opened.open(lane, settings)

    return open_chat


def make(root: Path, catalogue: Catalogue, tasks: int) -> None:
    """Record every task under one simulator, and put the same calls to the other."""
    library, gate = Library(root), Gate(1)
    open_chat = chats(gate, Responder(catalogue))
    names = [task.id for task in catalogue.tasks][:tasks]
    choice = Choice([AGENT], SIMS[:1], [JUDGE], [named("E0")], names, 1, Limits(votes=1))
    spec = make_spec(choice, catalogue, lambda value: value)
    first = Order("bench", spec, planned_trials(spec, catalogue, lambda value: value), jobs=1)
    Recording(library, first, open_chat=open_chat, gate=gate, seams=real_seams()).run()
    swapped, planned = swap_plan(library, *library.run("bench"), "simulator", SIMS[1])
    other = Order("bench.lockstep", swapped, planned, jobs=1)
    Recording(library, other, open_chat=open_chat, gate=gate, seams=real_seams()).run()


def analyse(environment: Environment) -> int:
    """All that a detector knows of an environment before it sees an observation."""
    contract = Contract(environment)
    shown = sum(len(contract.shown_by(tool)) for tool in environment.tools)
    known = sum(contract.universe.known(key) is not None for one in contract.collections for key in one.keys)
    told = len(contract.sentences) + len(contract.errors) + (contract.open_clause is not None)
    return known + told + shown


def contracts(environments: list[Environment], jobs: int) -> dict[str, float]:
    """Seconds for the contracts of all environments in so many processes, starting them included."""
    before, begun = _cpu(), time.perf_counter()
    known = sum(in_processes(analyse, environments, jobs, at_once=16))
    return {"wall_s": time.perf_counter() - begun, "cpu_s": _cpu() - before, "known": known}


def called(library: Path, scratch: Path, *words: str) -> dict[str, float]:
    """Seconds of one command."""
    asked = [sys.executable, "-m", "replaylab", "--library", str(library), *words]
    before, begun = _cpu(), time.perf_counter()
    with (scratch / "out").open("wb") as out, (scratch / "err").open("wb") as err:
        code = subprocess.run(
            asked,
            stdout=out,
            stderr=err,
            cwd=scratch,
            check=False,
            env={**os.environ, "PYTHONPATH": str(REPO)},
        ).returncode
    taken = {"wall_s": time.perf_counter() - begun, "cpu_s": _cpu() - before}
    if code not in (0, 1):
        raise SystemExit(f"{' '.join(words)} ended with {code}:\n{(scratch / 'err').read_text()[-2000:]}")
    return taken


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measure(root: Path, environments: list[Environment], jobs: int, scratch: Path) -> dict[str, Any]:
    """Everything that is measured."""
    rows: dict[str, Any] = {"contracts": contracts(environments, jobs)}
    for name, words in (
        ("diff", ("diff", "--run", "bench", "--json", "--jobs", str(jobs))),
        ("diff, one process", ("diff", "--run", "bench", "--json", "--jobs", "1")),
        ("diff, as text", ("diff", "--run", "bench", "--jobs", str(jobs))),
    ):
        rows[name] = called(root, scratch, *words)
        if name == "diff":
            rows["counts"] = json.loads((scratch / "out").read_text(encoding="utf-8"))["counts"]
    (root / "index.db").unlink(missing_ok=True)
    check = ("check", "bench", "bench.lockstep", "--json", "--jobs", str(jobs))
    rows["check, cold"] = called(root, scratch, *check)
    rows["check, warm"] = called(root, scratch, *check)
    return rows


def main() -> None:
    """Measure, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--tasks", type=int, default=ALL_TASKS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="where the library is made and stays")
    given = parser.parse_args()
    source = os.environ.get("REPLAYLAB_OCCUBENCH")
    if not source:
        raise SystemExit("set REPLAYLAB_OCCUBENCH to the folder of the published data")
    scratch = Path(tempfile.mkdtemp())
    try:
        import_occubench(Path(source), scratch / "scenarios")
        catalogue = Catalogue.load([scratch / "scenarios"])
        root = given.keep or scratch / "library"
        if not Library(root).exists():
            make(root, catalogue, given.tasks)
        environments = list(catalogue.environments)
        rows = measure(root, environments, given.jobs, scratch)
    finally:
        shutil.rmtree(scratch)
    report(rows, len(environments), given.jobs, whole=given.tasks >= ALL_TASKS)


def report(rows: dict[str, Any], environments: int, jobs: int, *, whole: bool) -> None:
    """The page of the measurement."""
    counts = rows["counts"]
    shown = [
        [name, f"{one['wall_s']:.1f}", f"{one['cpu_s']:.1f}"]
        for name, one in rows.items()
        if name != "counts"
    ]
    how = (
        f"`python tools/bench_diff.py` writes this page: the contracts of {environments} environments of OccuBench, and "
        f"{counts['trials']} trials of {counts['rows']} calls, each put to two simulators, in {jobs} processes. Both "
        "simulators are one program, `example`, which knows no state: the differences that it makes mean nothing. On a "
        f"busy machine the CPU seconds say more than the seconds; the load average was {os.getloadavg()[0]:.0f}."
    )
    compared = [
        [name, f"under {limit:.0f} s", f"{rows[name]['wall_s']:.1f} s", f"{rows[name]['cpu_s']:.1f} s"]
        for name, limit in WANTED.items()
    ]
    write(
        "bench_diff",
        "Speed of checks and comparisons",
        how,
        [
            ("Measured", ("what", "seconds", "CPU seconds"), shown),
            (
                "Wanted and measured",
                ("what", "wanted on two free cores", "measured", "of CPU time"),
                compared,
            ),
        ],
        {"rows": rows, "environments": environments, "jobs": jobs},
        whole=whole,
    )


if __name__ == "__main__":
    main()
