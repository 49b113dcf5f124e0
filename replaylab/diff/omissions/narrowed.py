"""The same question with one search word more: what the wider answer has shown and the word fits has to be in this one too."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.checks.matcher import same
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner, lists_on_face
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.binding import id_field_of
from replaylab.diff.contract.tools import is_write
from replaylab.diff.words.identity import key_of, last_word, name_key, stems, words
from replaylab.diff.words.lexicon import EVERYTHING, FREE_TEXT, NAME_WORDS
from replaylab.diff.words.observed import Group, Item, groups
from replaylab.schema.base import JsonObject
from replaylab.schema.violation import Violation


def unmatched(look: Look) -> Iterator[Violation]:
    """Rows of the last answer to the same question without the word, whose names say the word, and that are not shown."""
    if is_write(look.step.tool):
        return
    asked = _given(look.step.arguments)
    found = [
        (name, step)
        for name, value in asked.items()
        if isinstance(value, str) and stems(name) & FREE_TEXT
        for step in [_wider(look, {key: part for key, part in asked.items() if key != name})]
        if step is not None
    ]
    if len(found) != 1:
        return
    name, step = found[0]
    pointer, face = inner(step.observation)
    before = {one.name: one for one in groups(face, pointer) if one.shape == "rows" and not one.inside}
    for group in lists_on_face(look):
        if group.name in before:
            yield from _left_out(look, group, before[group.name], str(asked[name]))


def _given(arguments: JsonObject) -> JsonObject:
    return {
        name: value
        for name, value in arguments.items()
        if value not in (None, "", [], {}) and name_key(str(value)) not in EVERYTHING
    }


def _wider(look: Look, asked: JsonObject) -> Step | None:
    """The last answer to a question with these arguments alone, where nothing was done since."""
    earlier = [
        step
        for step in look.world.steps
        if step.tool.name == look.step.tool.name
        and not step.refused
        and _given(step.arguments).keys() == asked.keys()
        and all(same(value, step.arguments[name]) for name, value in asked.items())
    ]
    since = [step for step in look.world.writes if not earlier or step.call > earlier[-1].call]
    return earlier[-1] if earlier and not since else None


def _left_out(look: Look, group: Group, before: Group, word: str) -> Iterator[Violation]:
    """What fits as all that is still shown does: they, too, say the word in a name."""
    field = id_field_of(before)
    here = {key_of(item.row.get(field)) for item in group.items}
    if not field or not all(_says(item, word) for item in group.items):
        return
    for item in before.items:
        key = key_of(item.row.get(field))
        if not key or key in here | look.said or key not in look.world.seen or not _says(item, word):
            continue
        name = str(item.row[field])
        yield look.violation(
            kind="omission",
            subkind="missing" if group.items else "all_missing",
            pointer=group.pointer,
            entity=name,
            expected=item.row,
            observed=[each.row for each in group.items][:12],
            confidence=0.7,
            message=f"{look.step.tool.name} leaves out {name!r}, whose name says {word!r} and which the same question without it has "
            "shown",
        )


def _says(item: Item, word: str) -> bool:
    """Whether a row's name has these words one after the other."""
    wanted = words(word)
    texts = [
        words(value)
        for field, value in item.row.items()
        if isinstance(value, str) and last_word(field) in NAME_WORDS
    ]
    return any(said[at : at + len(wanted)] == wanted for said in texts for at in range(len(said)))
