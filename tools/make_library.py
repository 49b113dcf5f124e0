"""Makes a large library that nobody played, to measure `score` on: the size and shape of the published study.

15 agents, 382 tasks of 98 scenarios in ten industries, four fault plans, three simulators, about 33 calls a trial. Its
verdicts come from a seeded model of abilities and difficulties and say nothing about anything; every lane is marked as
authored and every text says so.

    python tools/make_library.py build/large --trials 30000 --jobs 2
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

if __package__ in (None, ""):  # run as a script: the repository's root is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replaylab.faults.plan import named
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Tool
from replaylab.store.library import Library
from tools.authored import SAYS, AuthoredTask, AuthoredTrial, Cast, Said, author, authored_task

# Industry -> (scenarios, tasks), as published.
INDUSTRIES = {
    "Agriculture & Environment": (6, 31),
    "Business & Enterprise": (19, 63),
    "Commerce & Consumer": (9, 36),
    "Education & Culture": (8, 32),
    "Healthcare & Life Sciences": (7, 21),
    "Industrial & Engineering": (11, 55),
    "Public Service & Governance": (7, 25),
    "Science & Research": (4, 16),
    "Technology & IT": (16, 50),
    "Transportation & Logistics": (11, 53),
}
PLANS = ("E0", "E1", "E2", "E3")
SIMULATORS = ("made-up-simulator-1", "made-up-simulator-2", "made-up-simulator-3")
AGENTS = [
    ModelSettings(
        alias=f"made-up-{family}-{generation}-{size}",
        model=f"made-up-{family}-{generation}-{size}",
        player="program",
        family=f"made-up-{family}",
        generation=str(generation),
        size=size,
    )
    for family in ("a", "b", "c", "d", "e")
    for generation, size in ((1, 70), (2, 8), (2, 70))
]
FEW = 4  # agents that also meet the third simulator
WHOLE = 382 * (15 * 4 + 15 + FEW)
CALLS = (11, 18)  # tool calls of a trial, least and most
PENALTY = {"E0": 0.0, "E1": 0.1, "E2": 0.6, "E3": 0.4}
WORDS = ("made", "up", "by", "a", "program", "for", "a", "load", "test", "and", "no", "result")


class Block(NamedTuple):
    """One run: who plays it. Together the runs cover the study without a key twice."""

    run: str
    agents: int
    simulator: str
    plans: tuple[str, ...]


BLOCKS = (
    Block("made-up-main", 15, SIMULATORS[0], PLANS),
    Block("made-up-simulator-2", 15, SIMULATORS[1], PLANS[:1]),
    Block("made-up-simulator-3", FEW, SIMULATORS[2], PLANS[:1]),
)


def make(library: Library, trials: int, seed: int = 1, jobs: int = 1) -> list[str]:
    """Write about so many trials in three runs; the run ids. Fewer trials are fewer tasks of every industry."""
    tasks = some_tasks(max(1, round(382 * trials / WHOLE)), seed)
    return [author(library, block.run, cast(block, tasks), played(block, tasks, seed), jobs=jobs, put=put_bulk)
            for block in BLOCKS]  # fmt: skip


def put_bulk(library: Library, data: bytes, name: str) -> None:
    """Write a cassette without waiting for the disk: whoever loses this library makes it again."""
    path = library.path(name, "cassette")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def cast(block: Block, tasks: list[AuthoredTask]) -> Cast:
    """Who plays a block."""
    judge = ModelSettings(alias="made-up-judge", model="made-up-judge", player="program")
    simulator = ModelSettings(alias=block.simulator, model=block.simulator, player="program")
    plans = [named(name) for name in block.plans]
    return Cast(AGENTS[: block.agents], [simulator], [judge], plans, tasks)


def played(block: Block, tasks: list[AuthoredTask], seed: int) -> Iterator[AuthoredTrial]:
    """The trials of a block in plan order: one in 200 an error, one in 300 missing, one vote in 25 astray."""
    for one in tasks:
        for number in range(block.agents):
            for plan in block.plans:
                trial = _trial(block, one, number, plan, seed)
                if trial is not None:
                    yield trial


def _trial(block: Block, one: AuthoredTask, number: int, plan: str, seed: int) -> AuthoredTrial | None:
    agent, task = AGENTS[number].alias, one.task
    chance = random.Random(f"{seed}|{agent}|{block.simulator}|{plan}|{task.id}")
    hard = random.Random(f"{seed}|{one.scenario.id}").gauss(0, 0.7) + 0.5 * (task.difficulty - 2)
    ability = 1.4 - 0.12 * number - PENALTY[plan] - 0.4 * SIMULATORS.index(block.simulator)
    outcome: Said = "pass" if chance.random() < 1 / (1 + math.exp(hard - ability)) else "fail"
    wrong: Said = "fail" if outcome == "pass" else "pass"
    votes: list[Said] = [outcome] * 3
    if chance.random() < 0.12:
        votes[chance.randrange(3)] = wrong
    drawn, calls = chance.random(), chance.randint(*CALLS)
    if drawn < 1 / 300:
        return None
    given = () if drawn < 1 / 120 else tuple(votes)
    return AuthoredTrial(agent, task.id, outcome if given else "error", faults=plan, votes=given, calls=calls)


def some_tasks(count: int, seed: int) -> list[AuthoredTask]:
    """So many of the 382 tasks, spread over the industries as evenly as it goes."""
    tasks = [task for industry in INDUSTRIES for task in _industry(industry, seed)]
    return [tasks[number * len(tasks) // count] for number in range(count)]


def _industry(industry: str, seed: int) -> Iterator[AuthoredTask]:
    scenarios, tasks = INDUSTRIES[industry]
    sizes = [1] * scenarios
    for _ in range(tasks - scenarios):  # some scenarios get more tasks than others, as published
        sizes[max(range(scenarios), key=lambda at: (1 + 3 * at % 5) / sizes[at])] += 1
    short = industry.split(" ", maxsplit=1)[0].lower()
    for at, size in enumerate(sizes):
        name = f"made-up-{short}-{at}"
        scenario = ScenarioFacts(id=name, name=name, industry=industry, domain=f"made-up-{short}-{at // 2}")
        for number in range(size):
            chance = random.Random(f"{seed}|{name}|{number}")
            tools = [_tool(chance, letter) for letter in "abcdef"]
            yield authored_task(
                f"{name}-task-{number}",
                scenario,
                difficulty=chance.randint(1, 3),
                expected_calls=sum(CALLS) // 2,
                tools=tools,
                checks=_checks(tools),
                text=_prose(chance, 250),
                state={f"place-{at}": _record(chance) for at in range(12)},
            )


def _tool(chance: random.Random, letter: str) -> Tool:
    fields = {"number": {"type": "integer", "description": _prose(chance, 8)}}
    shown = {"note": SAYS, "rows": [_record(chance) for _ in range(7)]}
    return Tool(
        name=f"{'read' if letter < 'e' else 'set'}_{letter}",
        description=_prose(chance, 20),
        parameters={"type": "object", "properties": fields, "required": ["number"]},
        effect="read" if letter < "e" else "write",
        example_output=shown,
    )


def _checks(tools: list[Tool]) -> list[JsonObject]:
    """Some that hold and some that don't, so that failures have kinds."""
    called: list[JsonObject] = [{"id": tool.name, "kind": "called", "tool": tool.name} for tool in tools]
    seen: JsonObject = {"id": "seen", "kind": "observed", "key": "status", "value": "open"}
    twice: JsonObject = {"id": "once", "kind": "called", "tool": "set_e", "count": {"min": 1, "max": 1}}
    order: JsonObject = {"id": "order", "kind": "order", "before": "read_a", "then": "set_f"}
    said: JsonObject = {"id": "said", "kind": "said", "value": {"re": "after \\d+ calls"}}
    return [*called, seen, twice, order, said]


def _record(chance: random.Random) -> JsonObject:
    return {
        "id": f"X-{chance.randrange(1000)}",
        "status": chance.choice(("open", "closed", "waiting")),
        "amount": chance.randrange(1000)
        + chance.choice((0.25, 0.5, 0.75)),  # never whole: those are slow to digest
        "note": _prose(chance, 6),
    }


def _prose(chance: random.Random, words: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(words))


def main() -> None:
    """Make a library and say how long it took."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("library", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--trials", type=int, default=WHOLE)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if given.library.exists():
        raise SystemExit(f"{given.library} exists already: name a new folder, or remove it")
    begun = time.perf_counter()
    library = Library(given.library)
    runs = make(library, given.trials, given.seed, given.jobs)
    count = sum(1 for _ in library.objects("cassette"))
    print(f"{count} authored cassettes in {len(runs)} runs, {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
