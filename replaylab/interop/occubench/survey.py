"""Counts what is odd in the published configurations. Nothing is dropped because of it; a reader is told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from replaylab.interop.occubench.convert import PLACEHOLDER, appendix_differs, split_prompt
from replaylab.interop.occubench.source import SourceEnvironment
from replaylab.schema.base import Frozen, Json

_FOREIGN = re.compile(
    r"\{\{(?!(?:initial_state|state_descriptions|action_set_definitions)\}\})[A-Za-z_][\w.()]*\}\}"
)
_ESCAPED = re.compile(r"\{\{|\}\}")


class Irregularity(Frozen):
    """`count` occurrences in `environments` configurations, one of which is `example`. `kind` is a `PROBES` name."""

    kind: str
    meaning: str
    count: int
    environments: int
    example: str


class ImportSummary(Frozen):
    """What an import found. `scenarios_without_tasks` are names of the pool; `changed` is false when all was there."""

    scenarios: int = 0
    environments: int = 0
    tasks: int = 0
    scenarios_without_tasks: tuple[str, ...] = ()
    irregularities: tuple[Irregularity, ...] = ()
    problems: tuple[str, ...] = ()
    changed: bool = False


class Probe(NamedTuple):
    """How often something odd occurs in one configuration. What occurs in `everywhere` is not worth a note."""

    meaning: str
    count: Callable[[SourceEnvironment], int]
    everywhere: bool = False


def survey(environments: Iterable[SourceEnvironment]) -> tuple[Irregularity, ...]:
    """Every irregularity that occurs, in the order of `PROBES`."""
    known = sorted(environments, key=lambda one: one.environment_name)
    found = []
    for kind, probe in PROBES.items():
        counts = {one.environment_name: number for one in known if (number := probe.count(one))}
        if counts:
            example = next(iter(counts))
            found.append(
                Irregularity(
                    kind=kind,
                    meaning=probe.meaning,
                    count=sum(counts.values()),
                    environments=len(counts),
                    example=example,
                )
            )
    return tuple(found)


def notes_on(one: SourceEnvironment) -> tuple[str, ...]:
    """The irregularities of one configuration that others don't have, for its `Environment.notes`."""
    return tuple(
        f"{kind}: {number}"
        for kind, probe in PROBES.items()
        if not probe.everywhere and (number := probe.count(one))
    )


def _body(one: SourceEnvironment) -> str:
    return split_prompt(one.world_model_system_prompt).body


def _placeholders(one: SourceEnvironment, name: str) -> int:
    return _body(one).count("{{" + name + "}}")


def _extra(name: str) -> Callable[[SourceEnvironment], int]:
    return lambda one: int(_placeholders(one, name) > 1)


def _escaped(one: SourceEnvironment) -> int:
    return len(_ESCAPED.findall(PLACEHOLDER.sub("", _body(one))))


def _no_format(one: SourceEnvironment) -> int:
    try:
        one.world_model_system_prompt.format()
    except (KeyError, IndexError, ValueError):
        return 1
    return 0


def _walk(value: Json) -> Iterator[Json]:
    yield value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        yield from _walk(part)


def _state(test: Callable[[Json], bool]) -> Callable[[SourceEnvironment], int]:
    return lambda one: sum(test(part) for part in _walk(one.task_initial_state))


def _is_object_list(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _is_ragged(value: Json) -> bool:
    return _is_object_list(value) and len({frozenset(row) for row in value}) > 1


def _has_equal_rows(value: Json) -> bool:
    return _is_object_list(value) and len({json.dumps(row, sort_keys=True) for row in value}) < len(value)


def _is_mixed(value: Json) -> bool:
    return isinstance(value, list) and 0 < sum(isinstance(row, dict) for row in value) < len(value)


def _is_json_text(value: Json) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return isinstance(json.loads(value), (dict, list))
    except ValueError:
        return False


def _no_collection(one: SourceEnvironment) -> int:
    def holds_entities(value: Json) -> bool:
        if _is_object_list(value):
            return True
        return (
            isinstance(value, dict)
            and len(value) > 1
            and all(isinstance(row, dict) for row in value.values())
        )

    inner = (part for top in one.task_initial_state.values() for part in _walk(top))
    return int(not any(holds_entities(part) for part in inner))


def _examples(test: Callable[[Json], bool]) -> Callable[[SourceEnvironment], int]:
    return lambda one: sum(
        tool.has_example and test(tool.example_output) for tool in one.action_set_definitions
    )


def _names_an_error(example: Json) -> bool:
    return any("error" in key for part in _walk(example) if isinstance(part, dict) for key in part)


def _parameters(one: SourceEnvironment) -> Iterator[Json]:
    for tool in one.action_set_definitions:
        parts = tool.parameters.get("properties")  # servers write null, a list, and `true` for a schema
        yield from (one for one in parts.values() if isinstance(one, dict)) if isinstance(parts, dict) else ()


def _inner_schemas(one: SourceEnvironment) -> Iterator[Json]:
    for tool in one.action_set_definitions:
        for part in _walk(tool.parameters):
            if isinstance(part, dict) and isinstance(part.get("properties"), dict):
                yield from part["properties"].values()


PROBES: dict[str, Probe] = {
    "inline_placeholder": Probe(
        "the prompt points at state, description or actions by placeholder, with the values only appended",
        lambda one: len(PLACEHOLDER.findall(_body(one))),
        everywhere=True,
    ),
    "initial_state_repeated": Probe("{{initial_state}} stands more than once", _extra("initial_state")),
    "actions_repeated": Probe(
        "{{action_set_definitions}} stands more than once", _extra("action_set_definitions")
    ),
    "descriptions_repeated": Probe(
        "{{state_descriptions}} stands more than once", _extra("state_descriptions")
    ),
    "descriptions_not_mentioned": Probe(
        "{{state_descriptions}} stands nowhere",
        lambda one: int(_placeholders(one, "state_descriptions") == 0),
    ),
    "foreign_placeholder": Probe(
        "another name stands in doubled braces",
        lambda one: len(_FOREIGN.findall(one.world_model_system_prompt)),
    ),
    "doubled_braces": Probe("braces of the author's own text are escaped", _escaped, everywhere=True),
    "format_fails": Probe("the prompt can't be filled by str.format", _no_format, everywhere=True),
    "appendix_differs": Probe(
        "the appended copies, un-doubled, differ from the fields",
        lambda one: int(appendix_differs(split_prompt(one.world_model_system_prompt).appendix, one)),
    ),
    "braces_in_state": Probe(
        "a text of the state holds braces",
        _state(lambda part: isinstance(part, str) and bool(re.search("[{}]", part))),
    ),
    "json_in_state_text": Probe("a text of the state is itself JSON", _state(_is_json_text)),
    "no_entity_collection": Probe("the state has no list or table of entities", _no_collection),
    "empty_list_in_state": Probe(
        "a list of the state is empty, so its items are unknown", _state(lambda part: part == [])
    ),
    "ragged_list_in_state": Probe("objects of one list have different fields", _state(_is_ragged)),
    "equal_rows_in_state": Probe("a list holds the same object twice", _state(_has_equal_rows)),
    "mixed_list_in_state": Probe("a list mixes objects and other values", _state(_is_mixed)),
    "field_without_description": Probe(
        "a state field has no description",
        lambda one: len(one.task_initial_state.keys() - one.state_description.keys()),
    ),
    "description_without_field": Probe(
        "a description names no state field",
        lambda one: len(one.state_description.keys() - one.task_initial_state.keys()),
    ),
    "example_null": Probe("a tool's example output is null", _examples(lambda example: example is None)),
    "example_list": Probe(
        "a tool's example output is a list", _examples(lambda example: isinstance(example, list))
    ),
    "example_missing": Probe(
        "a tool has no example output",
        lambda one: sum(not tool.has_example for tool in one.action_set_definitions),
    ),
    "empty_list_in_example": Probe(
        "an example output holds an empty list",
        _examples(lambda example: any(part == [] for part in _walk(example))),
    ),
    "error_in_example": Probe("a field of an example output speaks of an error", _examples(_names_an_error)),
    "parameter_without_description": Probe(
        "a parameter has no description",
        lambda one: sum("description" not in part for part in _parameters(one)),
    ),
    "parameters_without_required": Probe(
        "a tool does not say which parameters are required",
        lambda one: sum("required" not in tool.parameters for tool in one.action_set_definitions),
    ),
    "object_without_properties": Probe(
        "a parameter is an object of unknown fields",
        lambda one: sum(
            isinstance(part, dict) and part.get("type") == "object" and "properties" not in part
            for part in _inner_schemas(one)
        ),
    ),
    "non_ascii": Probe(
        "the configuration holds other than ASCII characters",
        lambda one: int(not one.model_dump_json().isascii()),
    ),
    "non_ascii_in_state": Probe(
        "the state holds other than ASCII characters",
        lambda one: int(not json.dumps(one.task_initial_state, ensure_ascii=False).isascii()),
    ),
}
