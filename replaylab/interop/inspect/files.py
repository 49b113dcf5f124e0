"""The bytes of a log: one JSON document, or the members of a ZIP file, the same each time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

from replaylab.canonical import dumps
from replaylab.schema.base import JsonObject

# The earliest that a ZIP file can say. Members are stored as they are: what a compressor makes of them depends on it.
_WHEN = (1980, 1, 1, 0, 0, 0)


def as_json(log: JsonObject) -> bytes:
    """A log as one document."""
    return dumps(log) + b"\n"


def as_archive(log: JsonObject) -> bytes:
    """A log as a .eval file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, value in _members(log):
            one = zipfile.ZipInfo(name, _WHEN)
            one.create_system = 3
            one.external_attr = 0o644 << 16
            archive.writestr(one, dumps(value))
    return out.getvalue()


def _members(log: JsonObject) -> Iterator[tuple[str, object]]:
    samples = log["samples"]
    yield "_journal/start.json", {key: log[key] for key in ("version", "eval", "plan")}
    for sample in samples:
        yield f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample
    yield "summaries.json", [_summary(sample) for sample in samples]
    yield "header.json", {key: part for key, part in log.items() if key != "samples"}


def _summary(sample: JsonObject) -> JsonObject:
    kept = {key: sample[key] for key in ("id", "epoch", "input", "target", "uuid", "model_usage")}
    kept["scores"] = sample["scores"]
    kept["completed"] = True
    return kept | ({"error": sample["error"]["message"]} if "error" in sample else {})
