"""What is known otherwise than as a member: an id that stands inside a text of an answer, and a row inside other lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.refusal import Refusal
from replaylab.diff.contract.tables import OWN, Record, tables_of
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.keyfield import is_reference
from replaylab.diff.words.lexicon import ENDING_VERBS, ID_WORDS
from replaylab.diff.words.observed import leaves
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.violation import Violation

_LEAST = 4  # a shorter name may stand in any text by chance


def told_in_words(look: Look, name: str) -> int | None:
    """The first call whose accepted answer has this id, also inside a text, and which was not told it itself."""
    if len(name) < _LEAST:
        return None
    steps = (one for one in look.world.steps if not one.refused)
    return next((one.call for one in steps if name in one.keys - one.named), None)


def denied_rows(look: Look, refusal: Refusal, denied: Sequence[str]) -> Iterator[Violation]:
    """Rows of the state in lists that are no collection of their own, such as the cells of a grid, that a refusal denies."""
    for _, argument, value in leaves(look.step.arguments):
        key = key_of(value)
        if argument not in denied or not is_reference(argument) or key in look.contract.keys:
            continue
        record = _row_called(look, argument, key)
        if record is not None and not _is_ended(look, key):
            yield look.violation(
                kind="omission",
                subkind="denial",
                pointer=refusal.pointer,
                contract=f"/initial_state{record.pointer}",
                entity=record.name,
                expected=record.name,
                observed=refusal.text,
                confidence=0.85,
                message=f"{look.step.tool.name} says that {record.name!r} does not exist, and /initial_state{record.pointer} holds it",
            )


def _row_called(look: Look, argument: str, key: str) -> Record | None:
    """The row whose own id this is, under a name that the argument shares."""
    if not key:
        return None
    sort = stems(argument) - frozenset(ID_WORDS)
    for table in tables_of(look.contract):
        for one in table.records:
            own = (field for field, value in one.columns.items() if field != OWN and key_of(value) == key)
            if one.key == key and any(stems(field) & sort for field in own):
                return one
    return None


def _is_ended(look: Look, key: str) -> bool:
    return any(key in step.named and stems(step.tool.name) & ENDING_VERBS for step in look.world.writes)


def rows_of(node: Json, names: Collection[str]) -> Iterator[JsonObject]:
    """The plain fields of each row of an answer that has one of these names in a field of its own."""
    if isinstance(node, dict):
        plain = {key: value for key, value in node.items() if not isinstance(value, (dict, list))}
        if any(key_of(value) in names for value in plain.values()):
            yield plain
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from rows_of(part, names)
