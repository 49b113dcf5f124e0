"""What may have changed by now: by what a description says of a field, else by what was done with the thing."""

from __future__ import annotations

import re

from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.contract import Contract
from replaylab.diff.contract.told import sentences_in, told_of
from replaylab.diff.words.identity import stem, stems, words

_ONLY = re.compile(r"\b(?:only|alone)\b", re.IGNORECASE)


def changed_only_by(contract: Contract, description: str, field: str) -> frozenset[str]:
    """The tools by which alone a field changes, where a sentence of the description says so; none where it does not."""
    wanted = frozenset(stem(word) for word in words(field))
    tools = [one.name for one in contract.environment.tools]
    found = [
        frozenset(name for name in tools if re.search(rf"\b{re.escape(name)}\b", one))
        for one in sentences_in(description)
        if wanted and wanted <= stems(one) and _ONLY.search(one)
    ]
    return found[0] if len(found) == 1 else frozenset()


def described(contract: Contract, collection: Collection) -> str:
    """What the contract says of the part of the state that a collection stands in."""
    if collection.description:
        return collection.description
    part = collection.pointer.split("/")[2:3]
    return told_of(contract.environment, part[0]) if part else ""


def may_have_changed(look: Look, collection: Collection, entity: Entity, field: str) -> bool:
    """Whether a field of a thing may be another by now than at first."""
    description = described(look.contract, collection)
    if never_changes(description, field, collection.fields):
        return False
    if look.world.time_moved:
        return True
    only = changed_only_by(look.contract, description, field)
    if only:
        return any(step.tool.name in only for step in look.world.writes)
    return bool(look.world.writes) and (
        entity.key in look.touched or look.world.fate(entity, collection) != "same"
    )
