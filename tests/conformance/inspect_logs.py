"""Run by build/oracle: reads logs with Inspect AI, and writes what it makes of them."""

from __future__ import annotations

import json
import sys
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log, read_eval_log_sample


def told(path: str) -> dict[str, Any]:
    """What a log says, once all that it keeps elsewhere is put back."""
    log: EvalLog = read_eval_log(path, resolve_attachments=True)
    head = read_eval_log(path, header_only=True)
    samples = log.samples or []
    one = samples[0]
    alone = read_eval_log_sample(path, id=one.id, epoch=one.epoch)
    return {
        "version": log.version,
        "status": log.status,
        "model": head.eval.model,
        "scores": [
            {name: metric.value for name, metric in score.metrics.items()}
            for score in (log.results.scores if log.results else [])
        ],
        "usage": {model: usage.total_tokens for model, usage in log.stats.model_usage.items()},
        "alone": [message.text for message in alone.messages],
        "samples": [sample(one) for one in samples],
    }


def sample(one: EvalSample) -> dict[str, Any]:
    """A sample: its messages, and what each model was asked with."""
    return {
        "id": one.id,
        "epoch": one.epoch,
        "input": one.input,
        "error": one.error.message if one.error else None,
        "values": {name: score.value for name, score in (one.scores or {}).items()},
        "messages": [[message.role, message.text] for message in one.messages],
        "calls": [
            [call.function, call.arguments]
            for message in one.messages
            if message.role == "assistant"
            for call in message.tool_calls or []
        ],
        "asked": [
            [event.role, len(event.input), event.input[-1].text if event.input else None]
            for event in one.events
            if event.event == "model"
        ],
    }


if __name__ == "__main__":
    json.dump([told(path) for path in sys.argv[1:]], sys.stdout)
