"""What the benchmarks share: trials of a given length with programs that answer at once, and how to report."""

from __future__ import annotations

import json
import platform
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from replaylab.cassette.tape import Lane
from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.engine.gate import Gate
from replaylab.engine.ledger import Order
from replaylab.engine.plan import Choice, PlannedTrial, make_spec, planned_trials
from replaylab.engine.record import Recording
from replaylab.engine.seams import real_seams
from replaylab.engine.trial import OpenChat
from replaylab.faults.plan import named
from replaylab.roles.chat import Chat
from replaylab.schema.cassette import Limits
from replaylab.schema.model import ModelSettings
from replaylab.schema.run import RunSpec
from replaylab.store.library import Library
from replaylab.wire.client import Chats, Outside
from replaylab.wire.endpoint import Endpoint
from replaylab.wire.redact import Redactor
from replaylab.wire.transport import ProgramTransport

REPO = Path(__file__).resolve().parents[1]
REPORTS = REPO / "reports"
NAMES = ("bench-agent", "bench-sim", "bench-judge")
Table = tuple[str, Sequence[str], Sequence[Sequence[object]]]
FILLER = "The value was read twice and is within its bounds. " * 40  # 2 KB


def respond(steps: int) -> Callable[[str, bytes], tuple[int, dict[str, str], list[bytes]]]:
    """An agent that makes `steps` calls, a simulator that answers with 2 KB, a judge that says yes."""

    def answer(path: str, body: bytes) -> tuple[int, dict[str, str], list[bytes]]:
        asked = json.loads(body)
        messages = asked["messages"]
        message: dict[str, Any] = {"role": "assistant", "content": ""}
        if asked["model"] == "bench-agent":
            made = sum(one["role"] == "tool" for one in messages)
            if made < steps:
                function = {"name": "list_places", "arguments": "{}"}
                message["tool_calls"] = [{"id": f"call-{made}", "type": "function", "function": function}]
            else:
                message["content"] = "Done."
        elif asked["model"] == "bench-sim":
            message["content"] = json.dumps({"step": len(messages), "note": FILLER})
        else:
            message["content"] = '{"is_correct": true, "feedback": "as planned"}'
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": len(body) // 4, "completion_tokens": 20}
        whole = {
            "id": "bench",
            "object": "chat.completion",
            "model": asked["model"],
            "choices": [choice],
            "usage": usage,
        }
        return 200, {"content-type": "application/json"}, [json.dumps(whole).encode()]

    return answer


def settings() -> list[ModelSettings]:
    return [ModelSettings(alias=name, model=name, player="program") for name in NAMES]


def plan(trials: int, votes: int = 3) -> tuple[RunSpec, list[PlannedTrial]]:
    """A run of so many trials of one shipped task."""
    catalogue = Catalogue.load([shipped()])
    agent, simulator, judge = settings()
    choice = Choice(
        [agent], [simulator], [judge], [named("E0")], ["ed-sepsis-room"], trials, Limits(votes=votes)
    )
    spec = make_spec(choice, catalogue, lambda value: value)
    return spec, planned_trials(spec, catalogue, lambda value: value)


def program_chats(steps: int, gate: Gate) -> OpenChat:
    """Chats with the programs above, in this process, through the SDK and the transport."""
    outside = Outside(
        ProgramTransport(respond(steps)), Redactor(), gate, lambda: 0.0, lambda: 0.0, lambda seconds: None
    )
    endpoints = {one.alias: Endpoint(one, "http://built-in.invalid/v1") for one in settings()}
    chats = Chats(endpoints, outside)

    def open_chat(lane: Lane, chosen: ModelSettings) -> Chat:
        return chats.open(lane, chosen)

    return open_chat


def record(root: Path, steps: int, trials: int) -> Library:
    """A library with one run of `trials` trials of `steps` steps."""
    spec, planned = plan(trials)
    gate, library = Gate(1), Library(root)
    order = Order("bench", spec, planned, jobs=1)
    Recording(library, order, open_chat=program_chats(steps, gate), gate=gate, seams=real_seams()).run()
    return library


def median_of(times: int, measure: Callable[[], float]) -> float:
    return statistics.median(measure() for _ in range(times))


def machine() -> str:
    return f"Python {platform.python_version()}, {platform.machine()}"


def write(name: str, title: str, how: str, tables: Sequence[Table], numbers: dict[str, Any],
          *, whole: bool = True) -> None:  # fmt: skip
    """`reports/NAME.json` with all numbers, and `reports/NAME.md` to read. What was not measured whole is only printed."""
    lines = [f"# {title}", "", how, "", f"Measured with {machine()}.", ""]
    for heading, columns, rows in tables:
        lines += [f"## {heading}", "", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
        lines += [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
        lines.append("")
    print("\n".join(lines))
    if not whole:
        print("measured in part, so reports/ stays as it is")
        return
    REPORTS.mkdir(exist_ok=True)
    (REPORTS / f"{name}.json").write_text(
        json.dumps(numbers, indent=2, sort_keys=True) + "\n", encoding="utf-8"
    )
    (REPORTS / f"{name}.md").write_text("\n".join(lines), encoding="utf-8")
