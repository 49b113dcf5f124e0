"""Attempts that hold answers of all shapes."""

from __future__ import annotations

import json
from typing import Any

from replaylab.schema.interaction import Attempt
from tests.wire.server import event


def answer(**message: Any) -> Attempt:
    return body(
        {"choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}]}
    )


def body(value: Any, status: int = 200, **fields: Any) -> Attempt:
    return Attempt(status=status, text=value if isinstance(value, str) else json.dumps(value), **fields)


def events(*values: Any, done: bool = True) -> Attempt:
    return body("".join(event(value).decode() for value in (*values, *(["[DONE]"] if done else []))))
