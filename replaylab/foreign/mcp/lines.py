"""The lines that an MCP client sends on a stream: which of them the SDK can serve, and what is said of the others.

The SDK passes over a line that it can't read without a word, and takes a request with an impossible id for a
notification, so whoever sent it would wait for ever. Here each gets an error, under its id where that can be read. Half
of a character (a lone surrogate) in a text is replaced, as in what models say: a final answer is not lost for one.
"""

from __future__ import annotations

import json
import re
from typing import Any

import mcp_types as types
from pydantic import ValidationError
from pydantic_core import from_json

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]', re.DOTALL)
_REPLACED = r"\ufffd"


def mended(line: str) -> str:
    """The line with its lone surrogates replaced, which only an escape can spell."""
    if "\\u" not in line:
        return line
    return _ESCAPE.sub(lambda found: _REPLACED if found[1] else found[0], line)


def refusal(line: str) -> types.JSONRPCError | None:
    """What is answered to a line that is no message; None where it is one, or is blank."""
    if not line.strip():
        return None
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        if found["type"] == "json_invalid":
            return _error(types.PARSE_ERROR, f"Parse error: {found['msg']}", _id(_outermost(line)))
        value, where = from_json(line), "/".join(map(str, found["loc"][1:]))
        if isinstance(value, dict) and "method" not in value and value.keys() & {"result", "error"}:
            return None  # an answer to nothing that was asked; two programs must not answer errors by errors for ever
        said = f"{where}: {found['msg']}" if where else found["msg"]
        return _error(types.INVALID_REQUEST, f"Invalid Request: {said}", _id(value))
    value = from_json(line)
    if "method" in value and "id" in value and _id(value) is None:
        return _error(types.INVALID_REQUEST, "Invalid Request: id: it must be a text or a whole number", None)
    return None


def _error(code: int, message: str, request: str | int | None) -> types.JSONRPCError:
    return types.JSONRPCError(
        jsonrpc="2.0", id=request, error=types.ErrorData(code=code, message=message[:500])
    )


def _id(message: Any) -> str | int | None:
    found = message.get("id") if isinstance(message, dict) else None
    return found if type(found) in (str, int) else None


def _outermost(text: str) -> Any:
    """The outermost object of a text that can't be read as a whole, with nothing in its lists and objects."""
    kept, depth, at = [], 0, 0
    for token in _TOKEN.finditer(text):
        opens, closes = token[0] in "{[", token[0] in "}]"
        if depth == 1 or (depth == 2 and closes):
            kept.append(text[at : token.end()] if depth == 1 else token[0])
        elif depth == 0:
            kept.append(token[0])
        depth, at = depth + opens - closes, token.end()
    try:
        return json.loads("".join(kept))
    except (ValueError, RecursionError):
        return None
