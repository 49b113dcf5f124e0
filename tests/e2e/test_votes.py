"""Eight judges, three identical questions each, twenty tasks: every answer lands where it was recorded."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from replaylab.cassette.tape import Lane
from replaylab.catalogue.loader import Catalogue
from replaylab.engine.gate import Gate
from replaylab.engine.ledger import Order
from replaylab.engine.plan import Choice, make_spec, planned_trials
from replaylab.engine.record import Recording
from replaylab.faults.plan import named
from replaylab.roles.chat import Chat
from replaylab.schema.base import JsonObject
from replaylab.schema.completion import Completion
from replaylab.schema.model import ModelSettings
from replaylab.store.library import Library
from tests.playground import SHORT, catalogue, fake_seams, program, program_chats, reply

REPO = Path(__file__).resolve().parents[2]
JUDGES, TASKS, VOTES = 8, 20, 3

REPLAY = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from replaylab.cassette.stored import open_cassette
from replaylab.engine.replay import played_chat, replay_cassette
from replaylab.store.library import Library
from tests.e2e.test_votes import Noting

library, notes = Library(Path(sys.argv[1])), {}
_, run = library.run(None)
names = [entry.counting.cassette for entry in run.ledger][::-1]
def one(name):
    replayed = replay_cassette(open_cassette(library, name), lambda lane, s: Noting(lane, played_chat(lane, s), notes))
    assert replayed.findings == (), replayed.findings
    return replayed.outcome
with ThreadPoolExecutor(8) as pool:
    outcomes = list(pool.map(one, names))
print(json.dumps([notes, outcomes[::-1]]))
"""


class Noting:
    """Writes down which answer was given in which lane."""

    def __init__(self, lane: Lane, chat: Chat, notes: dict[str, str]) -> None:
        self.lane, self.chat, self.notes = lane, chat, notes

    def ask(
        self,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject] = (),
        extra: JsonObject | None = None,
    ) -> Completion:
        answer = self.chat.ask(messages, tools=tools, extra=extra)
        self.notes[f"{self.lane.tape.key}/{self.lane.name}#{len(self.lane.interactions) - 1}"] = answer.text
        return answer


def twenty_tasks() -> Catalogue:
    scenario, _, task = catalogue().task(SHORT)
    tasks = tuple(
        task.model_copy(update={"id": f"task-{number}", "instruction": f"{task.instruction} ({number})"})
        for number in range(TASKS)
    )
    folder = catalogue().folder(scenario.id)
    return Catalogue([(scenario.model_copy(update={"tasks": tasks}), folder)])


def test_480_of_480_votes_land_where_they_were_recorded(tmp_path: Path) -> None:
    asked: dict[bytes, itertools.count[int]] = {}
    lock = threading.Lock()

    def respond(path: str, body: bytes) -> object:
        model = json.loads(body)["model"]
        if (
            model == "silent"
        ):  # an agent that answers at once, so that all identical questions are the judges'
            return reply("Done.")
        with lock:
            number = next(asked.setdefault(body, itertools.count()))
        text = json.dumps({"is_correct": number % 2 == 0, "feedback": f"{model} answer {number}"})
        return reply(text)

    several = twenty_tasks()
    choice = Choice(
        agents=[program("silent")],
        simulators=[program("twin")],
        verifiers=[program(f"judge-{number}") for number in range(JUDGES)],
        faults=[named("E0")],
        tasks=[task.id for task in several.tasks],
    )
    spec = make_spec(choice, several, lambda value: value)
    notes: dict[str, str] = {}
    chats = program_chats(Gate(32), respond)

    def open_chat(lane: Lane, settings: ModelSettings) -> Chat:
        return Noting(lane, chats(lane, settings), notes)

    library, gate = Library(tmp_path / "library"), Gate(32)
    order = Order("votes", spec, planned_trials(spec, several, lambda value: value), jobs=16)
    recorded = Recording(library, order, open_chat=open_chat, gate=gate, seams=fake_seams()).run()
    votes = {path: text for path, text in notes.items() if "/verifier." in path}
    assert len(votes) == JUDGES * TASKS * VOTES == 480
    assert len(asked) == JUDGES * TASKS  # the three votes of a judge on a task are one and the same request
    assert len({(path.rpartition("/")[0], text) for path, text in votes.items()}) == 480  # with three answers

    done = subprocess.run(
        [sys.executable, "-c", REPLAY, str(library.root)],
        env={**os.environ, "PYTHONPATH": str(REPO), "PYTHONHASHSEED": "99"},
        capture_output=True,
        check=True,
        timeout=300,
    )
    replayed, outcomes = json.loads(done.stdout)
    assert {path: text for path, text in replayed.items() if "/verifier." in path} == votes
    assert outcomes == [entry.counting.outcome for entry in recorded.run.ledger if entry.counting]
