"""What calls have left of a thing: what there was, less what each of them took by its arguments or by the contract."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain

from replaylab.checks.numbers import exact
from replaylab.checks.prose import quantities
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.world import Step
from replaylab.diff.words.identity import stems
from replaylab.diff.words.observed import leaves
from replaylab.diff.words.sentences import split
from replaylab.schema.base import Json

_MOST = 400  # amounts that may be left; more say nothing


def remaining(look: Look) -> frozenset[Fraction]:
    """The amounts that may be left of what a call names, after accepted writes on it: what the state or the call that made it says,
    more or less than what each write was given, or what a sentence about its tool says that it takes.
    """
    found: set[Fraction] = set()
    for key in look.step.named:
        own = [step for step in look.world.writes if key in step.keys]
        things = look.contract.things.get(key, ())
        first = [number for _, entity in things[:1] for number in _plain(entity.attributes)]
        if not first and own and key not in own[0].named:
            first, own = [*_plain(own[0].arguments), *_plain(own[0].observation)], own[1:]
        for start in first if own else ():
            found |= _after(look, start, own)
    return frozenset(found) if len(found) <= _MOST else frozenset()


def _after(look: Look, start: Fraction, steps: list[Step]) -> set[Fraction]:
    found = {start}
    for step in steps:
        taken = {*_plain(step.arguments), *_by_rule(look, step)}
        found |= {one + sign * amount for one in found for amount in taken for sign in (-1, 1)}
        if len(found) > _MOST:
            break
    return found


def _by_rule(look: Look, step: Step) -> Iterator[Fraction]:
    """The numbers of the sentences that speak of what a tool does."""
    about = stems(step.tool.name)
    for one in look.contract.sentences:
        if (one.tool == step.tool.name or (not one.tool and one.stems & about)) and len(split(one.text)) == 1:
            yield from (found.value for found in quantities(one.text, words=True))


def _plain(node: Json) -> list[Fraction]:
    """The numbers of a value that are no texts."""
    numbers = (exact(value) for _, _, value in leaves(node) if not isinstance(value, (str, bool)))
    return list(chain(one for one in numbers if one is not None))
