"""A counter beside a list that counts more than there are: `total_zones` 7 beside all four zones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import last_of
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.words.identity import family, key_of, name_key, stem, stems, words
from replaylab.diff.words.lexicon import COUNTING, CREATE_VERBS, PAGING, PICKING
from replaylab.diff.words.observed import Group, face_of, leaves
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_COUNTS = frozenset(map(stem, ("total", "count", "number", "num")))


def miscounts(look: Look) -> Iterator[Violation]:
    """Counters that are named after the list beside them and say more than it holds. What the state counts is no slip, nor
    what a page leaves for the next; more than there are of a sort whose members the contract accounts for are on no page.
    """
    face = face_of(look.step.observation)
    counters = {
        field: value
        for field, value in face.items()
        if isinstance(value, int) and not isinstance(value, bool) and _counted(field)
    }
    if not counters or is_write(look.step.tool):
        return
    cut = _is_cut(look)
    lists = [
        one for one in look.groups if one.shape in ("rows", "names") and not one.inside and _name(one) in face
    ]
    for field, value in counters.items():
        for group in lists:
            own = _counted(field) == frozenset(map(stem, words(_name(group))))
            most = _most(look, group) if not cut else _all(look, group)
            if own and most is not None and value > most and not _is_sum(group, value):
                yield look.violation(
                    kind="fabrication",
                    subkind="counter_mismatch",
                    pointer=f"/{field}",
                    contract="",
                    entity="",
                    expected=len(group.items),
                    observed=value,
                    confidence=0.75,
                    message=f"{look.step.tool.name} counts {value} in {field}, and {group.pointer} holds {len(group.items)}",
                )


def _name(group: Group) -> str:
    """What a list is called; `items` may be its own name and not only a wrapper."""
    return group.name or last_of(group.pointer)


def _is_sum(group: Group, value: int) -> bool:
    """Whether a counter adds up a quantity of the rows: 12 items on three lines."""
    fields = {field for item in group.items for field in item.row if stems(field) & (COUNTING | {"qty"})}
    rows = [[item.row.get(field) for item in group.items] for field in fields]
    plain = ([one for one in row if isinstance(one, (int, float))] for row in rows)
    return any(row and sum(row) == value for row in plain)


def _counted(field: str) -> frozenset[str]:
    """What a field counts: zones, for `total_zones`; nothing where it counts nothing by name."""
    own = [stem(word) for word in words(field)]
    rest = frozenset(own) - _COUNTS - {"of"}
    return rest if len(rest) < len(own) and set(own) & _COUNTS else frozenset()


def _is_cut(look: Look) -> bool:
    """Whether the call or the answer speaks of pages, or the tool picks."""
    face = face_of(look.step.observation)
    # A count that is the number of rows beside it tells them, and cuts nothing. What a filter may leave out is known then.
    shown = {one.group.pointer for one in look.bindings if one.evidence.members and look.step.arguments}
    sizes = [len(one.items) for one in look.groups if one.pointer in shown]
    fields = [
        *look.step.arguments,
        *(field for field, value in face.items() if not _tells(field, value, sizes)),
    ]
    if any(name_key(field) in PAGING | {"pages", "totalpages", "hasmore"} for field in fields):
        return True
    return any(stem(word) in PICKING for word in words(look.step.tool.name))


def _tells(field: str, value: Json, sizes: Sequence[int]) -> bool:
    return name_key(field) == "count" and value in sizes


def _most(look: Look, group: Group) -> int:
    """How many there may be: those that are shown, and where others of their collection may have been filtered, all."""
    found = _shown(look, group)
    return max(len(group.items), _there_are(look, found) if found and look.step.arguments else 0)


def _all(look: Look, group: Group) -> int | None:
    """How many there are of what a list shows by ids; None where the contract does not account for how they come."""
    found = _shown(look, group)
    if found is None or not any(one.group.pointer == group.pointer and one.id_field for one in look.bindings):
        return None
    grows = look.contract.can_grow(found) and not look.contract.arrivals.is_accounted_for(found)
    closed = found.closedness == "closed" and found.shape in ("map", "rows") and "*" not in found.pointer
    return max(len(group.items), _there_are(look, found)) if closed and not grows else None


def _shown(look: Look, group: Group) -> Collection | None:
    return next((one.collection for one in look.bindings if one.group.pointer == group.pointer), None)


def _there_are(look: Look, collection: Collection) -> int:
    """The members, and those that calls may have made."""
    families = {family(name) for name in collection.ids}
    made = [step for step in look.world.writes if _may_make(look, step, families)]
    return len(collection.entities) + (len(made) if look.contract.can_grow(collection) else 0)


def _may_make(look: Look, step: Step, families: Set[tuple[str, ...]]) -> bool:
    """Whether a call may have made one more: it returned an id of this family that was not there, or makes something and
    returned no id at all.
    """
    new = [
        value
        for _, _, value in leaves(step.observation)
        if isinstance(value, str)
        and look.world.created.get(key_of(value)) == step.call
        and key_of(value) not in step.named
    ]
    fresh = [
        one for one in new if not look.contract.names_a_thing(key_of(one)) and any(map(str.isdigit, one))
    ]
    return any(family(one) in families for one in fresh) or (verb_of(step.tool) in CREATE_VERBS and not fresh)
