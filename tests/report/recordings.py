"""Small runs to show: a plain one, one whose models are hostile, and one with errors and missing trials."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from replaylab.report.view import RunView, Trial, open_trial, view_run
from replaylab.store.library import Library
from tests.playground import SHORT, record, responder

Answer = tuple[int, dict[str, str], tuple[bytes, ...]]

# Ends a script, an element, a comment, an attribute; runs code; turns text around; speaks to a terminal.
EVIL = (
    "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    "'\"></div></details></main><!-- &lt; \u202egnp.exe\u2066\u200f \x1b[31mred\x1b[0m \x07\x00\x9b2J \u2028 \r end"
)
JUDGED = "scripted:careful,twin,rubric,E2/ed-sepsis-room/0"


def completion(model: str, message: dict[str, Any]) -> Answer:
    """A chat completion that holds a message, as an endpoint sends it."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }
    return 200, {"content-type": "application/json", "x-request-id": "r-1"}, (json.dumps(body).encode(),)


def hostile_models(path: str, body: bytes) -> Answer:
    """Every role answers with a text that attacks whoever shows it."""
    asked = json.loads(body)
    if asked["model"] == "twin":
        return completion("twin", {"content": json.dumps({EVIL: EVIL, "list": [EVIL, None, 1.5]})})
    if asked["model"] == "rubric":
        return completion(EVIL, {"content": json.dumps({"is_correct": False, "feedback": EVIL})})
    if any(message["role"] == "tool" for message in asked["messages"]):
        return completion(EVIL, {"content": f"done {EVIL}"})
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "list_places", "arguments": "{}"}},
        {
            "id": "c2",
            "type": "function",
            "function": {"name": f"tool{EVIL}", "arguments": json.dumps({"x": EVIL})},
        },
    ]
    return completion(EVIL, {"content": EVIL, "reasoning_content": EVIL, "tool_calls": calls})


def hostile(root: Path) -> Library:
    """A run `hostile` of one trial."""
    return record(root, name="hostile", respond=hostile_models)[0]


def plain(root: Path) -> Library:
    """A run `study` of four trials: two agents, without faults and with implicit ones."""
    return record(root, name="study", agents=("scripted:hasty", "scripted:careful"), faults=("E0", "E2"))[0]


def failing(path: str, body: bytes) -> Any:
    """An endpoint whose hasty agent is down."""
    if json.loads(body)["model"] == "scripted:hasty":
        error = {"error": {"message": "the engine is on fire", "code": "overheated"}}
        return 400, {"content-type": "application/json"}, (json.dumps(error).encode(),)
    return responder().respond(path, body)


def broken(root: Path) -> Library:
    """A run `broken`: an error with two tries, a good trial, and four that are planned and missing."""
    wish: dict[str, Any] = {
        "name": "broken",
        "tasks": (SHORT, "oncall-two-handovers", "oncall-database-handover"),
        "agents": ("scripted:hasty", "scripted:careful"),
        "respond": failing,
        "shard": "1/3",
    }
    record(root, **wish)
    return record(root, **wish, retry_errors=True)[0]


def view(library: Library, name: str) -> RunView:
    """A run as it is shown."""
    return view_run(library, *library.run(name))


def trial(library: Library, name: str, pick: Callable[[str], bool] = lambda key: True) -> Trial:
    """The first recorded trial of a run whose key is picked."""
    run_id, run = library.run(name)
    entry = next(one for one in run.ledger if one.tries and pick(one.key))
    return open_trial(library, run_id, run, entry)
