"""From the value of a file to its exchanges: every shape that a vcrpy cassette has had.

version 1     {"version": 1, "interactions": [{"request": {method, uri, body, headers}, "response": {status, headers,
              body: {"string": …}}}], "metadata": {…}}; the metadata came with 9.x
before 1.0    a list of the interactions; the address in four parts, response headers as lines
httpx, to 7   the response as {status_code, http_version, headers, content}
pydantic-ai   `parsed_body` in place of a body
others        a body as a plain text, as a list of its pieces, or as {"base64_string": …}
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from typing import Any

from replaylab.errors import UsageError
from replaylab.interop.vcr.pair import CODING, Headers, Note, Pair, VcrFile, values_of, without
from replaylab.schema.base import Json, JsonObject, in_json
from replaylab.wire.coding import NotDecoded, codings_of, decoded

_TOP = {"version", "interactions", "metadata"}
_INTERACTION = {"request", "response", "recorded_at"}
_REQUEST = {"method", "uri", "body", "headers", "parsed_body"}
_OLD_REQUEST = {"protocol", "host", "port", "path"}
_RESPONSE = {"status", "headers", "body", "parsed_body", "url", "protocol"}
_OLD_HTTPX = {"status_code", "http_version", "headers", "content"}
_PORTS = {"http": 80, "https": 443}


def file_of(value: Json, name: str) -> VcrFile:
    """The exchanges of a file. Raises UsageError that says where it is no vcrpy cassette."""
    return _Reader(name).file(value)


class _Reader:
    def __init__(self, name: str) -> None:
        self.name, self.where = name, name
        self.notes: list[Note] = []

    def file(self, value: Json) -> VcrFile:
        metadata: JsonObject = {}
        if isinstance(value, list):
            rows: Json = value
            self._note("old_list")
        elif isinstance(value, dict) and "interactions" in value:
            rows, metadata = value["interactions"], value.get("metadata") or {}
            if value.get("version", 1) not in (1, "1"):
                raise self._wrong(
                    f"its version is {in_json(value['version'])}, and 1 is the newest that is known"
                )
            self._unknown(value, _TOP)
        else:
            raise self._wrong("not a vcrpy cassette: it has no interactions", _closest(value))
        if not isinstance(rows, list):
            raise self._wrong("the interactions are no list")
        if not isinstance(metadata, dict):
            raise self._wrong("the metadata are no mapping")
        pairs = tuple(self._pair(number, row) for number, row in enumerate(rows))
        return VcrFile(pairs, metadata, tuple(self.notes))

    def _pair(self, number: int, row: Json) -> Pair:
        self.where = f"{self.name}, interaction {number}"
        if not isinstance(row, dict):
            raise self._wrong("it is no mapping")
        request, response = row.get("request"), row.get("response")
        if not isinstance(request, dict) or not isinstance(response, dict):
            raise self._wrong("it has no request or no response")
        self._unknown(row, _INTERACTION)
        asked = self._headers(request.get("headers"))
        status, reason = self._status(response)
        headers = self._response_headers(response.get("headers"))
        content, headers = self._content(response, headers)
        body, value = self._request_body(request, asked)
        return Pair(
            method=self._text(request, "method").upper(),
            uri=self._uri(request),
            body=body,
            value=value,
            asked=asked,
            status=status,
            reason=reason,
            headers=headers,
            content=content,
        )

    def _uri(self, request: JsonObject) -> str:
        if "uri" in request:
            self._unknown(request, _REQUEST)
            return self._text(request, "uri")
        self._unknown(request, _REQUEST | _OLD_REQUEST)
        scheme, host = self._text(request, "protocol"), self._text(request, "host")
        port = request.get("port")
        tail = f":{port}" if port not in (None, _PORTS.get(scheme)) else ""
        return f"{scheme}://{host}{tail}{self._text(request, 'path')}"

    def _request_body(self, request: JsonObject, asked: Headers) -> tuple[bytes | None, Json]:
        """The bytes, and the value that the file has in place of them."""
        body = request.get("body")
        if "parsed_body" in request and body is None:
            self._note("parsed_request")
            return _written(request["parsed_body"], values_of(asked, "content-type")), None
        if _is_value(body):
            self._note("value_request")
            return _written(body, ["json"]), body
        return None if body is None else self._bytes(body), None

    def _status(self, response: JsonObject) -> tuple[int, str | None]:
        status = response.get("status", response.get("status_code"))
        code, reason = (
            (status.get("code"), status.get("message")) if isinstance(status, dict) else (status, None)
        )
        if isinstance(code, str) and code.isdigit():
            code = int(code)
        if not isinstance(code, int) or isinstance(code, bool) or not 100 <= code <= 999:
            raise self._wrong(f"its status is {in_json(code)}")
        if isinstance(reason, bytes):
            reason = reason.decode("latin-1")
        return code, None if reason is None else str(reason)

    def _content(self, response: JsonObject, headers: Headers) -> tuple[bytes, Headers]:
        if "content" in response and "status_code" in response:
            self._note("old_httpx")
            self._unknown(response, _OLD_HTTPX)
            return self._old_httpx(response["content"], headers)
        self._unknown(response, _RESPONSE)
        if response.get("body") is None and "parsed_body" in response:
            self._note("parsed_response")
            parsed = _written(response["parsed_body"], values_of(headers, "content-type"))
            return parsed, without(headers, CODING)
        body = response.get("body")
        return (b"" if body is None else self._bytes(body)), headers

    def _old_httpx(self, content: Json, headers: Headers) -> tuple[bytes, Headers]:
        """What was decoded before it was stored has no coding any more, whatever its headers say."""
        data = b"" if content is None else self._bytes(content)
        try:
            decoded(data, codings_of(values_of(headers, CODING)))
        except NotDecoded:
            headers = without(headers, CODING)
        return data, headers

    def _bytes(self, body: Json) -> bytes:
        if isinstance(body, bytes):
            return body
        if isinstance(body, str):
            return self._encoded(body)
        if isinstance(body, list):
            if all(isinstance(part, int) and 0 <= part < 256 for part in body):
                return bytes(body)
            return b"".join(map(self._bytes, body))
        if isinstance(body, dict):
            return self._bytes_of_mapping(body)
        raise self._wrong(f"a body is {type(body).__name__}, and should be a text")

    def _bytes_of_mapping(self, body: JsonObject) -> bytes:
        text = body.get("string")
        if body.get("base64_string") is not None or str(body.get("encoding", "")).lower() == "base64":
            encoded = body.get("base64_string", text)
            data = _from_base64(encoded) if isinstance(encoded, str | bytes) else None
            if data is None:
                raise self._wrong("a body that should be base64 is none")
            return data
        self._unknown(body, {"string", "encoding", "base64_string"})
        return b"" if text is None else self._bytes(text)

    def _encoded(self, text: str) -> bytes:
        try:
            return text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-8", "surrogatepass")  # a JSON escape for half of a character

    def _response_headers(self, headers: Json) -> Headers:
        if isinstance(headers, list) and headers and all(isinstance(line, str | bytes) for line in headers):
            return _of_lines(headers)
        return self._headers(headers)

    def _headers(self, headers: Json) -> Headers:
        if isinstance(headers, list):  # before 1.0: pairs, or a frozenset that holds them
            while len(headers) == 1 and isinstance(headers[0], list) and _all_pairs(headers[0]):
                headers = headers[0]
            if not _all_pairs(headers):
                raise self._wrong("its headers are no mapping")
            items = [(name, value) for name, value in headers]
        elif isinstance(headers, dict | None):
            items = list((headers or {}).items())
        else:
            raise self._wrong("its headers are no mapping")
        found: dict[str, list[str]] = {}
        for name, value in items:
            found.setdefault(_as_text(name), []).extend(self._values(value))
        return found

    def _values(self, value: Json) -> Iterator[str]:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict | list):
                raise self._wrong("the value of a header is no text")
            if one is not None:
                yield _as_text(one)

    def _text(self, fields: JsonObject, key: str) -> str:
        value = fields.get(key)
        if isinstance(value, bytes):
            value = value.decode("utf-8", "backslashreplace")
        if not isinstance(value, str) or (not value and key != "path"):
            raise self._wrong(f"its request has no {key}")
        return value

    def _unknown(self, fields: JsonObject, known: set[str]) -> None:
        self.notes += [Note("unknown_field", self.where, key) for key in fields if key not in known]

    def _note(self, kind: str) -> None:
        self.notes.append(Note(kind, self.where))

    def _wrong(self, what: str, closest: str = "") -> UsageError:
        return UsageError(what, where=self.where, closest=closest)


def _is_value(body: Json) -> bool:
    """Whether a body is what aiohttp's client was given, and neither bytes in pieces nor bytes under a name."""
    if isinstance(body, dict):
        return not ("string" in body or "base64_string" in body)
    return isinstance(body, list) and not all(isinstance(part, str | bytes | int) for part in body)


def _all_pairs(rows: list[Any]) -> bool:
    return all(isinstance(row, list) and len(row) == 2 and isinstance(row[0], str | bytes) for row in rows)


def _of_lines(lines: list[Any]) -> Headers:
    """Before 1.0 a response's headers were the lines that came: "Name: value"."""
    found: dict[str, list[str]] = {}
    for line in map(_as_text, lines):
        name, colon, value = line.strip("\r\n").partition(":")
        if colon:
            found.setdefault(name.strip(), []).append(value.strip())
    return found


def _as_text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _from_base64(text: str | bytes) -> bytes | None:
    try:
        return base64.b64decode("".join(_as_text(text).split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def _written(value: Json, types: list[str]) -> bytes:
    """The bytes of a parsed body. What was parsed as a form is written as JSON all the same: its bytes are lost."""
    if isinstance(value, str) and not any("json" in one for one in types):
        return value.encode("utf-8", "surrogatepass")
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
    return text.encode("utf-8", "surrogatepass")


def _plain(value: Any) -> str:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def _closest(value: Json) -> str:
    if isinstance(value, dict):
        if "http_interactions" in value:
            return "a cassette of Ruby's VCR (http_interactions)"
        if "log" in value:
            return "HAR, which `replaylab import har` reads"
    return ""
