"""Names inside texts that nobody knows: an id that is written like those of a closed collection, and a name that stands in a
row of a text with members: "takes Salvia and Borage", where the state has Salvia alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.calls.arrivals import may_have_come
from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.fabrications.unknown_reference import unknown_reference
from replaylab.diff.words.identity import family, ids_in, key_of, name_key, stems
from replaylab.diff.words.lexicon import CREATE_VERBS, DISCOVERY_VERBS, NO_NAMES
from replaylab.diff.words.observed import leaves, texts, words_of
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_RUN = re.compile(r"\b[A-Z][\w-]{1,40}(?:(?:, and |,? and |, )[A-Z][\w-]{1,40})+(?![\w-]| [a-z]{0,40}[A-Z])")
_JOINED = re.compile(r", and |,? and |, ")
_SEVERAL = 2


def strangers_in_texts(look: Look) -> Iterator[Violation]:
    """Ids and names in texts that nothing has brought in."""
    tool = look.step.tool
    if verb_of(tool) in DISCOVERY_VERBS | (CREATE_VERBS if is_write(tool) else frozenset()):
        return
    given = _given(look)
    for pointer, text in texts(look.step.observation):
        if " " not in text.strip():
            continue
        for name, collection, confidence in (*_ids(look, text), *_names(look, text)):
            if name_key(name) in given:
                continue
            says = f"speaks of {name!r}"
            yield unknown_reference(
                look, collection, name, pointer, says=says, observed=text, confidence=confidence
            )


def _given(look: Look) -> frozenset[str]:
    """The names inside the texts of this call and of those before."""
    told = (leaves(step.arguments) for step in (*look.world.steps, look.step))
    return frozenset(
        name_key(part)
        for one in told
        for _, _, value in one
        if isinstance(value, str)
        for part in (*ids_in(value), *value.split())
    )


def _ids(look: Look, text: str) -> Iterator[tuple[str, Collection, float]]:
    for name in dict.fromkeys(ids_in(text)):
        collection = look.contract.families.get(family(name))
        if collection is None or look.is_known(name_key(name)) or may_have_come(look, collection, name):
            continue
        if look.step.tool.name not in look.contract.arrivals.makers_of(collection):
            yield name, collection, 0.65


def _names(look: Look, text: str) -> Iterator[tuple[str, Collection, float]]:
    """Single unknown words in a row of names of which all members of a list of plain names are, or several, where the tool's
    example shows that it tells of this list.
    """
    exemplified = [stems(key) for key in _keys(look.step.tool.example_output)]
    for run in _RUN.finditer(text):
        parts = _JOINED.split(run[0])
        keys = {name_key(part) for part in parts}
        for one in look.contract.collections:
            shown = one.keys & keys
            whole = bool(one.entities) and (len(shown) >= _SEVERAL or shown == one.id_keys)
            told = one.shape == "names" and one.closedness == "closed" and one.stems in exemplified
            if not told or not whole or look.world.writes:
                continue
            strange = [part for part in parts if _is_strange(look, part)]
            if len(strange) == 1:
                yield strange[0], one, 0.6


def _keys(node: Json) -> Iterator[str]:
    """The names of all fields of a value."""
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _keys(part)
    yield from node if isinstance(node, dict) else ()


def _is_strange(look: Look, name: str) -> bool:
    key = key_of(name)
    if not key or name.isupper() or key in NO_NAMES or look.is_known(key):
        return False
    known = look.contract.state_words | words_of(look.step.tool.parameters)
    return not stems(name) & known.union(*(one.stems for one in look.contract.sentences))
