"""What the simulators of some runs answered, trial by trial, with the contract check of each.

Both are kept in the index: the check as `check` keeps it, and beside it what only report cards ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from replaylab.canonical import dumps
from replaylab.cassette.codec import Cassette
from replaylab.cassette.derived import Deriving, derived_values
from replaylab.derive.answers import Answers
from replaylab.diff.reading import CheckedTrial, checked_cassettes
from replaylab.diff.trial import LANE
from replaylab.roles.parsing import PARSER_VERSION
from replaylab.schema.base import Frozen
from replaylab.schema.cassette import Evidence, Provenance, ScenarioFacts
from replaylab.schema.model import ModelSettings
from replaylab.schema.violation import CheckReport
from replaylab.score.derive_facts import FACTS_VERSION, spent_of
from replaylab.score.facts import Spent
from replaylab.store.library import Library

KIND = "answers/1"
VERSION = f"{PARSER_VERSION}/{FACTS_VERSION}/1"
Progress = Callable[[int, int], None]


class Asked(Frozen):
    """What a cassette says of its simulator's lane besides the check: who answered, and what that took.

    `source` names the cassette that the lane was copied from, "" where it was recorded here. `latencies` are the
    milliseconds of its answers.
    """

    cassette: str
    scenario: ScenarioFacts
    simulator: ModelSettings
    evidence: Evidence
    source: str = ""
    spent: Spent = Spent()
    latencies: tuple[float, ...] = ()


class Answered(NamedTuple):
    """What the simulator of one trial answered, with the contract check of it."""

    asked: Asked
    checked: CheckedTrial

    @property
    def cassette(self) -> str:
        return self.asked.cassette

    @property
    def key(self) -> str:
        return self.checked.address

    @property
    def scenario(self) -> ScenarioFacts:
        return self.asked.scenario

    @property
    def task(self) -> str:
        return self.checked.task

    @property
    def report(self) -> CheckReport:
        return self.checked.report

    @property
    def broke(self) -> bool:
        """Whether it gave no answer that could be used, and so ended the trial."""
        return self.checked.termination == "simulator_error"


def answered(
    library: Library,
    names: Iterable[str],
    *,
    jobs: int = 1,
    progress: Progress = lambda done, planned: None,
) -> dict[str, Answered]:
    """The answers in these cassettes, by cassette in the order given. Nothing depends on `jobs`, a number of processes."""
    wanted = list(dict.fromkeys(names))
    checks = checked_cassettes(library, wanted, jobs=jobs, progress=progress)
    how = Deriving(KIND, VERSION, _text_of, _fits)
    texts = derived_values(library, wanted, how, jobs=jobs).by_name
    return {
        name: Answered(Asked.model_validate_json(texts[name]), one)
        for name, one in zip(wanted, checks, strict=True)
    }


def counting(library: Library, runs: Sequence[str] = ()) -> dict[str, str]:
    """The cassettes that count in these runs, each with its trial key; of every run of the library for none."""
    found: dict[str, str] = {}
    for name in runs or library.trial_refs():
        for entry in library.trial_run(name)[1].ledger:
            if entry.counting is not None:
                found.setdefault(entry.counting.cassette, entry.key)
    return found


def asked_of(cassette: Cassette) -> Asked:
    """What one cassette says of it."""
    header, read = cassette.header, Answers()
    lane = cassette.lanes.get(LANE, ())
    origin = header.lanes.get(LANE, Provenance())
    return Asked(
        cassette=cassette.name,
        scenario=header.scenario,
        simulator=header.players[LANE],
        evidence="recorded" if origin.how == "copied" else origin.how,
        source=origin.source or "",
        spent=spent_of([(row, read.of(row)) for row in lane]),
        latencies=tuple(row.final.latency_ms for row in lane if row.final.status),
    )


def _text_of(cassette: Cassette) -> str:
    return dumps(asked_of(cassette).to_json()).decode()


def _fits(name: str, text: str) -> bool:
    try:
        return Asked.model_validate_json(text).cassette == name
    except ValueError:
        return False
