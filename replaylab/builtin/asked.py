"""A chat-completions request as the built-in models read it, and the error that they refuse one with."""

from __future__ import annotations

from typing import NamedTuple

from replaylab.canonical import Digest, canonical, digest_bytes
from replaylab.errors import ReplaylabError
from replaylab.schema.base import Json, JsonObject

ROLES = ("system", "developer", "user", "assistant", "tool")


class Refusal(ReplaylabError):
    """A request that gets an error object in place of an answer. `status` is that of HTTP."""

    def __init__(
        self, what: str, *, status: int = 400, param: str = "", code: str = "", fix: str = ""
    ) -> None:
        super().__init__(what, fix=fix)
        self.status, self.param, self.code = status, param, code

    def body(self) -> JsonObject:
        """The error in the shape of the OpenAI API."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        message = f"{self.what}. {self.fix}".strip() if self.fix else self.what
        return {
            "error": {
                "message": message,
                "type": kind,
                "param": self.param or None,
                "code": self.code or None,
            }
        }


class Asked(NamedTuple):
    """A request that has the right shape. `digest` is over the canonical body, `size` its length in bytes."""

    model: str
    messages: tuple[JsonObject, ...]
    tools: tuple[JsonObject, ...]
    body: JsonObject
    digest: Digest
    size: int

    @property
    def bound(self) -> JsonObject | None:
        """The JSON Schema that the answer is bound by, or None."""
        form = self.body.get("response_format")
        inner = form.get("json_schema") if isinstance(form, dict) else None
        schema = inner.get("schema") if isinstance(inner, dict) else None
        return schema if isinstance(schema, dict) else None

    @property
    def system(self) -> str:
        """The text of the first system message, "" without one."""
        texts = (text_of(one) for one in self.messages if one["role"] in ("system", "developer"))
        return next(texts, "")

    def texts(self, role: str) -> tuple[str, ...]:
        """The texts of all messages of a role, in order."""
        return tuple(text_of(one) for one in self.messages if one["role"] == role)


def read_asked(body: Json) -> Asked:
    """Check the parts of a body that a built-in model reads. Raises Refusal (400)."""
    if not isinstance(body, dict):
        raise Refusal("the body is not a JSON object")
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise Refusal("the body names no model", param="model")
    messages = _objects(body, "messages")
    if not messages:
        raise Refusal("the body holds no messages", param="messages")
    for place, message in enumerate(messages):
        _check_message(message, f"messages[{place}]")
    if body.get("n", 1) not in (1, None):
        raise Refusal("only one choice is given", param="n", fix="Leave out `n`, or set it to 1.")
    data = canonical(body)
    return Asked(model, messages, _functions(body), body, digest_bytes(data), len(data))


def text_of(message: JsonObject) -> str:
    """The text of a message: a string as it is, text parts joined, "" for none."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    return content if isinstance(content, str) else ""


def _check_message(message: JsonObject, where: str) -> None:
    if message.get("role") not in ROLES:
        raise Refusal(
            f"{where} has no role that is known", param=f"{where}.role", fix=f"One of {', '.join(ROLES)}."
        )
    content = message.get("content")
    parts = isinstance(content, list) and all(isinstance(part, dict) for part in content)
    if not (content is None or isinstance(content, str) or parts):
        raise Refusal(
            f"{where} has a content that is neither text nor a list of parts", param=f"{where}.content"
        )
    for call in _objects(message, "tool_calls", where=f"{where}."):
        function = call.get("function")
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise Refusal(f"{where} has a tool call without a function name", param=f"{where}.tool_calls")


def _functions(body: JsonObject) -> tuple[JsonObject, ...]:
    functions: list[JsonObject] = []
    for place, tool in enumerate(_objects(body, "tools")):
        function = tool.get("function")
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise Refusal(f"tools[{place}] is no function with a name", param=f"tools[{place}]")
        functions.append(function)
    return tuple(functions)


def _objects(holder: JsonObject, name: str, where: str = "") -> tuple[JsonObject, ...]:
    value = holder.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise Refusal(f"{where}{name} is not a list of objects", param=f"{where}{name}")
    return tuple(value)
