"""The whole synthesis: scenario by scenario, instance by instance, level by level. The same order gives the same history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from replaylab.roles.generator import Step
from replaylab.schema.base import JsonObject
from replaylab.schema.finding import Finding
from replaylab.schema.scenario import Environment, Task
from replaylab.synthesis import choose
from replaylab.synthesis.asking import Asking, told
from replaylab.synthesis.diversity import Print, print_of, state_shape
from replaylab.synthesis.history import Event, History, InstanceHistory, ScenarioHistory, TaskHistory
from replaylab.synthesis.order import Order, Source
from replaylab.synthesis.parts import Misfit, Place, environment_of, reference_of, scenario_of
from replaylab.synthesis.proof import Prover, part_of
from replaylab.synthesis.rules import reference_rules
from replaylab.synthesis.stage import Outside
from replaylab.synthesis.subtopics import Topics, joined
from replaylab.synthesis.tasks import Ground, TaskMaker
from replaylab.synthesis.trying import Trying

WHY = 300  # characters of a reason in the history
_ENVIRONMENT: tuple[Step, ...] = ("environment", "tools", "state")


class Kept(NamedTuple):
    """A task that was chosen, with all that it is published with."""

    place: Place
    environment: Environment
    task: Task
    parts: JsonObject
    twin: str | None


class Proposed(NamedTuple):
    """A twin that the generator proposes for an environment, and the tasks whose plans it should carry out."""

    environment: Environment
    code: str
    tasks: tuple[Task, ...]


class Made(NamedTuple):
    """What a synthesis came to."""

    history: History
    kept: tuple[Kept, ...]
    proposed: tuple[Proposed, ...] = ()


class Synthesis:
    """Carries out one order. Everything that it is given from outside is in `outside`."""

    def __init__(self, order: Order, outside: Outside) -> None:
        self.order, self.outside = order, outside
        self._asking = Asking(order, outside.steps)
        self._prover = Prover(outside.work, outside.published)
        trying = Trying(order, outside.steps, outside.parallel)
        self._maker = TaskMaker(self._asking, trying, self._prover, outside)
        self._done = 0
        self._proposed: list[Proposed] = []

    def run(self) -> Made:
        """Make, prove, try and choose."""
        kept: list[Kept] = []
        scenarios = tuple(self._scenario(source, kept) for source in self.order.sources)
        times = sorted(self.outside.steps.used.values())
        history = History(
            name=self.order.name,
            order=self.order.to_json(),
            players=self.order.players,
            canary=self.order.canary,
            made_on=times[0][:10] if times else "",
            scenarios=scenarios,
        )
        return Made(history, tuple(kept), tuple(self._proposed))

    def _scenario(self, source: Source, kept: list[Kept]) -> ScenarioHistory:
        events: list[Event] = []
        parts = self._of_scenario(source, events)
        if parts is None:
            reason = "no answer" if events[-1].what == "failed" and not events[-1].rules else "static"
            self._count(self.order.instances * self.order.levels)
            return ScenarioHistory(
                id=source.id, name=source.name, status="dropped", reason=reason, events=tuple(events)
            )
        others = self._shipped_prints(source)
        instances = tuple(
            self._instance(Place(self.order, source, number), parts, others, kept)
            for number in range(self.order.instances)
        )
        return ScenarioHistory(
            id=source.id, name=source.name, status="kept", events=tuple(events), instances=instances
        )

    def _of_scenario(self, source: Source, events: list[Event]) -> JsonObject | None:
        """Reference document and sub-topics; None where they don't come or stay wrong after all repairs."""
        reference = self._reference(source, events)
        if reference is None:
            return None
        parts: JsonObject = {"reference": reference, "summary": reference["summary"]}
        topics = self._subtopics(source, parts, events)
        return None if topics is None else parts | {"subtopics": list(topics)}

    def _reference(self, source: Source, events: list[Event]) -> JsonObject | None:
        more: JsonObject = {}
        for round_ in range(self.order.rounds + 1):
            asked = self._asking.about_scenario(source, "reference", {}, round_, **more)
            events.append(asked.event)
            if asked.value is None:
                return None
            findings = list(reference_rules(asked.value))
            if not findings:
                return asked.value
            events.append(_failed("reference", round_, findings))
            more = {"before": asked.value, "findings": told(findings)}
        return None

    def _subtopics(self, source: Source, parts: JsonObject, events: list[Event]) -> tuple[str, ...] | None:
        """Sixteen; what is missing is asked for, and in the last round a whole list anew, which adds to those that stand."""
        topics = Topics(())
        for round_ in range(self.order.rounds + 1):
            more: JsonObject = {}
            if round_ and (round_ < self.order.rounds or round_ == 1):
                before = {"subtopics": list(topics.stand)}
                more = {"missing": topics.missing, "before": before, "findings": told(topics.findings)}
            asked = self._asking.about_scenario(source, "subtopics", parts, round_, **more)
            if asked.value is None:
                events.append(asked.event)
                return None
            topics = joined(topics.stand, asked.value["subtopics"])
            events.append(_with_left_out(asked.event, topics))
            if not topics.findings:
                return topics.stand
            events.append(_failed("subtopics", round_, topics.findings))
        return None

    def _shipped_prints(self, source: Source) -> dict[str, Print]:
        """What a new task must not repeat: the shipped tasks of the same situation."""
        shipped = self.outside.shipped
        return {
            task.id: print_of(task, shipped.environment(task.environment))
            for scenario in shipped.scenarios
            if scenario.id == source.id
            for task in scenario.tasks
        }

    def _instance(
        self, place: Place, of_scenario: JsonObject, others: dict[str, Print], kept: list[Kept]
    ) -> InstanceHistory:
        events: list[Event] = []
        ground = self._ground(place, dict(of_scenario), events)
        topic = of_scenario["subtopics"][place.instance % len(of_scenario["subtopics"])]
        base = InstanceHistory(
            id=place.environment,
            scenario=place.scenario,
            number=place.instance,
            subtopic=topic,
            set=self.order.part_of(place.source.id, place.instance),
            status="dropped",
        )
        if ground is None:
            self._count(self.order.levels)
            reason = "static" if events[-1].rules else "no answer"
            return base.model_copy(update={"reason": reason, "events": tuple(events)})
        tasks, found = self._levels(place, ground, others)
        twin = self._twin(place, ground, tuple(found.values()), events) if self.order.twins else None
        name = choose.chosen(tasks)
        if name:
            tasks = [one.model_copy(update={"status": "kept"}) if one.id == name else one for one in tasks]
            kept.append(Kept(place, ground.environment, found[name], ground.parts, ground.twin))
        return base.model_copy(
            update={
                "status": "kept" if name else "dropped",
                "reason": "" if name else "never solved" if not tasks else tasks[-1].reason,
                "events": tuple(events),
                "tools": tuple(tool.name for tool in ground.environment.tools),
                "state_shape": tuple(sorted(set(state_shape(ground.environment.initial_state)))),
                "tasks": tuple(tasks),
                "proposed_twin": twin,
            }
        )

    def _levels(
        self, place: Place, ground: Ground, others: dict[str, Print]
    ) -> tuple[list[TaskHistory], dict[str, Task]]:
        tasks, found = [], {}
        for level in range(1, self.order.levels + 1):
            history, task = self._maker.make(place._replace(level=level), ground, others)
            tasks.append(history)
            if task is not None:
                found[history.id] = task
            self._count(1)
        return tasks, found

    def _twin(
        self, place: Place, ground: Ground, tasks: tuple[Task, ...], events: list[Event]
    ) -> JsonObject | None:
        """The code that the generator proposes. It is kept for review and not run here."""
        parts = {name: part for name, part in ground.parts.items() if name != "reference"}
        asked = self._asking.about(place, "twin", parts)
        events.append(asked.event)
        if asked.value is not None:
            self._proposed.append(Proposed(ground.environment, asked.value["code"], tasks))
        return asked.value

    def _ground(self, place: Place, parts: JsonObject, events: list[Event]) -> Ground | None:
        """The environment, proved and mended; None where it can't be."""
        for step in _ENVIRONMENT:
            if not self._ask(place, step, parts, events):
                return None
        for round_ in range(1, self.order.rounds + 2):
            findings, ground = self._prove(place, parts)
            if not findings:
                return ground
            events.append(_failed("proof", round_ - 1, findings))
            if round_ > self.order.rounds:
                return None
            by_part: dict[Step, list[Finding]] = {}
            for one in findings:
                part = part_of(one)
                by_part.setdefault(next((s for s in _ENVIRONMENT if s == part), "environment"), []).append(
                    one
                )
            for step in (one for one in _ENVIRONMENT if one in by_part):
                if not self._ask(place, step, parts, events, round_, by_part[step]):
                    return None
        return None

    def _ask(
        self,
        place: Place,
        step: Step,
        parts: JsonObject,
        events: list[Event],
        round_: int = 0,
        findings: Sequence[Finding] = (),
    ) -> bool:
        names = {"environment": ("environment",), "tools": ("tools",), "state": ("state", "description")}[
            step
        ]
        known = dict(parts)
        more: JsonObject = {}
        if findings:
            before = {name: known.pop(name) for name in names}
            more = {"before": before.get("environment", before), "findings": told(findings)}
        asked = self._asking.about(place, step, known, round_, **more)
        events.append(asked.event)
        if asked.value is None:
            return False
        parts.update({"environment": asked.value} if step == "environment" else asked.value)
        return True

    def _prove(self, place: Place, parts: JsonObject) -> tuple[list[Finding], Ground | None]:
        try:
            environment = environment_of(place, parts)
        except Misfit as misfit:
            return misfit.findings, None
        twin = self.outside.twin_for(parts["environment"], environment)
        scenario = scenario_of(place, parts, environment, ())
        folder = self._prover.place(scenario, reference_of(place.source, parts, self.order.canary), twin)
        found = self._prover.findings(folder, scenario, trusted=twin is not None)
        return found, Ground(environment, parts, twin)

    def _count(self, number: int) -> None:
        self._done += number
        planned = len(self.order.sources) * self.order.instances * self.order.levels
        self.outside.progress(self._done, planned)


def _failed(part: str, round_: int, findings: Sequence[Finding]) -> Event:
    """The event that says which rules a part breaks."""
    rules = tuple(dict.fromkeys(one.kind for one in findings))
    return Event(what="failed", part=part, round=round_, why=findings[0].message, rules=rules)


def _with_left_out(event: Event, topics: Topics) -> Event:
    """The event, with the sub-topics that were left out because of others."""
    if topics.findings or not topics.left_out:
        return event
    return event.model_copy(update={"why": f"left out: {', '.join(topics.left_out)}"[:WHY]})
