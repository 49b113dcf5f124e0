"""Writes cassettes that stock vcrpy reads: YAML as its own serializer writes it, or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal

import yaml

from replaylab.errors import UsageError
from replaylab.interop.vcr.pair import Headers, Pair
from replaylab.schema.base import Json, JsonObject

Form = Literal["yaml", "json"]
SUFFIX: dict[Form, str] = {"yaml": ".yaml", "json": ".json"}
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def write_text(pairs: Iterable[Pair], metadata: JsonObject, form: Form, where: str) -> bytes:
    """The file. Raises UsageError where JSON is wanted and a body is no text, which vcrpy can't read from JSON."""
    document: JsonObject = {"version": 1, "interactions": [_interaction(pair) for pair in pairs]}
    if metadata:
        document["metadata"] = metadata
    if form == "yaml":
        text: str = yaml.dump(document, Dumper=_Dumper)
        return text.encode()
    for number, row in enumerate(document["interactions"]):
        if isinstance(row["request"]["body"], bytes) or isinstance(row["response"]["body"]["string"], bytes):
            raise UsageError(
                f"interaction {number} has a body that is no text, and vcrpy's JSON cassettes hold texts only",
                where=where,
                fix="export as YAML",
            )
    return (json.dumps(document, indent=4) + "\n").encode()


def _interaction(pair: Pair) -> JsonObject:
    return {
        "request": {
            "method": pair.method,
            "uri": pair.uri,
            "body": _text(pair.body) if pair.value is None else pair.value,
            "headers": _headers(pair.asked),
        },
        "response": {
            "status": {"code": pair.status, "message": pair.reason},
            "headers": _headers(pair.headers),
            "body": {"string": _text(pair.content)},
        },
    }


def _headers(headers: Headers) -> JsonObject:
    return {name: list(values) for name, values in headers.items()}


def _text(data: bytes | None) -> Json:
    """As vcrpy has it: a text where the bytes are one, which YAML shows readably."""
    try:
        return data if data is None else data.decode()
    except UnicodeDecodeError:
        return data


class _Dumper(_DUMPER):  # type: ignore[misc, valid-type]
    """Without aliases: two equal lists are two lists."""

    def ignore_aliases(self, data: Any) -> bool:
        """Always."""
        return True
