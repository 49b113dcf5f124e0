"""What a write says back: an accepted call that sets a value returns that value and no other."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.checks.numbers import exact
from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.tools import is_write, moves_time
from replaylab.diff.words.identity import key_of, last_word, name_key, stems
from replaylab.diff.words.lexicon import ID_WORDS, NEW_WORDS, OUTCOMES, TARGET_WORDS, VAGUE_FIELDS
from replaylab.diff.words.observed import escape
from replaylab.schema.base import Json, in_json
from replaylab.schema.violation import Violation


def unlike_what_was_set(look: Look) -> Iterator[Violation]:
    """Fields of an accepted write's answer that bear an argument's name and another value of the same choice."""
    step = look.step
    if not is_write(step.tool) or moves_time(step.tool) or not isinstance(step.observation, dict):
        return
    for field, value in step.observation.items():
        argument = _argument(look, field)
        if argument and _is_other_choice(look, argument, value):
            wanted = step.arguments[argument]
            yield look.violation(
                kind="contradiction",
                subkind="changed_value",
                pointer=f"/{escape(field)}",
                entity=_target(look),
                expected=wanted,
                observed=value,
                confidence=0.7,
                message=f"{step.tool.name} was asked to set {argument} to {in_json(wanted)} and returns {field} {in_json(value)}",
            )


def _argument(look: Look, field: str) -> str:
    """The one argument that a field of the answer is called like; `new_status` and `status` are one."""
    said = stems(field) - NEW_WORDS
    found = [name for name in look.step.arguments if said and stems(name) - NEW_WORDS == said]
    aimed = stems(field) & TARGET_WORDS or said <= VAGUE_FIELDS or last_word(field) in ID_WORDS
    return found[0] if len(found) == 1 and not aimed else ""


def _is_other_choice(look: Look, argument: str, value: Json) -> bool:
    """Whether the answer is another of the values that the tool lets one choose, and not a word on how the call went."""
    wanted = look.step.arguments[argument]
    choices = _choices(look, argument)
    if not isinstance(wanted, str) or not isinstance(value, str) or exact(wanted) is not None:
        return False
    others = choices - {key_of(wanted)}
    return key_of(wanted) in choices and name_key(value) in others and not stems(value) <= OUTCOMES


def _choices(look: Look, argument: str) -> frozenset[str]:
    properties = look.step.tool.parameters.get("properties")
    schema = properties.get(argument) if isinstance(properties, dict) else None
    listed = schema.get("enum") if isinstance(schema, dict) else None
    return frozenset(key_of(one) for one in listed) - {""} if isinstance(listed, list) else frozenset()


def _target(look: Look) -> str:
    """The thing that the call was made on."""
    named = [value for key, value in look.step.arguments.items() if last_word(key) in ID_WORDS]
    return str(named[0]) if len(named) == 1 else ""
