"""`twin+fabricate`, `twin+omit`, `twin+invent`, `twin+contradict`: the twin with contract violations seeded into what it says.

They are how a contract check is measured: what was seeded is known (`schema.seeded`). The state is always the twin's own:
what is invented, left out or shown otherwise changes nothing, and a call that was refused, by right or not, has not
happened. So what follows a violation is true again, and each label holds as the history of the request stands.

Of the calls that a violation of its kind can be seeded into, one in `VIOLATED` has one; of all others, one in `BENIGN` is
said in another way that the contract allows. Which, and how, follows from the model's name, the request's `seed` and its
messages alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from replaylab.builtin.actions import read_history
from replaylab.builtin.answer import json_text
from replaylab.builtin.asked import Asked
from replaylab.builtin.seeded import benign, contradict, fabricate, invent, omit
from replaylab.builtin.seeded.draw import Draw
from replaylab.builtin.seeded.ground import Ground, Said, is_refusal
from replaylab.builtin.twin import Twins
from replaylab.canonical import NotIJson, parse_strict
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool
from replaylab.schema.seeded import Seeded

VIOLATED, BENIGN = 3, 4

Shape = Callable[[Ground, Draw], Said | None]
SHAPES: dict[str, Sequence[Shape]] = {
    "twin+fabricate": fabricate.SHAPES,
    "twin+omit": omit.SHAPES,
    "twin+invent": invent.SHAPES,
    "twin+contradict": contradict.SHAPES,
}


class Told(NamedTuple):
    """An answer, and what was seeded into it."""

    text: str
    seeded: tuple[Seeded, ...]


def violating(asked: Asked, twins: Twins, name: str) -> Told:
    """The observation of the last action as a violating twin gives it. Raises Refusal like the twin."""
    draw = Draw(
        {"v": "violating/1", "model": name, "seed": asked.body.get("seed"), "messages": list(asked.messages)}
    )
    said = spoken(ground_of(asked, twins), SHAPES[name], draw)
    return Told(json_text(said.observation), said.seeded)


def spoken(ground: Ground, shapes: Sequence[Shape], draw: Draw) -> Said:
    """What is said: a violation, a benign variation, or the truth."""
    if draw.once_in(VIOLATED):
        said = _first(ground, shapes, draw)
        if said is not None:
            return said
    if draw.once_in(BENIGN):
        said = _first(ground, benign.SHAPES, draw)
        if said is not None:
            return said
    return Said(ground.truth)


def _first(ground: Ground, shapes: Sequence[Shape], draw: Draw) -> Said | None:
    """What the first shape that applies says, in an order that is drawn."""
    for shape in draw.shuffled(shapes):
        said = shape(ground, draw)
        if said is not None and said.observation != ground.truth:
            return said
    return None


def ground_of(asked: Asked, twins: Twins) -> Ground:
    """What is true for the last action of a request, as its history stands."""
    history = read_history(asked)
    happened = [one.action for one in history[:-1] if not is_refusal(_read(one.said))]
    action = history[-1].action
    environment, before = twins.standing(asked.system, happened)
    state = before.state()
    truth = twins.call(environment, before.fork(), action)

    def put(arguments: JsonObject) -> Json:
        return twins.call(environment, before.fork(), action._replace(arguments=arguments))

    known = "\n".join([*map(str, asked.texts("system")), *asked.texts("user"), *asked.texts("assistant")])
    return Ground(
        environment=environment,
        tool=environment.tool(action.tool) or Tool(name=action.tool),
        arguments=action.arguments,
        truth=truth,
        state=state,
        known=f"{known}\n{json_text(state)}\n{json_text(truth)}".lower(),
        put=put,
    )


def _read(text: str) -> Json:
    try:
        return parse_strict(text)
    except NotIJson:
        return None
