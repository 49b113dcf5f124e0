"""What of an answer may be compared with another's: what the contract fixes. Whatever it leaves open is masked out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.refusal import Refusal
from replaylab.diff.calls.subjects import field_key, subjects
from replaylab.diff.calls.world import World
from replaylab.diff.check import Observed, look_at
from replaylab.diff.contract.binding import Binding
from replaylab.diff.contract.contract import Contract
from replaylab.diff.contract.tools import is_write
from replaylab.diff.contradictions.contradiction import differs, is_comparable
from replaylab.diff.words.identity import name_key
from replaylab.diff.words.observed import escape
from replaylab.schema.base import Json
from replaylab.schema.scenario import Task


@dataclass(frozen=True)
class Shown:
    """What an answer shows of one collection: names by what tells them apart, and the pointers of the lists."""

    names: dict[str, str]
    within: tuple[str, ...]


_NOTHING = Shown({}, ())


@dataclass(frozen=True)
class Value:
    """A plain value that the state has too: what was said and where, what the state says and where."""

    pointer: str
    contract: str
    said: Json
    state: Json
    title: str


@dataclass(frozen=True)
class Projection:
    """One answer under the contract. `shown` is by the pointer of the collection, `values` by what they are values of."""

    observation: Json
    refusal: Refusal | None
    shown: dict[str, Shown] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        return self.refusal is not None


def projections(contract: Contract, task: Task | None, steps: Sequence[Observed]) -> list[Projection]:
    """The projection of each answer of one simulator, with its own past behind it."""
    world = World()
    found = []
    for number, one in enumerate(steps):
        look, refusal = look_at(contract, task, world, number, one)
        found.append(project(look, refusal))
        held = one._replace(observation=one.history[0]) if one.history else one
        world.add(look_at(contract, task, world, number, held)[0].step)
    return found


def project(look: Look, refusal: Refusal | None) -> Projection:
    """What the contract fixes of an answer. A refusal shows nothing; what a write shows is its own doing."""
    if refusal is not None:
        return Projection(look.step.observation, refusal)
    shown: dict[str, Shown] = {}
    for binding in look.bindings:
        if _lists(binding):
            before = shown.get(binding.collection.pointer, _NOTHING)
            shown[binding.collection.pointer] = Shown(
                {**before.names, **dict(_names(look, binding))}, (*before.within, binding.group.pointer)
            )
    values = {} if is_write(look.step.tool) or look.world.time_moved else dict(_values(look))
    return Projection(look.step.observation, None, shown, values)


def _lists(binding: Binding) -> bool:
    """Whether a group is a list of a closed collection: plain fields of an object only where they are shown as that."""
    closed = binding.collection.closedness == "closed"
    return closed and (binding.group.shape != "values" or binding.shows_all) and binding.is_named


def _names(look: Look, binding: Binding) -> Iterator[tuple[str, str]]:
    """The members that are shown, and names that nobody knows. What a call brought in has whatever id it was given."""
    for item in binding.group.items:
        entity = binding.entity_of(item)
        if entity is not None:
            yield entity.pointer, binding.id_of(entity) or entity.title
            continue
        name = binding.name_of(item)
        if name and not look.is_known(name_key(name)):
            yield name_key(name), name


def _values(look: Look) -> Iterator[tuple[str, Value]]:
    done: set[str] = set()
    for subject in subjects(look):
        for name, said in subject.row.items():
            fact = subject.fact(name)
            if fact is None or said is None or isinstance(said, (dict, list)):
                continue
            key = f"{fact.pointer}#{field_key(name)}"
            if key not in done and is_comparable(look, name, said, subject):
                done.add(key)
                title = f"{name} of {subject.id}" if subject.id else name
                pointer = f"{subject.pointer}/{escape(name)}"
                yield key, Value(pointer, fact.pointer, said, fact.value, title)


def same_value(one: Json, other: Json) -> bool:
    """Whether two answers can mean one value, in either's words."""
    return not differs(one, other) and not differs(other, one)
