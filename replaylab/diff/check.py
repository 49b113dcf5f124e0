"""The contract check of one simulator alone: observations in, violations and coverage out. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from replaylab.diff.calls.coverage import Tally, why_unchecked
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import told
from replaylab.diff.calls.places import unlisted_places
from replaylab.diff.calls.refusal import Refusal, read_refusal
from replaylab.diff.calls.world import Step, World
from replaylab.diff.contract.contract import Contract, contract_of
from replaylab.diff.contradictions.clockwork import wrong_clocks
from replaylab.diff.contradictions.constants import other_constants
from replaylab.diff.contradictions.contradiction import contradictions
from replaylab.diff.contradictions.echoed import unlike_what_was_set
from replaylab.diff.contradictions.entered import entered_nowhere, entered_otherwise
from replaylab.diff.contradictions.otherwise import shown_otherwise
from replaylab.diff.contradictions.records import other_values
from replaylab.diff.contradictions.returned import unlike_returned
from replaylab.diff.contradictions.stale import stale_values
from replaylab.diff.critical import Critical
from replaylab.diff.disturbance import excused, transport_fault
from replaylab.diff.fabrications.beside import one_more
from replaylab.diff.fabrications.copied import copied_examples
from replaylab.diff.fabrications.fabrication import fabrications
from replaylab.diff.fabrications.hinted import hints
from replaylab.diff.fabrications.in_text import strangers_in_texts
from replaylab.diff.fabrications.miscount import miscounts
from replaylab.diff.fabrications.out_of_order import misplaced
from replaylab.diff.fabrications.overcount import overcounted
from replaylab.diff.fabrications.plain_names import strange_references
from replaylab.diff.fabrications.references import references, strange_names
from replaylab.diff.fabrications.renamed import rows_instead, strange_rows
from replaylab.diff.fabrications.requested import made_up_answers
from replaylab.diff.fabrications.stranger import strangers
from replaylab.diff.fabrications.surplus import surplus_rows
from replaylab.diff.fabrications.undone import never_done
from replaylab.diff.lists.ended import still_shown
from replaylab.diff.lists.extreme import not_the_first
from replaylab.diff.lists.forgotten import forgotten
from replaylab.diff.lists.free_times import booked_but_free
from replaylab.diff.lists.grouped import (
    left_out_of_sections,
    miscounted_sections,
    misplaced_in_sections,
)
from replaylab.diff.lists.made_missing import made_but_left_out
from replaylab.diff.lists.made_otherwise import made_otherwise
from replaylab.diff.lists.misfit import misfits
from replaylab.diff.lists.tallies import untrue_tallies
from replaylab.diff.lists.twice import shown_twice
from replaylab.diff.lists.worked_out import worked_out_otherwise
from replaylab.diff.naming import told_once
from replaylab.diff.omissions.alike import alike_but_left_out
from replaylab.diff.omissions.all_but import all_but
from replaylab.diff.omissions.brought import unshown
from replaylab.diff.omissions.counted import uncounted
from replaylab.diff.omissions.flagged import flagged_but_left_out
from replaylab.diff.omissions.frames import broken_frames
from replaylab.diff.omissions.gone import no_longer_shown
from replaylab.diff.omissions.grown import ungrown
from replaylab.diff.omissions.listed import left_out
from replaylab.diff.omissions.logs import unlogged, unmade
from replaylab.diff.omissions.narrowed import unmatched
from replaylab.diff.omissions.omission import omissions, replaced
from replaylab.diff.omissions.paged import short_pages
from replaylab.diff.omissions.related import unrelated
from replaylab.diff.omissions.requested import unanswered
from replaylab.diff.omissions.restated import unlisted_under_its_new_status
from replaylab.diff.omissions.sections import shortened
from replaylab.diff.omissions.series import gaps, unlike_rows
from replaylab.diff.omissions.sums import excess_rows, short_sums
from replaylab.diff.omissions.unselected import unselected
from replaylab.diff.refusals.denial import denials
from replaylab.diff.refusals.invention import inventions
from replaylab.diff.refusals.plain import plain_denials
from replaylab.diff.words.identity import name_key
from replaylab.diff.words.observed import leaves, read_observation
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.fault import FaultPlan
from replaylab.schema.scenario import Environment, Task, Tool
from replaylab.schema.violation import THRESHOLD, CheckReport, Violation


class Observed(NamedTuple):
    """A call and what the simulator said: what `check_observations` takes, in call order.

    `history` is what its history held instead from then on, in a tuple of one, where that is not what it said.
    """

    tool: str
    arguments: JsonObject
    observation: Json
    history: tuple[Json, ...] = ()


def check_observations(
    environment: Environment, task: Task | None, steps: Iterable[Observed], *, faults: FaultPlan | None = None
) -> CheckReport:
    """What a simulator's observations say against the contract of its environment.

    `faults` is the plan that the simulator was asked to inject itself; faults that the harness injects are not in what
    it said.
    """
    contract, critical = contract_of(environment), Critical(task)
    world, tally = World(), Tally(environment.id)
    found: list[Violation] = []
    said: list[Step] = []
    for number, one in enumerate(steps):
        look, refusal = look_at(contract, task, world, number, one)
        violations = list(_violations(look, refusal))
        # The rubric may know a thing by its name in the state or by that in the answer.
        found += _marked(critical, look.step, told_once(look, _marked(critical, look.step, violations)))
        said.append(look.step)
        tally.add(one.tool, why_unchecked(look, refusal, violations))
        if one.history:  # its past is what it was told that it had said
            look, refusal = look_at(contract, task, world, number, one._replace(observation=one.history[0]))
            violations = list(_violations(look, refusal))
        accused = frozenset(one.pointer for one in violations)
        world.add(look.step, _accepted(look, violations), told(look, accused))
    return report(excused(found, said, faults), tally)


def _marked(critical: Critical, step: Step, found: Iterable[Violation]) -> list[Violation]:
    """The violations of a call; those that the task depends on are marked, and stay so."""
    return [
        one.model_copy(update={"rubric_critical": one.rubric_critical or critical.depends_on(one, step)})
        for one in found
    ]


def report(found: Sequence[Violation], tally: Tally) -> CheckReport:
    """Violations apart from candidates and from possible faults."""
    faults = tuple(one for one in found if one.kind == "possible_fault")
    sure = tuple(one for one in found if one.kind != "possible_fault" and one.confidence >= THRESHOLD)
    unsure = tuple(one for one in found if one.kind != "possible_fault" and one.confidence < THRESHOLD)
    return CheckReport(findings=sure, candidates=unsure, faults=faults, coverage=tally.coverage())


def look_at(
    contract: Contract, task: Task | None, world: World, number: int, one: Observed
) -> tuple[Look, Refusal | None]:
    """One call with this past, and what it refuses with."""
    tool = contract.environment.tool(one.tool) or Tool(name=one.tool)
    observation = read_observation(one.observation)
    refusal = read_refusal(tool, observation, one.arguments)
    step = Step(number, tool, one.arguments, observation, refused=refusal is not None)
    return Look(contract, world, step, task), refusal


def _violations(look: Look, refusal: Refusal | None) -> Iterator[Violation]:
    if refusal is not None:
        fault = transport_fault(look, refusal)
        denied = [] if fault else list(denials(look, refusal))
        yield from [fault] if fault else denied or inventions(look, refusal)
        yield from [] if fault else hints(look)
        return
    denied = list(plain_denials(look))
    if denied:
        yield from denied
        return
    invented = list(_invented(look))
    yield from invented
    yield from _missing(look)
    # A name that nobody knows is an invention, and not another value of its field as well.
    accused, rows = (
        {one.pointer for one in invented},
        tuple(f"{one.pointer}/" for one in invented if one.pointer),
    )
    for others in (
        contradictions(look),
        stale_values(look),
        other_values(look),
        other_constants(look),
        shown_otherwise(look),
        unlike_returned(look),
        entered_otherwise(look),
        misfits(look),
        misplaced_in_sections(look),
        miscounted_sections(look),
        made_otherwise(look),
        still_shown(look),
        untrue_tallies(look),
        booked_but_free(look),
        forgotten(look),
        worked_out_otherwise(look),
    ):
        differing = [one for one in others if one.pointer not in accused and not one.pointer.startswith(rows)]
        yield from differing
        accused |= {one.pointer for one in differing}
    yield from (
        one for one in (*wrong_clocks(look), *unlike_what_was_set(look)) if one.pointer not in accused
    )


def _invented(look: Look) -> Iterator[Violation]:
    """Fabrications, each name once: where several rules find one, what the surest of them says."""
    return _surest(
        (
            *fabrications(look),
            *strangers(look),
            *miscounts(look),
            *references(look),
            *strange_names(look),
            *unlike_rows(look),
            *unlisted_places(look),
            *copied_examples(look),
            *surplus_rows(look),
            *made_up_answers(look),
            *overcounted(look),
            *strange_rows(look),
            *unmade(look),
            *strange_references(look),
            *misplaced(look),
            *strangers_in_texts(look),
            *never_done(look),
            *one_more(look),
            *excess_rows(look),
            *shown_twice(look),
        )
    )


def _surest(found: Iterable[Violation]) -> Iterator[Violation]:
    """Each name once, with the most certain violation of it; the first of equal ones. What bears no name stays."""
    best: dict[str, Violation] = {}
    nameless: list[Violation] = []
    for one in found:
        key = name_key(one.entity)
        if not one.entity:
            nameless.append(one)
        elif key not in best or one.confidence > best[key].confidence:
            best[key] = one
    yield from (*best.values(), *nameless)


def _missing(look: Look) -> Iterator[Violation]:
    """Omissions, each member once."""
    return _surest(
        (
            *omissions(look),
            *replaced(look),
            *left_out(look),
            *unrelated(look),
            *unselected(look),
            *unshown(look),
            *gaps(look),
            *short_pages(look),
            *broken_frames(look),
            *no_longer_shown(look),
            *unlisted_under_its_new_status(look),
            *unanswered(look),
            *shortened(look),
            *ungrown(look),
            *unmatched(look),
            *rows_instead(look),
            *unlogged(look),
            *entered_nowhere(look),
            *uncounted(look),
            *alike_but_left_out(look),
            *all_but(look),
            *flagged_but_left_out(look),
            *short_sums(look),
            *left_out_of_sections(look),
            *made_but_left_out(look),
            *not_the_first(look),
        )
    )


def _accepted(look: Look, violations: Sequence[Violation]) -> frozenset[str]:
    """The keys of the names in an observation that no violation speaks of."""
    against = {name_key(one.entity) for one in violations}
    shown = {
        name_key(str(value)) for _, _, value in leaves(look.step.observation) if isinstance(value, (str, int))
    }
    return frozenset(shown - against - {""})
