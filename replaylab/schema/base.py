"""What every schema class shares."""

from __future__ import annotations

import base64
import json
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, core_schema

Json = Any
JsonObject = dict[str, Any]


class _DigestShape:
    """What `canonical.Digest` asks of a text, as a pattern: a validator in Python took half the time of reading a line."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        shape = core_schema.str_schema(pattern="^[0-9a-f]{64}$")
        return core_schema.custom_error_schema(
            shape,
            custom_error_type="digest",
            custom_error_message="not a digest: 64 lower-case hex digits are due",
        )


DigestField = Annotated[str, _DigestShape]


def _base64(text: str) -> str:
    base64.b64decode(text, validate=True)  # its error is a ValueError
    return text


Base64Field = Annotated[str, AfterValidator(_base64)]


class Frozen(BaseModel):
    """An immutable value that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    @classmethod
    def made(cls, fields: JsonObject) -> Self:
        """The value of these fields, checked as ever: for what is made a million times, twice as fast as a call."""
        return cls.__pydantic_validator__.validate_python(fields)  # type: ignore[no-any-return]

    def to_json(self) -> JsonObject:
        """The value as JSON, fields that hold their default left out, so that old digests survive new fields."""
        return self.model_dump(mode="json", exclude_defaults=True, by_alias=True)


def copied(value: Json) -> Json:
    """A copy of a JSON value, which shares no list and no object with it."""
    # Looked at here, too: most parts are no containers, and a call for each would take most of the time.
    if type(value) is dict:
        return {key: copied(part) if type(part) in _CONTAINERS else part for key, part in value.items()}
    if type(value) is list:
        return [copied(part) if type(part) in _CONTAINERS else part for part in value]
    return value


_CONTAINERS = frozenset({dict, list})


def in_json(value: Json) -> str:
    """A value as a message shows it: in JSON, as it stands in the user's files. What can't be seen, and a lone surrogate,
    stands as an escape of JSON; what JSON has no form for stands as a text.
    """
    return "".join(map(_seen, json.dumps(value, ensure_ascii=False, default=str)))


def _seen(char: str) -> str:
    return char if char.isprintable() else json.dumps(char)[1:-1]


def misfit(error: ValidationError) -> str:
    """The first thing that a value got wrong: "/field/part: why"."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"/{'/'.join(map(str, first['loc']))}: {first['msg']}"
