"""The order of a synthesis: what is to be made, by whom, how often it is tried, and what counts as too alike."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from replaylab.canonical import Digest, digest
from replaylab.schema.base import Frozen
from replaylab.schema.model import ModelSettings

ORDER_FORMAT = "replaylab.synthesis-order/1"
Part = Literal["public", "held-out"]


class Source(Frozen):
    """A professional situation that tasks are made for."""

    id: str
    name: str
    industry: str
    domain: str
    summary: str = ""


class Order(Frozen):
    """One synthesis. `instances` environments a scenario, each about another sub-topic, with a task of each level.

    `tries` is how often each agent tries a task on its own, and how often the plan is carried out. `rounds` bounds the
    repairs of one part. `held_out` is the share of instances, in percent, that goes into the held-out set; which ones
    follows from `seed` before anything is known of them. `alike` is the similarity from which two tasks are duplicates.
    """

    format: str = ORDER_FORMAT
    sources: tuple[Source, ...]
    generator: ModelSettings
    agents: tuple[ModelSettings, ...] = Field(min_length=1)
    simulator: ModelSettings
    verifier: ModelSettings
    instances: int = Field(default=1, ge=1, le=16)
    levels: int = Field(default=4, ge=1, le=9)
    tries: int = Field(default=3, ge=1, le=100)
    votes: int = Field(default=3, ge=1, le=99)
    rounds: int = Field(default=2, ge=0, le=9)
    asks: int = Field(default=3, ge=1, le=9)
    max_steps: int = Field(default=60, ge=1)
    seed: int = 0
    held_out: int = Field(default=30, ge=0, le=100)
    alike: float = Field(default=0.9, gt=0, le=1)
    twins: bool = False

    @property
    def digest(self) -> Digest:
        """Which order it is."""
        return digest(self.to_json())

    @property
    def name(self) -> str:
        """The name that it has where nobody gives one, and that is part of every id."""
        return f"s-{self.digest[:8]}"

    @property
    def all_programs(self) -> bool:
        """Whether a trial of it always ends the same, so that a second try says nothing."""
        return all(one.player == "program" for one in (*self.agents, self.simulator, self.verifier))

    @property
    def real_tries(self) -> int:
        """How often a task is really tried: programs do the same every time."""
        return 1 if self.all_programs else self.tries

    @property
    def real_votes(self) -> int:
        """How many votes are really asked for: a program's are all alike."""
        return 1 if self.verifier.player == "program" else self.votes

    @property
    def players(self) -> dict[str, str]:
        """Who plays, by alias: llm, program or human."""
        return {
            one.alias: one.player for one in (self.generator, *self.agents, self.simulator, self.verifier)
        }

    @property
    def canary(self) -> str:
        """A line that occurs nowhere else, for whoever wants to know whether a model was trained on these tasks."""
        text = digest({"v": "canary/1", "order": self.digest})[:32]
        name = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
        return f"Benchmark data, not for training corpora. Canary {name}"

    def part_of(self, source: str, instance: int) -> Part:
        """The set that an instance goes into: ranked by a digest of the seed, so that the share is exact."""
        ranked = sorted(
            range(self.instances),
            key=lambda number: digest({"v": "split/1", "seed": self.seed, "scenario": source, "i": number}),
        )
        held = (self.instances * self.held_out + 50) // 100
        return "held-out" if instance in ranked[:held] else "public"
