"""What a page of a comparison is made of: its findings in reading order, the id of each, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from replaylab.report.diff_finding import Found, Ids, Places
from replaylab.report.diff_trial import Links, notable
from replaylab.schema.difference import DiffReport
from replaylab.schema.violation import Violation


@dataclass(frozen=True)
class Collected:
    """The findings of a report: violations, candidates and possible faults, each in reading order.

    Only the first `listed` of them all get onto the page.
    """

    report: DiffReport
    listed: int

    @cached_property
    def _places(self) -> list[Places]:
        return [Places(trial) for trial in self.report.trials]

    @cached_property
    def _ids(self) -> Ids:
        return Ids()

    @cached_property
    def violations(self) -> list[Found]:
        """Those that the task's checks depend on come first."""
        found = self._found([trial.violations for trial in self.report.trials])
        return sorted(found, key=lambda one: not one.one.rubric_critical)[: self.listed]

    @cached_property
    def candidates(self) -> list[Found]:
        room = self.listed - len(self.violations)
        return self._found([trial.candidates for trial in self.report.trials])[:room]

    @cached_property
    def faults(self) -> list[Found]:
        room = self.listed - len(self.violations) - len(self.candidates)
        return self._found([trial.faults_found for trial in self.report.trials])[:room]

    @property
    def all(self) -> list[Found]:
        """All that are on the page."""
        return [*self.violations, *self.candidates, *self.faults]

    @property
    def left_out(self) -> int:
        """Findings for which the page has no room."""
        trials = self.report.trials
        count = sum(len(one.violations) + len(one.candidates) + len(one.faults_found) for one in trials)
        return count - len(self.all)

    def _found(self, by_trial: Sequence[Sequence[Violation]]) -> list[Found]:
        return [
            Found(one, self._ids.take(one.id), trial, number, *self._places[number].of(one))
            for number, (trial, ones) in enumerate(zip(self.report.trials, by_trial, strict=True))
            for one in ones
        ]

    @cached_property
    def links(self) -> Links:
        """The ids of findings and rows, by where they stand."""
        by_place: dict[tuple[int, int, int], list[tuple[Violation, str]]] = {}
        for one in self.all:
            by_place.setdefault((one.number, one.at, one.side), []).append((one.one, one.id))
        rows = {
            (number, at): self._ids.take(trial.rows[at].id)
            for number, trial in enumerate(self.report.trials)
            for at in range(len(trial.rows))
        }
        return Links(by_place, rows)

    def differing(self) -> list[tuple[int, int]]:
        """(trial, row) of every call at which the answers differ."""
        return [
            (number, at)
            for number, trial in enumerate(self.report.trials)
            for at, row in enumerate(trial.rows)
            if row.differences
        ]

    def noted(self, number: int) -> bool:
        """Whether a trial has anything to show."""
        trial = self.report.trials[number]
        found = trial.violations or trial.candidates or trial.faults_found
        return bool(found) or any(notable(trial, at) for at in range(len(trial.rows)))
