"""What can be done in an environment: calls that its twin carries out, found by trying."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replaylab.builtin.seeded.draw import Draw
from replaylab.canonical import canonical
from replaylab.catalogue.schemas import BrokenSchema, errors_of
from replaylab.catalogue.twin import Twin
from replaylab.checks import is_error
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Environment, PlannedCall, Tool

MOST_SEEN = 40  # values of one name
MOST_READS = 14  # calls of one reading tool
MOST_TRIES = 60  # calls of one writing tool, at one state
MOST_TEXT = 160


class Move(NamedTuple):
    """A call and what it returned."""

    tool: str
    arguments: JsonObject
    observation: Json

    @property
    def planned(self) -> PlannedCall:
        return PlannedCall(tool=self.tool, arguments=self.arguments)


class Moves:
    """The calls of an environment. `known` are calls that somebody made there, whose arguments show what is usual."""

    def __init__(self, environment: Environment, known: Sequence[PlannedCall]) -> None:
        self.environment, self.known = environment, tuple(known)
        self._seen: dict[str, list[Json]] = {}
        for call in self.known:
            self._take(call.arguments)
        self._take(environment.initial_state)

    def reads(self, twin: Twin) -> list[Move]:
        """Looks that the twin answers, each once: those without arguments first, since they name what others take."""
        found: dict[bytes, Move] = {}
        tools = [tool for tool in self.environment.tools if tool.effect == "read"]
        tools.sort(key=lambda tool: len(tool.parameters.get("required", ())))
        for tool in tools:
            count = 0
            for arguments in self._arguments(tool, Draw({"reads": tool.name})):
                key = canonical([tool.name, arguments])
                if key in found or count >= MOST_READS:
                    continue
                observation = twin.call(tool.name, arguments)  # a look leaves no trace
                if not is_error(observation) and isinstance(observation, dict):
                    found[key] = Move(tool.name, arguments, observation)
                    self._take(observation)
                    count += 1
        return list(found.values())

    def writes(self, twin: Twin, draw: Draw) -> Iterator[tuple[Move, Twin]]:
        """Writes that the twin carries out and that change its state, each with the twin after it, in a drawn order."""
        tools = [tool for tool in self.environment.tools if tool.effect == "write"]
        before = twin.state()
        for tool in draw.shuffled(tools):
            for count, arguments in enumerate(self._arguments(tool, draw)):
                if count >= MOST_TRIES:
                    break
                after = twin.fork()
                observation = after.call(tool.name, arguments)
                if not is_error(observation) and isinstance(observation, dict) and after.state() != before:
                    yield Move(tool.name, arguments, observation), after
                    break

    def _arguments(self, tool: Tool, draw: Draw) -> Iterator[JsonObject]:
        """Arguments that the schema allows: as they were given before, with other things in them, and put together."""
        properties: JsonObject = tool.parameters.get("properties", {})
        given = [call.arguments for call in self.known if call.tool == tool.name]
        if not properties:
            yield {}
            return
        made = [one for one in self._drawn(tool, properties, given, draw) if _fits(tool, one)]
        seen: set[bytes] = set()
        for one in made:
            key = canonical(one)
            if key not in seen:
                seen.add(key)
                yield one

    def _drawn(
        self, tool: Tool, properties: JsonObject, given: Sequence[JsonObject], draw: Draw
    ) -> Iterator[JsonObject]:
        required = [name for name in properties if name in tool.parameters.get("required", ())]
        pools = {name: self._pool(name, schema, given) for name, schema in properties.items()}
        shuffled = draw.shuffled(given)
        for number in range(2 * MOST_TRIES):
            if number % 3 == 0 and shuffled:
                base = shuffled[(number // 3) % len(shuffled)]
                names = [name for name in base if pools.get(name)]
                if number >= 3 * len(shuffled) and names:
                    name = draw.one(names)
                    yield {**base, name: draw.one(pools[name])}
                else:
                    yield base
                continue
            if all(pools[name] for name in required):
                yield {name: draw.one(pools[name]) for name in required}

    def _pool(self, name: str, schema: Json, given: Sequence[JsonObject]) -> list[Json]:
        """Values for one parameter, the likeliest first."""
        schema = schema if isinstance(schema, dict) else {}
        if schema.get("enum"):
            return list(schema["enum"])
        if schema.get("type") == "boolean":
            return [True, False]
        values = [call[name] for call in given if name in call] + self._named(name)
        if schema.get("type") == "array":
            items = schema.get("items", {})
            parts = self._pool(_singular(name), items, ())
            values += [[part] for part in parts]
        if schema.get("type") in ("number", "integer"):
            values += [value * 2 for value in values if type(value) is int]
            values += [value - 1 for value in values if type(value) is int and value > 1]
        return _distinct(values)[:MOST_SEEN]

    def _named(self, name: str) -> list[Json]:
        return [
            one
            for known in (name, f"{name}s", f"{name}es", f"{name[:-1]}ies")
            for one in self._seen.get(known, ())
        ]

    def _take(self, node: Json, name: str = "") -> None:
        """Keep what stands under each name: values of fields, and the keys of maps."""
        if isinstance(node, dict):
            if node and all(isinstance(part, dict) for part in node.values()):
                self._keep(name, list(node))
            for key, part in node.items():
                self._take(part, key)
        elif isinstance(node, list):
            for part in node:
                self._take(part, name)
        elif isinstance(node, (str, int, float)) and len(str(node)) <= MOST_TEXT:
            self._keep(name, [node])

    def _keep(self, name: str, values: Sequence[Json]) -> None:
        known = self._seen.setdefault(name, [])
        known += [one for one in values if one not in known][: max(0, MOST_SEEN - len(known))]


def _singular(name: str) -> str:
    return name[:-3] + "y" if name.endswith("ies") else name.removesuffix("s")


def _distinct(values: Sequence[Json]) -> list[Json]:
    found: dict[bytes, Json] = {}
    for one in values:
        found.setdefault(canonical(one), one)
    return list(found.values())


def _fits(tool: Tool, arguments: JsonObject) -> bool:
    """Whether the tool's schema allows the arguments; one by which nothing can be checked allows none."""
    try:
        return not errors_of(tool.parameters, arguments)
    except BrokenSchema:
        return False
