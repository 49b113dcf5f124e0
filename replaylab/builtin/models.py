"""The table of built-in models, and the function that answers a request with one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from replaylab.builtin.answer import Answer, completion
from replaylab.builtin.asked import Asked, Refusal, read_asked
from replaylab.builtin.example import example
from replaylab.builtin.explorer import explorer
from replaylab.builtin.grammar.program import Grammar
from replaylab.builtin.idle import idle
from replaylab.builtin.index import Index
from replaylab.builtin.judges import coin, rubric
from replaylab.builtin.scripted import careful, forgetful, greedy, hasty, quitter, stubborn
from replaylab.builtin.twin import Twins
from replaylab.builtin.violating import SHAPES, Told, violating
from replaylab.canonical import NotIJson
from replaylab.catalogue.loader import Catalogue
from replaylab.near import closest
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.seeded import Seeded


class Program(NamedTuple):
    """A built-in model. `version` goes up with every change that can change an answer."""

    version: int
    answer: Callable[[Asked], Answer | Told]


class Reply(NamedTuple):
    """HTTP status and body: a chat completion, or an error object. `seeded` stands beside the body and never in it."""

    status: int
    body: JsonObject
    seeded: tuple[Seeded, ...] = ()


class Models:
    """The built-in models over a catalogue. Twins are run from `trusted` folders only. Safe to share by threads."""

    def __init__(self, catalogue: Catalogue, trusted: Sequence[Path]) -> None:
        self.index = index = Index(catalogue)
        twins = Twins(index, trusted)
        self.programs: dict[str, Program] = {
            "twin": Program(1, twins.respond),
            **{name: Program(1, partial(violating, twins=twins, name=name)) for name in SHAPES},
            "example": Program(1, example),
            "scripted:careful": Program(2, lambda asked: careful(asked, index)),
            "scripted:stubborn": Program(1, lambda asked: stubborn(asked, index)),
            "scripted:forgetful": Program(1, lambda asked: forgetful(asked, index)),
            "scripted:hasty": Program(2, lambda asked: hasty(asked, index)),
            "scripted:greedy": Program(1, lambda asked: greedy(asked, index)),
            "scripted:quitter": Program(1, lambda asked: quitter(asked, index)),
            "scripted:explorer": Program(1, explorer),
            "scripted:idle": Program(1, idle),
            "rubric": Program(2, lambda asked: rubric(asked, index)),
            "coin": Program(1, coin),
            "grammar": Program(1, Grammar(index, trusted).answer),
        }

    def answer(self, body: Json) -> Reply:
        """The reply to the body of a request."""
        try:
            asked = read_asked(body)
            name, program = self._program(asked.model)
            told, fingerprint = program.answer(asked), f"replaylab:{name}/{program.version}"
            if isinstance(told, Told):
                return Reply(200, completion(asked, told.text, fingerprint), told.seeded)
            return Reply(200, completion(asked, told, fingerprint))
        except Refusal as refusal:
            return Reply(refusal.status, refusal.body())
        except NotIJson as error:
            return Reply(400, Refusal(f"the body is not I-JSON: {error.what}").body())

    def listing(self) -> JsonObject:
        """The answer to `/models`."""
        models = [
            {"id": name, "object": "model", "created": 0, "owned_by": "replaylab"} for name in self.programs
        ]
        return {"object": "list", "data": models}

    def _program(self, name: str) -> tuple[str, Program]:
        if name in self.programs:
            return name, self.programs[name]
        near = closest(name, self.programs)
        raise Refusal(
            f"there is no built-in model {name[:100]!r}",
            status=404,
            param="model",
            code="model_not_found",
            fix=f"Did you mean {near!r}?" if near else f"There are {', '.join(self.programs)}.",
        )
