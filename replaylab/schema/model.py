"""Who plays a role: the part of a model's settings that is recorded. Keys, hosts and limits are not."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from replaylab.schema.base import Frozen, JsonObject

# `own` is an agent of the user's own: a program, or whoever speaks MCP, of which its moves are known and what it asked LLMs.
Player = Literal["llm", "program", "human", "own"]


class ModelSettings(Frozen):
    """`alias` is the name that commands and tables use; `model` is what the endpoint is asked for.

    `tools`: how the agent chooses an action: `native` (the tool-calling API) or `json_schema` (structured output).
    `observations`: whether the simulator's answer is `free` text or bound by a `json_schema`.
    `sampling` goes into the request body as it is (temperature, top_p, seed, max_tokens, reasoning_effort, …).
    `size` is in billions of parameters, 0 when unknown.
    """

    alias: str
    model: str
    player: Player = "llm"
    tools: Literal["native", "json_schema"] = "native"
    observations: Literal["free", "json_schema"] = "free"
    stream: bool = False
    sampling: JsonObject = Field(default_factory=dict)
    family: str = ""
    size: float = 0
    generation: str = ""
    effort: str = ""


# In a verifier's place where nobody judged: a transcript from elsewhere has no verdict.
NOBODY = ModelSettings(alias="none", model="none")

UNKNOWN = "unknown"  # the name of whoever played where a source names nobody


def played_by(settings: ModelSettings) -> str:
    """llm, program, human or own; unknown where the source of an import names nobody."""
    return UNKNOWN if settings.alias == settings.model == UNKNOWN else settings.player


PROGRAM = "replaylab:"  # how the fingerprint of a built-in model begins, wherever it is served
# Agents of the user's own: their `model` begins so, and ends with "@" and the version of what was run.
PYTHON, COMMAND, MCP = "python:", "command:", "mcp:"


def is_foreign(settings: ModelSettings) -> bool:
    """Whether an agent of the user's own plays."""
    return settings.player == "own"
