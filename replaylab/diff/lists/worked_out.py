"""Numbers that follow from two known ones: what is left of a stock after so many were taken, a price for so many nights; and a stock of
less than nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from replaylab.checks.numbers import exact
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner, records
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.lists.standing import sure
from replaylab.diff.things.listing import by_key, collections_of_things
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.lexicon import ADDED_RATES, NEW_WORDS
from replaylab.diff.words.observed import escape, leaves
from replaylab.schema.base import Json, in_json
from replaylab.schema.violation import Violation

_HELD = stems(
    "stock quantity qty available remaining left units seats places copies spaces inventory hand vials litres tickets"
)
_LEFT = stems("remaining left")
_MANY = stems("quantity qty amount count number units n copies seats pieces volume litres tickets")
_TAKING = stems("take withdraw use consume sell dispense issue draw deduct reserve borrow hand")
_GIVING = stems("restock receive replenish refill stock deposit deliver")
_PRICES = stems("rate price fare fee tariff cost charge")
_TOTALS = stems("total price cost amount sum fare fee")
# Words of a contract by which a price is more or less than so many times a rate.
_BESIDES = ADDED_RATES | stems(
    "discount percent rebate reduction weekend season seasonal half surcharge supplement reduced"
)


def worked_out_otherwise(look: Look) -> Iterator[Violation]:
    """Numbers that are not what they have to be."""
    if is_write(look.step.tool):
        yield from _after_taking(look)
    else:
        yield from _products(look)
        yield from _not_taken(look)


def _after_taking(look: Look) -> Iterator[Violation]:
    """What a call returns as left of the one stock that it was made on."""
    pointer, face = inner(look.step.observation)
    for collection, entity, field in _stocks(look, look.step):
        told = [name for name in face if _is_left(name, field) and exact(face[name]) is not None]
        if len(told) != 1:
            continue
        shown, at = face[told[0]], f"{pointer}/{escape(told[0])}"
        due = _due(look, look.step, collection, entity, field)
        never = all((exact(one.attributes.get(field)) or 0) >= 0 for one in collection.entities)
        number = exact(shown)
        if number is not None and number < 0 and never:
            yield _violation(
                look, at, entity, field, shown, "not less than nothing", "nothing has less than none of it"
            )
        elif due is not None and number != due:
            why = f"so many were there and so many were asked for that it is {float(due):g}"
            yield _violation(look, at, entity, field, shown, float(due), why)


def _stocks(look: Look, step: Step) -> list[tuple[Collection, Entity, str]]:
    """The stock of the one thing with a stock that a call names."""
    found = [
        (collection, entity, field)
        for collection in collections_of_things(look)
        for key in step.named
        if (entity := collection.find(key)) is not None and entity.key == key
        for field, value in entity.attributes.items()
        if stems(field) & _HELD and exact(value) is not None and not isinstance(value, str)
    ]
    return found if len(found) == 1 else []


def _is_left(name: str, field: str) -> bool:
    """Whether an answer's field is the stock as it is after the call."""
    said = stems(name) - NEW_WORDS
    return said == stems(field) - NEW_WORDS or (
        bool(said) and said <= _LEFT | stems(field) and bool(said & _LEFT)
    )


def _due(look: Look, step: Step, collection: Collection, entity: Entity, field: str) -> Fraction | None:
    """How much is there after a call that takes or brings so much; None where that is not known."""
    thing = by_key(look, collection).get(entity.key)
    before = sure(look, collection, thing, field) if thing is not None else ()
    many = _many(step)
    if not before or many is None or exact(before[0]) is None:
        return None
    verb, held = verb_of(step.tool), exact(before[0]) or Fraction(0)
    if verb in _TAKING and not stems(step.tool.name) & _GIVING:
        return held - many
    return held + many if verb in _GIVING else None


def _many(step: Step) -> Fraction | None:
    """The one number that a call was given, for how many."""
    numbers = [
        (name, exact(value)) for name, value in step.arguments.items() if not isinstance(value, (str, bool))
    ]
    given = [(name, one) for name, one in numbers if one is not None]
    return given[0][1] if len(given) == 1 and stems(given[0][0]) & _MANY else None


def _not_taken(look: Look) -> Iterator[Violation]:
    """A stock that is shown as it was at first after the one call that there was on it has taken of it."""
    taking = [step for step in look.world.writes if verb_of(step.tool) in _TAKING and _many(step)]
    if not taking or look.world.time_moved:
        return
    reached = [look.contract.links.reached(step.keys) for step in look.world.writes]
    for record in records(look):
        key = record.entity.key
        steps = [step for step, keys in zip(look.world.writes, reached, strict=True) if key in keys]
        if len(steps) != 1 or steps[0] not in taking or not record.own:
            continue
        for _, entity, field in _stocks(look, steps[0]):
            many, first = _many(steps[0]), exact(entity.attributes[field])
            shown = record.row.get(field)
            if entity.key == key and many and first is not None and exact(shown) == first:
                why = f"{steps[0].tool.name} in call {steps[0].call} took {float(many):g}"
                yield _violation(look, record.at(field), entity, field, shown, float(first - many), why)


def _products(look: Look) -> Iterator[Violation]:
    """A total that is not so many times the one rate that the call asks for."""
    pointer, face = inner(look.step.observation)
    totals = [
        name
        for name in face
        if stems(name) & _TOTALS and "per" not in name.split("_") and _is_number(face[name])
    ]
    numbers = [
        exact(one)
        for one in look.step.arguments.values()
        if not isinstance(one, (str, bool)) and exact(one) is not None
    ]
    if (
        len(totals) != 1
        or len(numbers) != 1
        or not stems(look.step.tool.name) & (_PRICES | stems("quote estimate total"))
    ):
        return
    rates = _rates(look)
    about = [one for one in look.contract.sentences if one.tool in ("", look.step.tool.name)]
    besides = any(one.stems & _BESIDES for one in about) or look.contract.state_words & (_BESIDES - {"free"})
    if len(rates) != 1 or besides or numbers[0] is None:
        return
    name, rate = rates[0]
    due, shown = rate * numbers[0], face[totals[0]]
    if exact(shown) != due:
        at = f"{pointer}/{escape(totals[0])}"
        yield look.violation(
            kind="contradiction",
            subkind="changed_value",
            pointer=at,
            contract=name,
            entity=next((str(one) for one in look.step.arguments.values() if isinstance(one, str)), ""),
            expected=float(due),
            observed=shown,
            confidence=0.7,
            message=f"{look.step.tool.name} shows {totals[0]} as {in_json(shown)}; {float(numbers[0]):g} times {float(rate):g} is {float(due):g}",
        )


def _is_number(value: Json) -> bool:
    return exact(value) is not None and not isinstance(value, (str, bool))


def _rates(look: Look) -> list[tuple[str, Fraction]]:
    """The rates of what the arguments name: an entry in a map of rates, or a price of the thing."""
    found: dict[str, Fraction] = {}
    wanted = {key_of(one) for one in look.step.arguments.values() if isinstance(one, str)} - {""}
    for pointer, _, value in leaves(look.contract.environment.initial_state):
        parts = pointer.split("/")
        number = exact(value)
        named = {key_of(part) for part in parts[-2:]} & wanted
        if (
            named
            and number is not None
            and _is_number(value)
            and any(stems(part) & _PRICES for part in parts[1:])
        ):
            found[f"/initial_state{pointer}"] = number
    changed = any(wanted & step.named for step in look.world.writes)
    return [] if changed else list(found.items())


def _violation(
    look: Look, at: str, entity: Entity, field: str, shown: Json, due: Json, why: str
) -> Violation:
    return look.violation(
        kind="contradiction",
        subkind="changed_value",
        pointer=at,
        contract=f"{entity.pointer}/{escape(field)}",
        entity=entity.id,
        expected=due,
        observed=shown,
        confidence=0.7,
        message=f"{look.step.tool.name} shows {field} of {entity.id!r} as {in_json(shown)}; {why}",
    )
