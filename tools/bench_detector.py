"""Measures the contract check with the violating twins; writes reports/bench_detector.{md,json}.

    python -m tools.bench_detector [--list [--held-out]] [--worlds FOLDER] [--scenario ID ...] [--jobs N]

Every shipped task is recorded, clean, with several agents and each violating twin, and with the faithful twin under E0 to
E3. The check reads the observations, the labels of the cassettes say what was seeded, and both are compared call by call.
A third of the scenarios is held out by the digest of their ids, so that rules can be tuned on the others: `--list` shows
every miss and false alarm of the tuned part alone. `--worlds` measures the scenarios of a folder instead, such as
tests/diff/worlds, which are there to find rules with; then no report is written.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from replaylab.builtin.responder import Responder
from replaylab.canonical import digest, digest_bytes
from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.derive.verdict import derive
from replaylab.diff.trial import answered_at, check_trajectory
from replaylab.engine.gate import Gate
from replaylab.engine.ledger import Order
from replaylab.engine.plan import Choice, make_spec, planned_trials
from replaylab.engine.record import Recording
from replaylab.engine.seams import real_seams
from replaylab.engine.trial import OpenChat
from replaylab.faults.plan import named
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.callpath import CallPath
from replaylab.schema.cassette import Limits, key_of
from replaylab.schema.model import ModelSettings
from replaylab.schema.seeded import SEEDED, Seeded
from replaylab.schema.violation import KINDS, Covered, Violation
from replaylab.store.library import Library
from replaylab.wire.client import Chats, Outside
from replaylab.wire.endpoint import Endpoint
from replaylab.wire.redact import Redactor
from replaylab.wire.transport import ProgramTransport
from tools.bench_detector_page import page, worlds_page
from tools.score_detector import Judged, call_counts, entity_counts, wrong

REPO = Path(__file__).resolve().parents[1]
REPORTS = REPO / "reports"
AGENTS = ("scripted:careful", "scripted:hasty", "scripted:greedy", "scripted:explorer")
VIOLATING = ("twin+fabricate", "twin+omit", "twin+invent", "twin+contradict")
PLANS = ("E0", "E1", "E2", "E3")
TUNED, HELD_OUT, WORLDS = "tuned", "held out", "worlds"
# kind: least precision and recall on the held-out scenarios.
TARGETS = {"fabrication": (0.95, 0.95), "omission": (0.95, 0.95), "rule_invention": (0.9, 0.8)}


class Call(NamedTuple):
    """One call of a trial: where, what was seeded into its observation, and what the check found in it."""

    scenario: str
    environment: str
    simulator: str
    faults: str
    path: str
    tool: str
    arguments: JsonObject
    observation: Json
    history: str
    seeded: tuple[Seeded, ...]
    found: tuple[Violation, ...]

    def judged(self) -> Judged:
        """The call in the form that `score_detector` counts and lists."""
        case = {
            "id": self.path,
            "env": self.environment,
            "variation": ", ".join(sorted({one.shape for one in self.seeded})) or "nothing seeded",
            "trajectory": [{"tool": self.tool, "args": self.arguments, "obs": self.observation}],
            "target": 0,
            "labels": [{"kind": one.kind, "entity": one.entity or None} for one in self.seeded],
        }
        return Judged(case, [one for one in self.found if not self._follows(one)])

    def _follows(self, one: Violation) -> bool:
        """Whether a contradiction says no more than that an invented name stands where the true one should."""
        places = {seed.pointer for seed in self.seeded if seed.kind != one.kind}
        return one.kind == "contradiction" and one.pointer in places


def is_held_out(scenario: str) -> bool:
    """Whether a scenario belongs to the third that no rule is tuned on: by its id alone."""
    return int(digest_bytes(scenario.encode())[:8], 16) % 3 == 0


def belongs(scenario: str, part: str) -> bool:
    """Whether a scenario belongs to a part; whatever was measured is the one part `WORLDS`."""
    return part == WORLDS or (part == HELD_OUT) == is_held_out(scenario)


def record(
    root: Path,
    catalogue: Catalogue,
    tasks: Sequence[str],
    agents: Sequence[str],
    trusted: Path | None = None,
) -> Library:
    """Two runs in a library at `root`: `violating`, and `faithful` under all fault plans; with the twins of a folder."""
    library, redactor = Library(root), Redactor()
    for name, simulators, plans in (("violating", VIOLATING, ("E0",)), ("faithful", ("twin",), PLANS)):
        choice = Choice(
            agents=_programs(agents),
            simulators=_programs(simulators),
            verifiers=_programs(["rubric"]),
            faults=[named(plan) for plan in plans],
            tasks=tasks,
            trials=1,
            limits=Limits(votes=1),
        )
        spec = make_spec(choice, catalogue, redactor.value)
        planned = planned_trials(spec, catalogue, redactor.value)
        gate = Gate(1)
        order = Order(name, spec, planned, jobs=1)
        chats = _chats(catalogue, trusted, gate, redactor)
        Recording(library, order, open_chat=chats, gate=gate, seams=real_seams()).run()
    return library


def _programs(names: Sequence[str]) -> list[ModelSettings]:
    return [ModelSettings(alias=name, model=name, player="program") for name in names]


def _chats(catalogue: Catalogue, trusted: Path | None, gate: Gate, redactor: Redactor) -> OpenChat:
    transport = ProgramTransport(Responder(catalogue, [trusted or shipped()]).respond)
    outside = Outside(transport, redactor, gate, lambda: 0.0, lambda: 0.0, lambda seconds: None)
    names = (*AGENTS, *VIOLATING, "twin", "rubric")
    endpoints = {one.alias: Endpoint(one, "http://built-in.invalid/v1") for one in _programs(names)}
    return Chats(endpoints, outside).open


class Measured(NamedTuple):
    """All calls, and what could be checked in them: (scenario, row)."""

    calls: list[Call]
    coverage: list[tuple[str, Covered]]
    trials: int


def measure(scenarios: Sequence[str], jobs: int = 1, folder: Path | None = None) -> Measured:
    """Record and check the tasks of these scenarios, in so many processes. The result is the same for any number."""
    measured = partial(measure_scenario, folder=folder)
    if jobs == 1 or len(scenarios) == 1:
        parts = list(map(measured, scenarios))
    else:
        with ProcessPoolExecutor(jobs) as pool:
            parts = list(pool.map(measured, scenarios))
    return Measured(
        calls=[call for part in parts for call in part.calls],
        coverage=[row for part in parts for row in part.coverage],
        trials=sum(part.trials for part in parts),
    )


def measure_scenario(scenario: str, folder: Path | None = None) -> Measured:
    """One scenario alone, of a folder or of the shipped ones."""
    catalogue = Catalogue.load([folder or shipped()])
    tasks = [task.id for task in catalogue.tasks if catalogue.task(task.id).scenario.id == scenario]
    if not tasks:
        raise SystemExit(f"there is no scenario {scenario}")
    with tempfile.TemporaryDirectory() as root:
        return measure_library(record(Path(root), catalogue, tasks, AGENTS, folder))


def measure_library(library: Library) -> Measured:
    """The calls of every trial. A trial that ended in an error stops the measurement: it would hide calls.

    What was said after the same history counts once: agents begin alike, and a twin answers equal requests equally.
    """
    calls: dict[tuple[bool, str], Call] = {}
    coverage: list[tuple[str, Covered]] = []
    trials = 0
    for name in ("violating", "faithful"):
        for entry in library.run(name)[1].ledger:
            if entry.counting is None:
                raise SystemExit(f"{entry.key} was not recorded")
            cassette = open_cassette(library, entry.counting.cassette)
            trials += 1
            found, rows = _calls(cassette)
            for call in found:
                calls.setdefault((call.simulator == "twin", call.history), call)
            coverage += [(cassette.header.scenario.id, row) for row in rows]
    return Measured(list(calls.values()), coverage, trials)


def _calls(cassette: Cassette) -> tuple[list[Call], tuple[Covered, ...]]:
    header, lane = cassette.header, cassette.lanes.get("simulator", ())
    trajectory = derive(header, cassette.lanes).trajectory
    if trajectory.termination not in ("answered", "step_limit"):
        raise SystemExit(f"{header.subject.condition}/{header.subject.task} ended with {trajectory.error}")
    report = check_trajectory(header, trajectory, lane)
    seeded: dict[str, list[Seeded]] = {}
    for label in cassette.labels:
        if label.kind == SEEDED:
            seeded.setdefault(label.path, []).append(Seeded.model_validate(label.value))
    found: dict[str, list[Violation]] = {}
    for one in report.findings:
        found.setdefault(one.path, []).append(one)
    actions = [action for action in trajectory.actions if action.by == "simulator"]
    paths = [str(CallPath(key_of(header), "simulator", at)) for at in answered_at(header, actions, lane)]
    lost = (seeded.keys() | found.keys()) - set(paths)
    if lost:
        raise SystemExit(f"no call belongs to {min(lost)}")
    calls: list[Call] = []
    history = digest({"environment": header.environment.id})
    for path, action in zip(paths, actions, strict=True):
        said = {"tool": action.tool, "arguments": action.arguments, "observation": action.clean}
        history = digest({"after": history, **said})
        calls.append(
            Call(
                scenario=header.scenario.id,
                environment=header.environment.id,
                simulator=header.players["simulator"].alias,
                faults=header.faults.name,
                path=path,
                tool=action.tool,
                arguments=action.arguments or {},
                observation=action.clean,
                history=history,
                seeded=tuple(seeded.get(path, ())),
                found=tuple(found.get(path, ())),
            )
        )
    return calls, report.coverage.rows


def document(measured: Measured, names: Sequence[str] = (TUNED, HELD_OUT)) -> JsonObject:
    """The result as JSON: figures by part, shapes, the faithful twin, and whether the targets are met."""
    parts: dict[str, JsonObject] = {}
    for part in names:
        calls = [one for one in measured.calls if belongs(one.scenario, part)]
        judged = [one.judged() for one in calls]
        parts[part] = {
            "scenarios": len({one.scenario for one in calls}),
            "calls": len(calls),
            "seeded_calls": sum(bool(one.seeded) for one in calls),
            "call": {kind: call_counts(judged, kind).to_json() for kind in KINDS},
            "entity": {kind: entity_counts(judged, kind).to_json() for kind in KINDS},
            "shapes": _shapes(calls),
            "coverage": _coverage(row for where, row in measured.coverage if belongs(where, part)),
        }
    faithful = [one for one in measured.calls if one.simulator == "twin"]
    targets = missed_targets(parts[HELD_OUT]["call"]) if HELD_OUT in parts else ()
    return {
        "schema": "replaylab/bench_detector/1",
        "trials": measured.trials,
        "calls": len(measured.calls),
        "parts": parts,
        "faithful": {"calls": len(faithful), "violations": sum(len(one.found) for one in faithful)},
        "missed_targets": list(targets),
    }


def missed_targets(figures: JsonObject) -> Iterator[str]:
    """What the held-out part does not reach, in words."""
    for kind, (precision, recall) in TARGETS.items():
        for name, least in (("precision", precision), ("recall", recall)):
            value = figures[kind][name]
            if value is None or value < least:
                yield f"{kind}: {name} {value}, wanted {least}"


def _shapes(calls: Sequence[Call]) -> JsonObject:
    """By kind and shape: in how many calls it was seeded, and in how many of them the check found that kind."""
    found: dict[str, list[int]] = {}
    for one in calls:
        kinds = {violation.kind for violation in one.found}
        for kind, shape in sorted({(seed.kind, seed.shape) for seed in one.seeded}):
            row = found.setdefault(f"{kind}/{shape}", [0, 0])
            row[0] += 1
            row[1] += kind in kinds
    return {name: {"seeded": row[0], "found": row[1]} for name, row in sorted(found.items())}


def _coverage(rows: Iterator[Covered]) -> JsonObject:
    """By kind: how many calls could be checked, of how many."""
    found: dict[str, list[int]] = {kind: [0, 0] for kind in KINDS}
    for row in rows:
        found[row.kind][0] += row.calls
        found[row.kind][1] += row.checked
    return {kind: {"calls": row[0], "checked": row[1]} for kind, row in found.items()}


def errors(measured: Measured, part: str) -> Iterator[JsonObject]:
    """Every miss and false alarm of a part, with its evidence."""
    for call in measured.calls:
        if belongs(call.scenario, part):
            seeds = [one.to_json() for one in call.seeded]
            yield from (line | {"case": call.path, "seeded": seeds} for line in wrong(call.judged()))


def false_alarms(measured: Measured) -> JsonObject:
    """By what was seeded: in how many calls of violating twins, and in how many of them another kind was found too."""
    rows: dict[str, list[int]] = {}
    for call in measured.calls:
        if call.simulator != "twin":
            judged = call.judged()
            kinds = {one.kind for one in judged.found} - {one.kind for one in call.seeded}
            for name in {f"{one.kind}/{one.shape}" for one in call.seeded} or {"nothing seeded"}:
                row = rows.setdefault(name, [0, 0])
                row[0] += 1
                row[1] += bool(kinds)
    return {name: {"calls": row[0], "false": row[1]} for name, row in sorted(rows.items())}


def measure_worlds(folder: Path, options: argparse.Namespace) -> int:
    """Measure and show the scenarios of a folder; 1 when the faithful twin was accused."""
    scenarios = options.scenario or [one.id for one in Catalogue.load([folder]).scenarios]
    measured = measure(scenarios, options.jobs, folder)
    if options.list:
        _show(errors(measured, WORLDS))
    result = document(measured, (WORLDS,)) | {"false_alarms": false_alarms(measured)}
    print(worlds_page(result))
    return int(bool(result["faithful"]["violations"]))


def _show(lines: Iterator[JsonObject]) -> None:
    for line in lines:
        print(json.dumps(line, ensure_ascii=False, sort_keys=True))


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and write; 1 when a target is missed or the faithful twin was accused."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument(
        "--list", action="store_true", help="each miss and false alarm of the tuned part, as JSON lines"
    )
    parser.add_argument("--held-out", action="store_true", help="with --list: those of the held-out part")
    parser.add_argument("--scenario", action="append", default=[], help="only this one; no report is written")
    parser.add_argument(
        "--worlds", type=Path, help="the scenarios of this folder, whose twins are run; no report is written"
    )
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    options = parser.parse_args(argv)
    if options.worlds:
        return measure_worlds(options.worlds, options)
    scenarios = options.scenario or [one.id for one in Catalogue.load([shipped()]).scenarios]
    measured = measure(scenarios, options.jobs)
    if options.list:
        _show(errors(measured, HELD_OUT if options.held_out else TUNED))
        return 0
    result = document(measured)
    text = page(result)
    if not options.scenario:
        REPORTS.mkdir(exist_ok=True)
        (REPORTS / "bench_detector.json").write_text(
            json.dumps(result, indent=2, sort_keys=True) + "\n", encoding="utf-8"
        )
        (REPORTS / "bench_detector.md").write_text(text, encoding="utf-8", newline="\n")
    print(text)
    return int(bool(result["missed_targets"] or result["faithful"]["violations"]))


if __name__ == "__main__":
    sys.exit(main())
