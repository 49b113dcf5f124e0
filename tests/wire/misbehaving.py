"""What servers do wrong, and how it must end."""

from __future__ import annotations

import gzip
import json

from tests.wire.server import ANSWER, Step, delta, event, raw, reply, reset, silent, stream

STREAMED = [
    event(delta(role="assistant", content="hel")),
    event(delta(content="lo")),
    event(delta("stop")),
    event({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 2}}),
    event("[DONE]"),
]
CUT = [event(delta(content="hel"))]
QUOTA = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}

# what the server does -> what the interaction ends as, and how many attempts were made of at most three
BAD: dict[str, tuple[Step, str, int]] = {
    "reset before the answer": (reset(), "read_error", 3),
    "reset mid-body": (reset(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), "read_error", 3),
    "no answer": (silent, "timeout", 3),
    "closed without an answer": (raw(b""), "read_error", 3),
    "not HTTP": (raw(b"SSH-2.0-OpenSSH\r\n\r\n"), "read_error", 3),
    "wrong content-length": (reply(length=9999), "truncated", 3),
    "JSON cut, connection closed": (
        raw(b'HTTP/1.1 200 OK\r\n\r\n{"choices": [{"index": 0, "mess'),
        "truncated",
        3,
    ),
    "stream cut, well closed": (stream(*CUT), "truncated", 3),
    "stream cut, connection closed": (stream(*CUT, end=False), "truncated", 3),
    "stream of an error": (
        stream(event({"error": {"message": "overloaded", "code": 502}})),
        "error_object",
        3,
    ),
    "empty 200": (reply(b""), "empty_body", 3),
    "HTML 200": (reply(b"<html><title>Sign in</title></html>", kind="text/html"), "not_json", 1),
    "broken gzip": (reply(b"no gzip", Content_Encoding="gzip"), "not_json", 1),
    "gzip cut": (
        reply(gzip.compress(json.dumps(ANSWER).encode())[:60], Content_Encoding="gzip"),
        "truncated",
        3,
    ),
    "error object 200": (
        reply({"error": {"message": "bad model", "code": "model_not_found"}}),
        "error_object",
        1,
    ),
    "passing error object 200": (reply({"error": {"message": "later", "code": 503}}), "error_object", 3),
    "no choices": (reply({"choices": []}), "bad_shape", 1),
    "400": (reply({"error": {"message": "no"}}, 400), "http_status", 1),
    "302": (reply(b"", 302, Location="/elsewhere"), "http_status", 1),
    "401": (reply({"error": {"message": "no"}}, 401), "unauthorized", 1),
    "403": (reply(b"<html>", 403), "unauthorized", 1),
    "404": (reply(b"", 404), "http_status", 1),
    "408": (reply(b"", 408), "http_status", 3),
    "409": (reply(b"", 409), "http_status", 3),
    "429": (reply({"error": {"message": "slow down"}}, 429), "rate_limited", 3),
    "429 without quota": (reply(QUOTA, 429), "rate_limited", 1),
    "429 for a day": (reply(b"", 429, Retry_After="86400"), "rate_limited", 1),
    "500": (reply(b"oops", 500), "http_status", 3),
    "503 cut": (reply(b"oops", 503, length=99), "http_status", 3),
}
