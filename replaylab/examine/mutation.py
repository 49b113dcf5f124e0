"""Mutation: do the checks of a task see it when something is wrong with its plan, and does each of them see anything?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from replaylab.examine.mutants import (
    Mutant,
    answer_mutants,
    extra_mutants,
    step_mutants,
    wide_mutants,
)
from replaylab.examine.stage import Judged, Stage
from replaylab.schema.base import Frozen
from replaylab.schema.finding import Finding


class Mutation(Frozen):
    """What came of the mutants of one task.

    `mutants` and `failed` count those that every check was run on. `decided` says for each check how many mutants it
    failed, `alone` how many of them no other check failed, `dead` which checks failed none.
    """

    task: str
    mutants: int
    failed: int
    decided: dict[str, int]
    alone: dict[str, int]
    findings: tuple[Finding, ...]

    @property
    def dead(self) -> tuple[str, ...]:
        return tuple(check for check, count in self.decided.items() if not count)


def mutate(stage: Stage, where: str) -> Mutation:
    """Play every mutant of a task that its plan solves. `where` is the task's file. Raises UsageError."""
    tally = _Tally(stage, where)
    # First all checks on the mutants whose verdict is due, then the checks that saw nothing yet on others.
    for mutant in step_mutants(stage.found):
        tally.verdict(mutant)
    others = chain(wide_mutants(stage.found), answer_mutants(stage.found), extra_mutants(stage.found))
    for mutant in others:
        if not tally.undecided:
            break
        tally.look_for_life(mutant)
    return tally.result()


class _Tally:
    def __init__(self, stage: Stage, where: str) -> None:
        self._stage, self._where = stage, where
        self._decided = {check.id: 0 for check in stage.checks}
        self._alone = dict(self._decided)
        self._mutants = self._failed = 0
        self._wrong: list[tuple[str, Mutant, str]] = []
        # (step, argument) of a write -> whether a wrong value was seen.
        self._seen: dict[tuple[int, str], bool] = {}

    @property
    def undecided(self) -> frozenset[str]:
        return frozenset(check for check, count in self._decided.items() if not count)

    def verdict(self, mutant: Mutant) -> None:
        judged = self._stage.judge(mutant.calls, mutant.answer)
        self._mutants += 1
        self._failed += judged.outcome == "fail"
        self._count(judged)
        if len(judged.failed) == 1:
            self._alone[next(iter(judged.failed))] += 1
        self._expect(mutant, judged)

    def look_for_life(self, mutant: Mutant) -> None:
        self._count(self._stage.judge(mutant.calls, mutant.answer, only=self.undecided))

    def _count(self, judged: Judged) -> None:
        for check in judged.failed:
            self._decided[check] += 1

    def _expect(self, mutant: Mutant, judged: Judged) -> None:
        """Whether the verdict is the one that the mutant deserves."""
        call = self._stage.plan[mutant.step]
        tool = self._stage.found.environment.tool(call.tool)
        writes = tool is not None and tool.effect == "write"
        failed = judged.outcome == "fail"
        if mutant.kind == "double" and not writes and failed:
            self._wrong.append(("harmless-fails", mutant, "looking twice fails the task"))
        if failed:
            self._seen |= {(mutant.step, mutant.argument): True} if mutant.argument else {}
            return
        if mutant.kind == "drop" and call.purpose == "act":
            self._wrong.append(("mutant-passes", mutant, "the task passes without an act of its plan"))
        elif mutant.kind in ("drop", "swap") and judged.refused:
            self._wrong.append(
                ("mutant-passes", mutant, "the task passes though a call of its plan was refused")
            )
        elif mutant.argument and mutant.bound and writes and call.purpose == "act":
            self._seen.setdefault((mutant.step, mutant.argument), False)

    def result(self) -> Mutation:
        return Mutation(
            task=self._stage.found.task.id,
            mutants=self._mutants,
            failed=self._failed,
            decided=self._decided,
            alone=self._alone,
            findings=tuple(self._findings()),
        )

    def _findings(self) -> Iterator[Finding]:
        for kind, mutant, why in self._wrong:
            where = f"{self._where}: plan.calls.{mutant.step} ({mutant.kind})"
            yield Finding.of(kind, where, f"{why}: {mutant.what}", pointer=f"/plan/calls/{mutant.step}")
        for (step, argument), seen in self._seen.items():
            if not seen:
                yield Finding.of(
                    "argument-unchecked",
                    f"{self._where}: plan.calls.{step}.arguments.{argument}",
                    f"the task passes whatever {argument} of {self._stage.plan[step].tool} is",
                    pointer=f"/plan/calls/{step}/arguments/{argument}",
                )
        for number, check in enumerate(self._stage.checks):
            if not self._decided[check.id]:
                yield Finding.of(
                    "dead-check",
                    f"{self._where}: rubric.checks.{number}",
                    f"no mutant of the plan fails the check {check.id!r}: remove it, or mend it",
                    pointer=f"/rubric/checks/{number}",
                )
