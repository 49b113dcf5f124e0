"""One task of a level: written, proved, tried, mended in a set number of rounds, and kept or dropped for a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from replaylab.catalogue.loader import Catalogue
from replaylab.roles.generator import Step
from replaylab.schema.base import JsonObject
from replaylab.schema.finding import Finding
from replaylab.schema.scenario import Environment, Scenario, Task
from replaylab.synthesis import choose
from replaylab.synthesis.asking import Asking, facts_of, told
from replaylab.synthesis.checking import Voted, validated
from replaylab.synthesis.diversity import Nearest, Print, nearest, print_of
from replaylab.synthesis.history import Agreement, Event, Reason, Tally, TaskHistory
from replaylab.synthesis.parts import Misfit, Place, reference_of, scenario_of, task_of
from replaylab.synthesis.proof import Prover, part_of
from replaylab.synthesis.stage import Outside
from replaylab.synthesis.trying import Tried, Trying, guided, tally

WRITTEN: tuple[Step, ...] = ("task", "plan", "rubric", "checks")
# What each step answers with goes into the parts under this name.
NAMED = {"task": "instruction", "rubric": "text", "checks": "checks"}
_KEEPS = {"task": "instruction", "plan": "plan", "rubric": "rubric", "checks": "checks"}
_JUDGED_BY_CHECKS = ("rubric",)  # the alias of the program that votes by the checks themselves


class Ground(NamedTuple):
    """What a task stands in: its environment with the parts it is made of, and the code that runs it, if any does."""

    environment: Environment
    parts: JsonObject
    twin: str | None


@dataclass
class Making:
    """A task that is being made. `parts` has what is written so far, `events` what happened."""

    place: Place
    parts: JsonObject
    events: list[Event] = field(default_factory=list)
    task: Task | None = None
    with_plan: Tally = field(default_factory=Tally)
    alone: dict[str, Tally] = field(default_factory=dict)
    near: Nearest = field(default_factory=lambda: Nearest("", 0.0))
    agreement: Agreement | None = None
    round: int = 0

    def dropped(self, reason: Reason, why: str = "", rules: Sequence[str] = ()) -> TaskHistory:
        self.events.append(
            Event(what="dropped", round=self.round, why=why or reason, rules=tuple(dict.fromkeys(rules)))
        )
        return self._history("dropped", reason)

    def stands(self) -> TaskHistory:
        """Good for its level; whether that level is kept is decided among all."""
        return self._history("passed over")

    def _history(self, status: str, reason: Reason = "") -> TaskHistory:
        calls = self.task.plan.calls if self.task and self.task.plan else ()
        return TaskHistory(
            id=self.place.task,
            level=self.place.level,
            status="dropped" if status == "dropped" else "passed over",
            reason=reason,
            events=tuple(self.events),
            with_plan=self.with_plan,
            alone=self.alone,
            plan_tools=tuple(call.tool for call in calls),
            similar=self.near.similar,
            similar_to=self.near.task,
            agreement=self.agreement,
        )


class TaskMaker:
    """Makes the tasks of one instance, level by level. `others` are prints that a new task must not be too like."""

    def __init__(self, asking: Asking, trying: Trying, prover: Prover, outside: Outside) -> None:
        self._asking, self._trying, self._prover, self._outside = asking, trying, prover, outside

    def make(self, place: Place, ground: Ground, others: dict[str, Print]) -> tuple[TaskHistory, Task | None]:
        """What came of a level: the history, and the task unless it was dropped. A print that stands joins `others`."""
        making = Making(place, dict(ground.parts))
        if not self._write(making, 0):
            return making.dropped("no answer", making.events[-1].why), None
        ended = self._mended(making, ground, others)
        if ended is not None:
            return ended, None
        if making.task is None:
            raise ValueError("a task that stands was never read")
        others[place.task] = print_of(making.task, ground.environment)
        return making.stands(), making.task

    def _write(self, making: Making, round_: int) -> bool:
        """Ask for every part, one after the other; says whether all came."""
        for name in _KEEPS.values():
            making.parts.pop(name, None)
        return all(self._ask(making, step, round_) for step in WRITTEN)

    def _ask(self, making: Making, step: Step, round_: int, findings: Sequence[JsonObject] = ()) -> bool:
        """Ask for one part; with findings, to mend what it is."""
        parts = {name: part for name, part in making.parts.items() if name != "reference"}
        more: JsonObject = {}
        if findings:
            before = parts.pop(_KEEPS[step], None)
            more = {"before": before if step == "plan" else {NAMED[step]: before}, "findings": list(findings)}
        asked = self._asking.about(making.place, step, parts, round_, **more)
        making.events.append(asked.event)
        if asked.value is None:
            return False
        making.parts[_KEEPS[step]] = asked.value if step == "plan" else asked.value[NAMED[step]]
        return True

    def _mended(self, making: Making, ground: Ground, others: dict[str, Print]) -> TaskHistory | None:
        """Prove and try; mend what fails, round by round. None when it stands."""
        while True:
            findings, scenario = self._prove(making, ground)
            if findings:
                if not self._repair(making, findings):
                    return making.dropped("static", findings[0].message, [one.kind for one in findings])
                continue
            ended = self._too_like(making, ground, others)
            if ended is not None:
                return ended
            catalogue = self._placed(making, scenario)
            self._outside.show(catalogue, [self._outside.work] if ground.twin else [])
            wrong = self._judge(making, ground)
            if wrong is None:
                return self._rate(making, ground)
            reason, findings = wrong
            if not self._repair(making, findings):
                return making.dropped(reason, findings[0].message, [one.kind for one in findings])

    def _prove(self, making: Making, ground: Ground) -> tuple[list[Finding], Scenario | None]:
        try:
            making.task = task_of(making.place, making.parts)
        except Misfit as misfit:
            return misfit.findings, None
        scenario = scenario_of(making.place, making.parts, ground.environment, (making.task,))
        folder = self._folder(making, ground, scenario)
        found = self._prover.findings(folder, scenario, trusted=ground.twin is not None)
        # The environment was proved before its first task; what is left of it can't be mended here.
        found = [one for one in found if one.kind != "twin" or ground.twin]
        if found:
            event = Event(
                what="failed",
                part="proof",
                round=making.round,
                why=found[0].message,
                rules=tuple(dict.fromkeys(one.kind for one in found)),
            )
            making.events.append(event)
        return found, scenario

    def _folder(self, making: Making, ground: Ground, scenario: Scenario) -> Path:
        reference = reference_of(making.place.source, making.parts, making.place.order.canary)
        return self._prover.place(scenario, reference, ground.twin)

    def _placed(self, making: Making, scenario: Scenario | None) -> Catalogue:
        """The catalogue that programs play by: the task, and the task with its plan in the instruction."""
        if scenario is None or making.task is None:
            raise ValueError("a task that was not proved is not tried")
        both = scenario.model_copy(update={"tasks": (making.task, guided(making.task))})
        return Catalogue([(both, self._outside.work / scenario.id)])

    def _repair(self, making: Making, findings: Sequence[Finding]) -> bool:
        """One more round: first the parts that the findings are about, in the last round everything anew."""
        rounds = making.place.order.rounds
        if making.round >= rounds:
            return False
        making.round += 1
        if making.round == rounds and rounds > 1:
            return self._write(making, making.round)
        by_part: dict[Step, list[Finding]] = {}
        if findings[0].kind == "diagnosis":  # says which part it is, and the others are what it was told
            by_part[_mends(findings[0])] = list(findings)
        else:
            for one in findings:
                by_part.setdefault(_mends(one), []).append(one)
        return all(
            self._ask(making, step, making.round, told(by_part[step])) for step in WRITTEN if step in by_part
        )

    def _too_like(self, making: Making, ground: Ground, others: dict[str, Print]) -> TaskHistory | None:
        if making.task is None:
            return None
        making.near = nearest(print_of(making.task, ground.environment), others.items())
        if making.near.similar < making.place.order.alike:
            return None
        return making.dropped("duplicate", f"{making.near.similar} like {making.near.task}")

    def _judge(self, making: Making, ground: Ground) -> tuple[Reason, list[Finding]] | None:
        """Whether judges let nothing pass and the plan solves it. None when both are so."""
        task, facts = making.task, facts_of(making.place.source)
        if task is None:
            raise ValueError("a task that was not proved is not tried")
        if ground.twin is None:  # with a twin the static proof has shown it
            verdict, cassette = self._trying.idle(facts, ground.environment, task)
            if verdict.outcome == "pass":
                why = f"judges pass an agent that does nothing: {verdict.reason}"
                self._note(making, "failed", "idle", why, [cassette])
                return "passes anything", [
                    Finding.of("idle-passes", f"tasks/{task.id}.json: rubric.text", why)
                ]
        tried = self._trying.with_plan(facts, ground.environment, task)
        making.with_plan = tally(tried)
        reason = choose.unsolved(making.with_plan)
        self._note(making, "failed" if reason else "passed", "plan", reason, [one.cassette for one in tried])
        if not reason:
            return None
        findings = [_of_trial(one, task) for one in tried]
        if reason == "unsolvable":
            findings = self._diagnosed(making, findings, task)
        return reason, findings

    def _diagnosed(self, making: Making, findings: list[Finding], task: Task) -> list[Finding]:
        """What the generator says is wrong, as the finding that its repair is told; its silence leaves the findings."""
        parts = {name: part for name, part in making.parts.items() if name != "reference"}
        asked = self._asking.about(making.place, "diagnosis", parts, making.round, findings=told(findings))
        making.events.append(asked.event)
        if asked.value is None:
            return findings
        part, why = asked.value["part"], asked.value["why"]
        where = f"{part}: said of {task.id}"
        return [Finding.of("diagnosis", where, why), *findings]

    def _rate(self, making: Making, ground: Ground) -> TaskHistory | None:
        """How often agents solve it alone, what the checks are worth, and whether that is neither always nor never."""
        task = making.task
        if task is None:
            raise ValueError("a task that was not proved is not tried")
        tried = self._trying.alone(facts_of(making.place.source), ground.environment, task)
        names = [agent.alias for agent in making.place.order.agents]
        making.alone = {name: tally([one for one in tried if one.agent == name]) for name in names}
        total = tally(tried)
        why = f"{total.passed} of {total.decided} passed, {total.error} without a verdict"
        self._note(making, "tried", "alone", why, [one.cassette for one in tried])
        self._validate(making, ground, tried)
        reason = choose.too_plain(total)
        return making.dropped(reason) if reason else None

    def _validate(self, making: Making, ground: Ground, tried: Sequence[Tried]) -> None:
        """Hold the proposed checks against the votes; where people's or models' votes decide, keep those that agree."""
        task, order = making.task, making.place.order
        if task is None or not task.rubric.checks:
            return
        voted = [Voted(one.trajectory, one.verdict.outcome) for one in tried]
        found = validated(task.rubric.checks, ground.environment, voted)
        circular = order.verifier.alias in _JUDGED_BY_CHECKS and order.verifier.player == "program"
        making.agreement = found.model_copy(update={"circular": circular})
        if not circular:
            kept = tuple(one for one in task.rubric.checks if one["id"] in found.kept)
            rubric = task.rubric.model_copy(update={"checks": kept})
            making.task = task.model_copy(update={"rubric": rubric})

    @staticmethod
    def _note(making: Making, what: str, part: str, why: str, cassettes: Sequence[str]) -> None:
        making.events.append(
            Event.model_validate(
                {"what": what, "part": part, "round": making.round, "why": why, "cassettes": tuple(cassettes)}
            )
        )


def _mends(finding: Finding) -> Step:
    """The step that a finding is mended by. An environment stands for all its levels, so there the task gives way."""
    part = part_of(finding)
    return next((step for step in WRITTEN if step == part), "task")


def _of_trial(one: Tried, task: Task) -> Finding:
    """What a repair is told of a trial: the calls that were refused, and what the judges said."""
    refused = [
        f"{action.tool} was refused: {action.observation['error']}"
        for action in one.trajectory.actions
        if isinstance(action.observation, dict) and action.observation.get("error")
    ]
    said = [vote.reason for vote in one.verdict.votes][:1]
    what = "; ".join([*refused[:3], *said])[:600] or one.verdict.reason
    kind = "refused" if refused else "judged"
    return Finding.of(kind, f"tasks/{task.id}.json: plan", what)
