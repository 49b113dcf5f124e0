"""A record of what nobody knows: a read that answers for an id which no collection holds, instead of refusing it."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.words.identity import key_of, stem, stems, words
from replaylab.diff.words.lexicon import DISCOVERY_VERBS, FREE_TEXT, NO_NAMES, REFERENCE_WORDS
from replaylab.diff.words.observed import face_of
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.violation import Violation

_LEAST_FIELDS = 2  # beside the name itself; less is an echo


def strangers(look: Look) -> Iterator[Violation]:
    """Records of things that the call names and that nothing has brought in. Being named in this call brings nothing in."""
    if is_write(look.step.tool) or verb_of(look.step.tool) in DISCOVERY_VERBS:
        return
    face = face_of(look.step.observation)
    for argument, value in look.step.arguments.items():
        collection = _sort_of(look, argument)
        key = key_of(value)
        if collection is None or key in NO_NAMES or not _is_unknown(look, key) or collection.find(key):
            continue
        if look.is_instructed(key):
            continue
        shown = [
            field for field, part in face.items() if key_of(part) == key and stems(field) & stems(argument)
        ]
        others = [field for field, part in face.items() if field not in shown and _is_said(part)]
        own = [field for field in others if field in collection.fields]
        if shown and ((len(others) >= _LEAST_FIELDS and own) or _is_as_in_the_example(look, face)):
            yield look.violation(
                kind="fabrication",
                subkind="unknown",
                pointer=f"/{shown[0]}" if shown[0] in (look.step.observation or {}) else "",
                contract=collection.pointer,
                entity=str(value),
                expected=list(collection.ids[:12]),
                observed={field: face[field] for field in own},
                confidence=0.75,
                message=f"{look.step.tool.name} shows a record of {value!r}, which {collection.pointer} does not hold",
            )


def _is_as_in_the_example(look: Look, face: JsonObject) -> bool:
    """Whether the answer has all fields that the tool's example has, so that it is the record and no word of refusal."""
    example = look.step.tool.example_output
    return isinstance(example, dict) and len(example) > 1 and example.keys() <= face.keys()


def _sort_of(look: Look, argument: str) -> Collection | None:
    """The one closed collection whose members an argument takes, by its whole name: `zone` or `zone_id`."""
    parts = words(argument)
    named = parts[:-1] if len(parts) > 1 and parts[-1] in REFERENCE_WORDS else parts
    own = frozenset(stem(part) for part in named)
    if not own or own & FREE_TEXT:
        return None
    found = [
        one
        for one in look.contract.collections
        if "*" not in one.pointer
        and one.shape in ("map", "rows")
        and one.closedness == "closed"
        and len(one.entities) > 1
        and (own <= one.heads or own == one.stems)
    ]
    return found[0] if len(found) == 1 else None


def _is_unknown(look: Look, key: str) -> bool:
    """Whether nothing brought the name in, other than as the name of a field."""
    places = look.contract.universe.places(key)
    came = key in look.world.created or key in look.world.seen
    return bool(key) and not came and all(one.provenance == "state_key" for one in places)


def _is_said(value: Json) -> bool:
    return value is not None and value != "" and not isinstance(value, (list, dict))
