"""Things that a call asks for one by one, by a list of names or ids: each one that is known has to be answered for."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.wanted import Entries, Wanted, entries_for, is_ended, is_said, wanted_lists
from replaylab.diff.words.identity import key_of, name_key, stems
from replaylab.diff.words.lexicon import PAGING
from replaylab.schema.violation import Violation

_DEEP = 3  # parts of a pointer by which a key of the state is an entry and no field of the state itself
_WITHOUT = stems("exclude excluding except without not avoid ignore skip omit other")


def unanswered(look: Look) -> Iterator[Violation]:
    """Names that are asked for and known, that an answer has no entry for while it has one for others of them."""
    if any(name_key(one) in PAGING for one in look.step.arguments):
        return
    for wanted in wanted_lists(look):
        shown = list(entries_for(look, wanted))
        if not shown or stems(wanted.argument) & _WITHOUT or _is_picked_otherwise(look, wanted):
            continue
        for name in wanted.names:
            if is_said(look, name) or not _must_be(look, wanted, shown, name):
                continue
            yield look.violation(
                kind="omission",
                subkind="missing",
                pointer=shown[0].group.pointer,
                contract=_place(look, wanted, name),
                entity=name,
                expected=list(wanted.names[:12]),
                observed=[key for one in shown for key in one.by_key][:12],
                confidence=0.8,
                message=f"{look.step.tool.name} was asked for {name!r} in {wanted.argument}, which {_place(look, wanted, name)} has, "
                "and answers for others alone",
            )


def _is_picked_otherwise(look: Look, wanted: Wanted) -> bool:
    """Whether another argument picks some of those that are asked for by what they have."""
    others = {key_of(value) for name, value in look.step.arguments.items() if name != wanted.argument} - {""}
    return any(
        others & entity.value_keys
        for one in look.contract.collections
        for entity in one.entities
        if entity.aliases & wanted.keys
    )


def _must_be(look: Look, wanted: Wanted, shown: list[Entries], name: str) -> bool:
    """Whether a name is one that the answer must have. A plain word may stand there under another name, where there is an
    entry that is none of those asked for.
    """
    renamed = not any(map(str.isdigit, name)) and any(one.others for one in shown)
    return not renamed and bool(_place(look, wanted, name)) and not _may_be_gone(look, name_key(name))


def _may_be_gone(look: Look, key: str) -> bool:
    members = ((one, entity) for one in look.contract.collections if (entity := one.find(key)) is not None)
    return is_ended(look, key) or any(
        look.world.fate(entity, one) == "perhaps gone" for one, entity in members
    )


def _place(look: Look, wanted: Wanted, name: str) -> str:
    """Where a name is known from: an entry of the state, a choice of the argument, an earlier answer; "" where it is not."""
    key = name_key(name)
    for known in look.contract.universe.places(key):
        entry = known.provenance == "state_key" and known.pointer.count("/") >= _DEEP
        choice = known.provenance == "enum" and f"/{wanted.argument}/" in known.pointer
        if entry or choice or (known.provenance == "state" and key in look.contract.keys):
            return known.pointer
    call = {**look.world.seen, **look.world.created}.get(key)
    return f"call {call}" if call is not None and any(map(str.isdigit, key)) else ""
