"""What an export of replaylab's own leaves in a foreign file, so that an import gives the same trial back.

Formats have a place for extra data, and no words for environments, fault plans, or the text of arguments as it was
written. The block holds these, and nothing that the format itself can say.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, ValidationError

from replaylab.canonical import canonical
from replaylab.interop.talk.reading import Node
from replaylab.schema.base import Frozen, Json, misfit
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.fault import FaultPlan
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Environment, Task

BLOCK = "replaylab"  # the name of the field that holds it
BLOCK_FORMAT = "replaylab.block/1"


class Block(Frozen):
    """One trial beside its conversation. What is by number goes by number of the call, or of the agent's answer.

    `raw_arguments`: the text of arguments that are no JSON object. `undisturbed`: what the simulator said where a
    fault changed it. `unheard`: calls that the engine or a fault answered. `finish_reasons`: where they are not plain.
    """

    format: Literal["replaylab.block/1"]
    scenario: ScenarioFacts
    environment: Environment
    task: Task
    faults: FaultPlan
    agent: ModelSettings
    simulator: ModelSettings
    trial: int = Field(default=0, ge=0, lt=10_000)
    cassette: str = ""
    raw_arguments: dict[str, str] = Field(default_factory=dict)
    undisturbed: dict[str, Json] = Field(default_factory=dict)
    unheard: tuple[int, ...] = ()
    finish_reasons: dict[str, str] = Field(default_factory=dict)


def read_block(node: Node) -> Block:
    """The block of a file that somebody may have changed. Raises Wrong."""
    try:
        return Block.model_validate_json(canonical(node.object()), strict=True)
    except ValidationError as error:
        raise node.wrong(f"it is no block of replaylab's: {misfit(error)}") from error
