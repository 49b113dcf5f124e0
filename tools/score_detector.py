"""Scores the contract check on labelled cases: precision, recall and F1 by kind, at call and at entity level.

    python -m tools.score_detector CASES [--json] [--quiet]

A line of CASES is {"env", "trajectory": [{"tool", "args", "obs"}], "target", "mode", "labels": [{"kind", "entity"}]}. Environments
are looked up in ../shared/occubench, or where REPLAYLAB_OCCUBENCH says.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

if __package__ in (None, ""):  # run as a script: the repository's root is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replaylab.diff.check import Observed, check_observations
from replaylab.diff.words.identity import name_key
from replaylab.interop.occubench.importer import to_scenarios
from replaylab.interop.occubench.source import read_source
from replaylab.schema.base import JsonObject
from replaylab.schema.fault import FaultPlan
from replaylab.schema.scenario import Environment, Task
from replaylab.schema.violation import KINDS, Violation

REPO = Path(__file__).resolve().parents[1]
Z = 1.959963984540054


class Counts(NamedTuple):
    """What was right (`tp`), what was a false alarm (`fp`), what was missed (`fn`)."""

    tp: int
    fp: int
    fn: int

    def to_json(self) -> JsonObject:
        precision, recall = _share(self.tp, self.tp + self.fp), _share(self.tp, self.tp + self.fn)
        both = None if precision is None or recall is None else precision + recall
        return {
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
            "precision": precision,
            "recall": recall,
            "f1": _share(2 * self.tp, 2 * self.tp + self.fp + self.fn) if both is not None else None,
            "precision_interval": wilson(self.tp, self.tp + self.fp),
            "recall_interval": wilson(self.tp, self.tp + self.fn),
        }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def wilson(part: int, whole: int) -> list[float] | None:
    """The 95 % Wilson interval of a share; None of nothing."""
    if not whole:
        return None
    share, bound = part / whole, Z * Z / whole
    middle = (share + bound / 2) / (1 + bound)
    half = Z * math.sqrt(share * (1 - share) / whole + bound / (4 * whole)) / (1 + bound)
    return [round(max(0.0, middle - half), 4), round(min(1.0, middle + half), 4)]


def occubench() -> Path:
    """The folder of the published data."""
    return Path(os.environ.get("REPLAYLAB_OCCUBENCH", REPO.parent / "shared" / "occubench"))


def load(folder: Path) -> dict[str, tuple[Environment, Task | None]]:
    """Every environment of the published data by name, with its task."""
    found: dict[str, tuple[Environment, Task | None]] = {}
    for scenario in to_scenarios(read_source(folder)):
        for environment in scenario.environments:
            tasks = [task for task in scenario.tasks if task.environment == environment.id]
            found[environment.id] = (environment, tasks[0] if tasks else None)
    return found


def found_in(case: JsonObject, environment: Environment, task: Task | None) -> list[Violation]:
    """What the check says of the judged observation of a case."""
    steps = [Observed(one["tool"], one.get("args") or {}, one["obs"]) for one in case["trajectory"]]
    report = check_observations(environment, task, steps, faults=asked_faults(case.get("mode", "E0")))
    return [one for one in report.findings if one.call == case["target"]]


def asked_faults(mode: str) -> FaultPlan | None:
    """The faults that the simulator of a case was asked for: E1 open, E2 hidden, E3 both, two of two calls each."""
    if mode not in ("E1", "E2", "E3"):
        return None
    return FaultPlan(
        name=mode, explicit=mode != "E2", implicit=mode != "E1", count=2, duration=2, mode="prompt"
    )


class Judged(NamedTuple):
    """A case with what was found in it."""

    case: JsonObject
    found: list[Violation]


def call_counts(judged: list[Judged], kind: str) -> Counts:
    """Whether a call has any violation of a kind."""
    pairs = [(_has(one.case, kind), any(v.kind == kind for v in one.found)) for one in judged]
    return Counts(
        sum(a and b for a, b in pairs), sum(b and not a for a, b in pairs), sum(a and not b for a, b in pairs)
    )


def entity_counts(judged: list[Judged], kind: str) -> Counts:
    """Which entities are concerned; a label without one is met by any finding of its kind."""
    total = [0, 0, 0]
    for one in judged:
        wanted = [label.get("entity") for label in one.case["labels"] if label["kind"] == kind]
        said = {name_key(v.entity) for v in one.found if v.kind == kind}
        named = {name_key(str(name)) for name in wanted if name}
        hits = len(named & said) + (1 if None in wanted and said else 0)
        total[0] += hits
        total[1] += len(said - named) if None not in wanted else 0
        total[2] += len(named - said) + (1 if None in wanted and not said else 0)
    return Counts(*total)


def _has(case: JsonObject, kind: str) -> bool:
    return any(label["kind"] == kind for label in case["labels"])


def judge(cases: list[JsonObject], environments: dict[str, tuple[Environment, Task | None]]) -> list[Judged]:
    """Every case with what is found in it. A case of an unknown environment is an error, and not left out."""
    missing = sorted({case["env"] for case in cases} - environments.keys())
    if missing:
        raise SystemExit(f"no such environment: {', '.join(missing[:5])}")
    return [Judged(case, found_in(case, *environments[case["env"]])) for case in cases]


def document(judged: list[Judged]) -> JsonObject:
    """The result as JSON."""
    return {
        "schema": "replaylab/score_detector/1",
        "cases": len(judged),
        "environments": len({one.case["env"] for one in judged}),
        "call": {kind: call_counts(judged, kind).to_json() for kind in KINDS},
        "entity": {kind: entity_counts(judged, kind).to_json() for kind in KINDS},
        "wrong": [line for one in judged for line in wrong(one)],
    }


def wrong(one: Judged) -> list[JsonObject]:
    """The misses and the false alarms of a case, each with its evidence."""
    lines = []
    for kind in KINDS:
        wanted, found = _has(one.case, kind), [v for v in one.found if v.kind == kind]
        target = one.case["trajectory"][one.case["target"]]
        base = {
            "case": one.case.get("id"),
            "env": one.case["env"],
            "kind": kind,
            "variation": one.case.get("variation", ""),
            "tool": target["tool"],
            "args": target.get("args"),
            "obs": str(target["obs"])[:400],
        }
        if wanted and not found:
            entities = [label.get("entity") for label in one.case["labels"] if label["kind"] == kind]
            lines.append({**base, "what": "missed", "entities": entities})
        elif found and not wanted:
            lines.append({**base, "what": "false alarm", "evidence": [v.message for v in found]})
    return lines


def main(argv: list[str] | None = None) -> int:
    """Print the scores; 0 whatever they are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("cases", type=Path)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--quiet", action="store_true", help="no list of misses and false alarms")
    options = parser.parse_args(argv)
    cases = [json.loads(line) for line in options.cases.read_text("utf-8").splitlines() if line.strip()]
    result = document(judge(cases, load(occubench())))
    if options.json:
        print(json.dumps(result, ensure_ascii=False, sort_keys=True))
        return 0
    print(f"{result['cases']} cases, {result['environments']} environments")
    for level in ("call", "entity"):
        for kind, row in result[level].items():
            print(f"{level:6} {kind:15} {_row(row)}")
    if not options.quiet:
        by_kind: dict[str, list[JsonObject]] = defaultdict(list)
        for line in result["wrong"]:
            by_kind[line["kind"]].append(line)
        for lines in by_kind.values():
            for line in lines:
                print(
                    f"\n{line['what']}: {line['kind']} {line['env']} {line['variation']} {line['tool']} {line['args']}"
                )
                print(f"  {line['obs']}")
                print(f"  {line.get('evidence') or line.get('entities')}")
    return 0


def _row(row: JsonObject) -> str:
    shown = " ".join(
        f"{name[0].upper()} {row[name] if row[name] is not None else '-'}"
        for name in ("precision", "recall", "f1")
    )
    return f"{shown}  (tp {row['tp']}, fp {row['fp']}, fn {row['fn']}; P {row['precision_interval']}, R {row['recall_interval']})"


if __name__ == "__main__":
    sys.exit(main())
