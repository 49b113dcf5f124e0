"""Unknown plain names under a field that the tool's example has a known one in, or the thing's own record: on which lift somebody
works, where the lifts are closed and are called Sonnhang and Waldlift.
"""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.checks.numbers import exact
from replaylab.diff.calls.arrivals import may_have_come
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import records
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.referred import is_whole
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.fabrications.unknown_reference import unknown_reference
from replaylab.diff.words.identity import key_of, stems, words
from replaylab.diff.words.lexicon import DISCOVERY_VERBS, ID_WORDS, NAME_WORDS, NO_NAMES
from replaylab.diff.words.observed import leaves, words_of
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

# Where somebody or something is who is with nothing that has a name, and who does what nobody named does.
_NOWHERE = stems(
    "break off duty standby leave call hold site foot home lunch rest reserve sick away office training maintenance base here "
    "elsewhere everywhere anywhere nowhere self own system admin automatic auto user other multiple various any all both free spare "
    "idle external internal guest customer staff team"
)


def strange_references(look: Look) -> Iterator[Violation]:
    """Single words that stand for a member of a closed collection, and that nothing in the contract or the calls has."""
    tool = look.step.tool
    if is_write(tool) or verb_of(tool) in DISCOVERY_VERBS:
        return
    for pointer, field, value, collection in (*_as_in_the_example(look), *_in_records(look)):
        if not isinstance(value, str) or not _is_strange(look, value):
            continue
        says = f"refers to {value!r} as {field}"
        yield unknown_reference(look, collection, value, pointer, says=says, observed=value, confidence=0.6)


def _as_in_the_example(look: Look) -> Iterator[tuple[str, str, Json, Collection]]:
    fields = _fields(look) if not look.world.time_moved else {}
    for pointer, field, value in leaves(look.step.observation) if fields else ():
        if field in fields:
            yield pointer, field, value, fields[field]


def _in_records(look: Look) -> Iterator[tuple[str, str, Json, Collection]]:
    """The fields of things that refer to others in the state, wherever they have a value there."""
    for record in records(look):
        for field, value in record.row.items():
            collection = look.contract.referring.get(field)
            before = key_of(record.entity.attributes.get(field))
            if collection is None or before not in collection.keys or may_have_come(look, collection, ""):
                continue
            yield record.at(field), field, value, collection


def _fields(look: Look) -> dict[str, Collection]:
    """The fields of the tool's example that hold a plain name of one closed collection, to which nothing was added."""
    found: dict[str, set[str]] = {}
    for _, field, value in leaves(look.step.tool.example_output):
        if isinstance(value, str) and not stems(field) & {*ID_WORDS, *NAME_WORDS, "by", "from"}:
            found.setdefault(field, set()).add(key_of(value))
    closed = [
        one
        for one in look.contract.collections
        if is_whole(one)
        and one.shape == "map"
        # One of which a call gave no name may be called anything.
        and not (look.contract.can_grow(one) and look.world.anonymous_creations(one))
    ]
    plain = [one for one in closed if not any(char.isdigit() for name in one.ids for char in name)]
    owners = {field: [one for one in plain if keys <= one.keys] for field, keys in found.items()}
    # What is called after its field is what the list itself is of.
    return {
        field: of[0]
        for field, of in owners.items()
        if len(of) == 1 and of[0].key_field != field and not stems(field) & of[0].heads
    }


def _is_strange(look: Look, value: str) -> bool:
    key, own = key_of(value), stems(value)
    if len(words(value)) != 1 or exact(value) is not None or not key or key in NO_NAMES or look.is_known(key):
        return False
    known = look.contract.state_words | _NOWHERE | words_of(look.step.tool.parameters)
    return not own & known.union(*(one.stems for one in look.contract.sentences))
