"""Observations of recorded simulators as cases for `tools/score_detector.py`, without labels: those are made by hand.

    python tools/real_cases.py LIBRARY RUN... > cases.jsonl

A case is an observation of the simulator that a run recorded, with what it had said before in the same trial. Its `id`
is TASK/SIMULATOR/CALL. A call that the engine answered itself is none.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __package__ in (None, ""):  # run as a script: the repository's root is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.derive.trajectory import trajectory_of
from replaylab.schema.callpath import Condition
from replaylab.store.library import Library


def cases_of(cassette: Cassette) -> Iterator[dict[str, Any]]:
    """The observations of one trial, in call order."""
    header = cassette.header
    simulator = Condition.parse(header.subject.condition).simulator
    steps: list[dict[str, Any]] = []
    for action in trajectory_of(header, cassette.lanes).actions:
        if action.by != "simulator":
            continue
        steps.append({"tool": action.tool, "args": action.arguments, "obs": action.clean})
        yield {
            "id": f"{header.task.id}/{simulator}/{len(steps) - 1}",
            "env": header.environment.id,
            "target": len(steps) - 1,
            "mode": "E0",
            "trajectory": list(steps),
            "labels": [],
        }


def main() -> None:
    """Print the cases of the runs, in the order of their ledgers."""
    library = Library(Path(sys.argv[1]))
    for name in sys.argv[2:]:
        for entry in library.run(name)[1].ledger:
            if entry.counting:
                for case in cases_of(open_cassette(library, entry.counting.cassette)):
                    print(json.dumps(case, ensure_ascii=False))


if __name__ == "__main__":
    main()
