"""Asking the generator: each question is a step of its own, with the parts so far in it."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.cassette.tape import Tape
from replaylab.engine.stepping import Names, Steps, blank, step_header
from replaylab.engine.trial import OpenChat, seeded
from replaylab.roles.generator import ROLE, Generator, Question, Step, Written, prompts_for
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.callpath import Condition
from replaylab.schema.cassette import Limits, ScenarioFacts
from replaylab.schema.finding import Finding
from replaylab.synthesis.history import Event
from replaylab.synthesis.order import Order, Source
from replaylab.synthesis.parts import Place

SHOWN = 12  # findings that a repair is told; more would not be read


class Asked:
    """What one question came to, and the event that says so."""

    def __init__(self, written: Written, event: Event) -> None:
        self.value, self.event = written.value, event


class Asking:
    """Puts questions about the candidates of one order."""

    def __init__(self, order: Order, steps: Steps) -> None:
        self._order, self._steps = order, steps
        generator, simulator, verifier = order.generator, order.simulator, order.verifier
        # The generator stands where the agent does: a condition has four parts.
        self.condition = str(Condition(generator.alias, simulator.alias, verifier.alias, "E0"))

    def about_scenario(
        self, source: Source, step: Step, parts: JsonObject, round_: int = 0, missing: int = 0, **more: Json
    ) -> Asked:
        """A question about a whole scenario; `missing` is how many more of a list are wanted."""
        name = f"{source.id}.{self._order.name}:{step}"
        told = self._told(source, round_) | ({"missing": missing} if missing else {})
        return self._ask(source, name, Question(step, told, parts, **more), round_)

    def about(self, place: Place, step: Step, parts: JsonObject, round_: int = 0, **more: Json) -> Asked:
        """A question about an instance or a task."""
        told = self._told(place.source, round_) | {
            "instance": place.instance,
            "subtopic": _subtopic(place, parts),
        }
        if place.level:
            told |= {"level": place.level, "levels": self._order.levels}
        return self._ask(place.source, f"{place.name}:{step}", Question(step, told, parts, **more), round_)

    def _told(self, source: Source, round_: int) -> JsonObject:
        return {"scenario": source.model_dump(mode="json"), "seed": self._order.seed, "round": round_}

    def _ask(self, source: Source, name: str, question: Question, round_: int) -> Asked:
        settings = seeded(self._order.generator, round_)
        address = f"{name}:r{round_}" if round_ else name
        header = step_header(
            Names(self.condition, address),
            facts_of(source),
            blank(question.text(), address),
            {ROLE: self._order.generator},
            (ROLE,),
            prompts=prompts_for(question),
            limits=Limits(votes=0, asks=self._order.asks),
        )

        def run(tape: Tape, open_chat: OpenChat) -> Written:
            return Generator(open_chat(tape.lane(ROLE), settings), settings, asks=self._order.asks).write(
                question
            )

        written, cassette = self._steps.take(header, run, _is_error)
        what = "failed" if written.value is None else "repaired" if question.repairs else "made"
        event = Event(what=what, part=question.step, round=round_, why=written.failed, cassettes=(cassette,))
        return Asked(written, event)


def _is_error(written: Written) -> bool:
    """Whether a call failed. An answer that can't be read is the generator's own fault and is not asked for again."""
    return written.value is None and not written.failed.startswith("unparsable")


def _subtopic(place: Place, parts: JsonObject) -> str:
    topics = parts.get("subtopics") or [""]
    return str(topics[place.instance % len(topics)])


def facts_of(source: Source) -> ScenarioFacts:
    """What tables group by."""
    return ScenarioFacts(id=source.id, name=source.name, industry=source.industry, domain=source.domain)


def told(findings: Sequence[Finding]) -> list[JsonObject]:
    """Findings as a repair is told them."""
    return [
        {"kind": one.kind, "where": one.where, "message": one.message}
        | ({} if one.observed is None else {"observed": one.observed})
        | ({"closest": one.closest} if one.closest else {})
        for one in findings[:SHOWN]
    ]
