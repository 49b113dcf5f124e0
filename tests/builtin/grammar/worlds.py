"""Worlds of shipped scenarios, made once."""

from __future__ import annotations

from functools import cache
from typing import Any

from replaylab.builtin.grammar.world import World, world_of
from replaylab.catalogue import files
from replaylab.catalogue.index import shipped
from replaylab.catalogue.twin import Twin, load_twin
from replaylab.schema.scenario import Environment, Scenario
from tests.playground import catalogue

FEW = (
    "greenhouse-irrigation-control",
    "library-catalog-search-and-reservation",
    "fish-farm-water-quality-control",
)


def scenario(name: str) -> Scenario:
    return catalogue().scenario(name)


def twin(name: str, environment: Environment) -> Twin:
    """The scenario's own code at the state of `environment`."""
    placed = environment.model_copy(update={"id": scenario(name).environments[0].id})
    return load_twin(catalogue().folder(name), placed, trusted=[shipped()])


def code(name: str) -> str:
    home = catalogue().folder(name) / "environments" / scenario(name).environments[0].id
    return files.read_text(home / files.TWIN_FILE)


@cache
def world(name: str, seed: Any = 0, *, still: bool = False) -> World:
    return world_of(scenario(name), lambda one: twin(name, one), code(name), seed, still=still)
