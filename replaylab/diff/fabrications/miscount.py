"""A counter beside a list that counts more than there are: `total_zones` 7 beside all four zones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.words.identity import family, key_of, name_key, stem, words
from replaylab.diff.words.lexicon import CREATE_VERBS, PAGING, PICKING
from replaylab.diff.words.observed import Group, face_of, leaves
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_COUNTS = frozenset(map(stem, ("total", "count", "number", "num")))


def miscounts(look: Look) -> Iterator[Violation]:
    """Counters that are named after the list beside them and say more than it holds. What the state counts is no slip, nor
    what a page leaves for the next.
    """
    face = face_of(look.step.observation)
    counters = {
        field: value
        for field, value in face.items()
        if isinstance(value, int) and not isinstance(value, bool) and _counted(field)
    }
    if not counters or is_write(look.step.tool) or _is_cut(look):
        return
    lists = [
        one for one in look.groups if one.shape in ("rows", "names") and not one.inside and one.name in face
    ]
    for field, value in counters.items():
        for group in lists:
            if _counted(field) == frozenset(map(stem, words(group.name))) and value > _most(look, group):
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
    bound = [one for one in look.bindings if one.group.pointer == group.pointer]
    own = len(bound[0].collection.entities) if bound and look.step.arguments else 0
    families = {family(name) for one in bound[:1] for name in one.collection.ids}
    made = [step for step in look.world.writes if _may_make(look, step, families)]
    grows = any(look.contract.can_grow(one.collection) for one in bound[:1])
    return max(len(group.items), own + (len(made) if grows else 0) if own else 0)


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
