"""What every schema class shares."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict

from replaylab.canonical import Digest

Json = Any
JsonObject = dict[str, Any]

DigestField = Annotated[str, AfterValidator(Digest)]


class Frozen(BaseModel):
    """An immutable value that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    def to_json(self) -> JsonObject:
        """The value as JSON, fields that hold their default left out, so that old digests survive new fields."""
        return self.model_dump(mode="json", exclude_defaults=True, by_alias=True)
