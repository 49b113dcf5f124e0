"""Makes the run `published-cases`: the three failures of simulators that a study published, rebuilt as small cases.

The study describes them in words: exam rooms that were never configured, a roster that leaves out the one person who
fits, a return that is refused by a date that nobody knows. The environments, tasks and answers in `tools/published/` are
our own and carry the same failures. Nothing in them was recorded: `gemini` and `gpt` are the aliases of simulators that
never were asked, so each lane is marked as authored, and no table counts the run as evidence.

    python tools/published_cases.py             # into cassettes/; the same files give the same bytes
    python tools/published_cases.py --library DIR
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):  # run as a script: the repository's root is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replaylab.canonical import parse_strict
from replaylab.engine.plan import this_engine
from replaylab.faults.plan import named
from replaylab.interop.transcript.meaning import Said, Transcript
from replaylab.interop.transcript.run import make_run_of
from replaylab.roles.chat import canonical_text
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.model import ModelSettings
from replaylab.schema.run import Run
from replaylab.schema.scenario import Environment, Task
from replaylab.store.library import Library

NAME = "published-cases"
CREATED = "2026-01-01T00:00:00.000Z"
MADE_BY = (
    "0.1.0"  # the version that a cassette names, so that a new one does not change cassettes that were cited
)
CASES = ("clinic", "roster", "returns")
FOLDER = Path(__file__).resolve().parent / "published"
ROOT = Path(__file__).resolve().parents[1]
SOURCE = "rebuilt-from-a-published-description"


def player(alias: str) -> ModelSettings:
    """A role of these cases. Nobody played it; a program put in what somebody wrote."""
    return ModelSettings(alias=alias, model=SOURCE, player="program")


def transcripts() -> list[Transcript]:
    """The six conversations: each case with either simulator."""
    found = []
    for case in CASES:
        data = parse_strict((FOLDER / f"{case}.json").read_bytes())
        found += [_transcript(case, data, simulator) for simulator in data["trajectories"]]
    return found


def _transcript(case: str, data: JsonObject, simulator: str) -> Transcript:
    scenario = ScenarioFacts.model_validate(data["scenario"])
    environment = Environment.model_validate(data["environment"])
    task = {**data["task"], "scenario": scenario.id, "environment": environment.id}
    said = data["trajectories"][simulator]
    return Transcript(
        where=f"{case}.json",
        agent=player("agent"),
        simulator=player(simulator),
        faults=named("E0"),
        scenario=scenario,
        environment=environment,
        task=Task.model_validate(task),
        steps=tuple(
            Said("", step["tool"], canonical_text(step["arguments"]), canonical_text(step["observation"]))
            for step in said["steps"]
        ),
        answer=said["answer"],
        trial=0,
        created=CREATED,
    )


def make() -> tuple[Run, list[bytes]]:
    """The run object and the bytes of its cassettes."""
    engine = this_engine().model_copy(update={"replaylab": MADE_BY})
    run, made = make_run_of(NAME, transcripts(), "authored", engine)
    return run, [data for data, _ in made]


def write(library: Library) -> str:
    """Write the run into a library; the run id."""
    run, cassettes = make()
    with library.lock(NAME):
        for data in cassettes:
            library.put(data, "cassette")
        run_id = library.put_run(run)
        library.set_ref(NAME, run_id)
    return run_id


def main() -> None:
    """Make the run and say its id."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--library", type=Path, default=ROOT / "cassettes")
    print(f"run {NAME}  {write(Library(parser.parse_args().library))}")


if __name__ == "__main__":
    main()
