"""Logs made up for tests, as documents and as ZIP files."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import zstandard


def sample(number: int = 1, epoch: int = 1, **changed: Any) -> dict[str, Any]:
    call = {"id": "c1", "function": "look", "arguments": {"x": 1}, "type": "function"}
    asks = {"id": "m2", "role": "assistant", "content": "I look.", "source": "generate", "tool_calls": [call]}
    says = {"id": "m4", "role": "assistant", "content": "attachment://long", "source": "generate"}
    tool = {"name": "look", "description": "Looks.", "parameters": {"type": "object", "properties": {}}}
    usage = {"input_tokens": 12, "output_tokens": 4, "input_tokens_cache_read": 8, "total_tokens": 24}

    def event(message: dict[str, Any], stop: str) -> dict[str, Any]:
        output = {
            "model": "m-1",
            "choices": [{"message": message, "stop_reason": stop}],
            "usage": usage,
            "time": 0.5,
        }
        return {"event": "model", "model": "m", "input": [], "tools": [tool], "output": output}

    return {
        "id": number,
        "epoch": epoch,
        "input": "Look!",
        "target": "2",
        "messages": [
            {"id": "m1", "role": "user", "content": "Look!", "source": "input"},
            asks,
            {"id": "m3", "role": "tool", "content": '{"y": 2}', "tool_call_id": "c1", "function": "look"},
            says,
        ],
        "scores": {"match": {"value": "C", "answer": "2", "explanation": "as it should be"}},
        "metadata": {"level": 3},
        "events": [{"event": "state", "changes": []}, event(asks, "tool_calls"), event(says, "stop")],
        "attachments": {"long": "It is 2."},
    } | changed


def log(*samples: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "looking", "model": "m", "created": "2026-01-02T03:04:05+00:00", "run_id": "r"},
        "samples": list(samples) or [sample()],
    } | changed


def members(value: dict[str, Any]) -> dict[str, Any]:
    """The members of a ZIP file of this log."""
    found = {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in value["samples"]}
    return {**found, "header.json": {key: part for key, part in value.items() if key != "samples"}}


def packed(path: Path, parts: dict[str, Any], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """A ZIP file of these members; a value that is bytes stands as it is."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, value in parts.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path


def packed_by_hand(path: Path, parts: dict[str, Any], method: int, claimed: int | None = None) -> Path:
    """A ZIP file with any method; `claimed` is the unpacked size that it declares in place of the true one."""
    body, listing = b"", b""
    for name, value in parts.items():
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        stored = zstandard.ZstdCompressor().compress(data) if method == 93 else data
        size = len(data) if claimed is None else claimed
        facts = struct.pack(
            "<HHHHHIIIHH", 20, 0, method, 0, 33, zlib.crc32(data), len(stored), size, len(name), 0
        )
        place = len(body)
        body += b"PK\x03\x04" + facts + name.encode() + stored
        listing += (
            b"PK\x01\x02"
            + struct.pack("<H", 20)
            + facts
            + struct.pack("<HHHII", 0, 0, 0, 0, place)
            + name.encode()
        )
    end = struct.pack("<HHHHIIH", 0, 0, len(parts), len(parts), len(listing), len(body), 0)
    path.write_bytes(body + listing + b"PK\x05\x06" + end)
    return path
