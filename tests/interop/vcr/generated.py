"""Cassettes that are as odd as those that people have, from a seed: written by stock vcrpy's own serializers."""

from __future__ import annotations

import gzip
import json
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import brotli
import httpx2
import zstandard
from vcr.request import Request
from vcr.serialize import serialize
from vcr.serializers import jsonserializer, yamlserializer

WORDS = [
    "hi",
    "größe",
    "日本",
    "a b",
    "\u2028",
    "\\",
    '"',
    "\t",
    "ok\r\n",
    "x" * 300,
    "",
    "NaN",
    "😀",
    "\x7f",
    "- a: b",
    "%41",
]
STATUSES = [200] * 8 + [201, 204, 299, 302, 400, 401, 404, 408, 409, 418, 429, 500, 503]
HOSTS = [
    "https://api.openai.com/v1/chat/completions",
    "https://api.openai.com/v1/responses?b=2&a=1&b=1",
    "https://api.anthropic.com/v1/messages?beta=true",
    "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
    "http://localhost:11434/api/chat",
    "https://api.example.com:8443/p%2Fq/%C3%A9?x=%20y&empty=&flag",
    "https://api.example.com",
]
CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


class Maker:
    """One cassette a call. The same seed gives the same ones."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def write(self, path: Path) -> int:
        """A cassette at `path` with its suffix added; how many exchanges it holds."""
        pick = self.random
        binary = pick.random() < 0.7
        exchanges = self._exchanges(binary)
        metadata = {"seed": pick.randrange(1000), "day": "2026-01-01"} if pick.random() < 0.3 else {}
        document = {
            "requests": [Request(**request) for request, _ in exchanges],
            "responses": [response for _, response in exchanges],
            "metadata": metadata,
        }
        form = "yaml" if binary or pick.random() < 0.5 else "json"
        text = serialize(document, yamlserializer if form == "yaml" else jsonserializer)
        path.with_name(f"{path.name}.{form}").write_text(text, "utf-8")
        return len(exchanges)

    def _exchanges(self, binary: bool) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        pick = self.random
        made: list[tuple[dict[str, Any], dict[str, Any]]] = []
        for _ in range(pick.choice([1, 1, 2, 3, 5, 8])):
            if made and pick.random() < 0.3:
                request = dict(pick.choice(made)[0])
                if pick.random() < 0.5:
                    retries = {"x-stainless-retry-count": str(pick.randrange(3))}
                    request["headers"] = {**request["headers"], **retries}
            else:
                request = self._request(binary)
            made.append((request, self._response(binary)))
        return made

    def _json(self, depth: int = 0) -> Any:
        pick = self.random
        kind = pick.randrange(8 if depth < 3 else 6)
        if kind == 6:
            return [self._json(depth + 1) for _ in range(pick.randrange(4))]
        if kind == 7:
            return {pick.choice(WORDS): self._json(depth + 1) for _ in range(pick.randrange(4))}
        return [None, True, pick.randrange(-5, 2000), pick.random() * 100, 1.0, pick.choice(WORDS)][kind]

    def _request(self, binary: bool) -> dict[str, Any]:
        pick = self.random
        uri = str(httpx2.URL(pick.choice(HOSTS)))
        kind = pick.randrange(8)
        headers = {"Accept": "*/*", "User-Agent": "made/1", "Authorization": "Bearer DUMMY"}
        if kind == 0:
            return {"method": "GET", "uri": uri, "body": pick.choice([b"", None]), "headers": headers}
        method = pick.choice(["POST", "POST", "POST", "PUT", "PATCH", "DELETE"])
        if kind == 1:
            boundary = f"{pick.getrandbits(64):x}"
            part = b'--%b\r\nContent-Disposition: form-data; name="f"\r\n\r\nhi\r\n--%b--\r\n'
            headers["Content-Type"] = f"multipart/form-data; boundary={boundary}"
            return {
                "method": method,
                "uri": uri,
                "body": part % ((boundary.encode(),) * 2),
                "headers": headers,
            }
        if kind == 2:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            return {"method": method, "uri": uri, "body": b"a=1&b=%20x&a=2", "headers": headers}
        if kind == 3 and binary:
            headers["Content-Type"] = "application/octet-stream"
            body = bytes(pick.randrange(256) for _ in range(pick.randrange(1, 60)))
            return {"method": method, "uri": uri, "body": body, "headers": headers}
        headers["Content-Type"] = pick.choice(["application/json", "application/json; charset=utf-8"])
        turns = [{"role": "user", "content": pick.choice(WORDS)} for _ in range(pick.randrange(4))]
        value = {"model": "m", pick.choice(["messages", "input", "contents"]): turns, "x": self._json()}
        value = dict(pick.sample(list(value.items()), len(value)))
        style: dict[str, Any] = pick.choice(
            [{}, {"separators": (",", ":")}, {"indent": 1}, {"ensure_ascii": False}]
        )
        return {"method": method, "uri": uri, "body": json.dumps(value, **style).encode(), "headers": headers}

    def _response(self, binary: bool) -> dict[str, Any]:
        pick = self.random
        status = pick.choice(STATUSES)
        headers = {
            "Content-Type": ["application/json"],
            "Set-Cookie": ["a=1; path=/", "b=2"],
            "X-Request-Id": [f"req_{pick.randrange(1000)}"],
            "openai-organization": ["someone"],
        }
        body = json.dumps({"n": pick.randrange(1 << 30), "v": self._json()}).encode()
        if pick.random() < 0.25:
            headers["Content-Type"] = ["text/event-stream; charset=utf-8"]
            pieces = [{"delta": pick.choice(WORDS)} for _ in range(pick.randrange(5))]
            body = (
                b"".join(b"data: %b\n\n" % json.dumps(one).encode() for one in pieces) + b"data: [DONE]\n\n"
            )
        elif pick.random() < 0.15 and binary:
            headers["Content-Type"] = ["audio/mpeg"]
            body = bytes(pick.randrange(256) for _ in range(pick.randrange(200)))
        elif pick.random() < 0.1:
            headers["Content-Type"], body = ["text/plain"], "".join(pick.choices(WORDS, k=5)).encode()
        if pick.random() < 0.3:
            headers["Vary"] = ["Origin", "accept-encoding"]
        if status == 302:
            headers["Location"] = ["https://api.example.com/next?a=1"]
        if status == 204:
            body = b""
        if binary and body and pick.random() < 0.4:
            names = pick.choice(
                [["gzip"], ["deflate"], ["br"], ["zstd"], ["gzip", "br"], ["deflate", "gzip"]]
            )
            for name in names:
                body = CODINGS[name](body)
            headers["Content-Encoding"] = [", ".join(names)]
        headers["Content-Length"] = [str(len(body))]
        reason = pick.choice(["OK", "", None, "Too Many Requests"])
        return {"status": {"code": status, "message": reason}, "headers": headers, "body": {"string": body}}
