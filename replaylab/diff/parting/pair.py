"""Where simulators part: recordings of the same trial held beside each other, with the contract between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from replaylab.canonical import canonical
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.taking import coherent
from replaylab.diff.contract.contract import contract_of
from replaylab.diff.parting.compared import counts
from replaylab.diff.parting.pairing import ALIGNED, Group, Named, all_simulators, family, pair_up
from replaylab.diff.parting.rows import aligned_rows, lockstep_rows
from replaylab.diff.parting.verdicts import judged
from replaylab.diff.parting.voice import Voice, listen
from replaylab.diff.reading import Evidence
from replaylab.errors import UsageError
from replaylab.schema.difference import DiffReport, TrialDiff
from replaylab.store.library import Library
from replaylab.store.processes import in_processes

FEW = 24  # trials; below this, starting processes costs more than it saves
OTHER_ENVIRONMENT = "their environments or tasks are not the same"
Progress = Callable[[int, int], None]
_WORST: tuple[Evidence, ...] = ("authored", "imported", "copied", "recorded")
_TOLD = {
    "authored": "Authored, not recorded: somebody wrote these answers down. They say nothing of a model of that name.",
    "imported": "Imported, not recorded: these answers come from another tool's files. replaylab did not see the calls.",
}


def _quiet(done: int, planned: int) -> None:
    """Nobody is shown."""


def compare_simulators(
    library: Library,
    runs: Sequence[Named],
    sims: Sequence[str] = (),
    *,
    jobs: int = 1,
    progress: Progress = _quiet,
) -> DiffReport:
    """Compare what these simulators said, in these runs and in those that were put their calls in lockstep.

    Without `sims` all that are found take part. `jobs` is a number of processes; the result does not depend on it.
    Raises StoreError for a cassette that is missing or damaged.
    """
    known = family(library, runs)
    named = tuple(dict.fromkeys(sims)) or tuple(all_simulators(library, known))
    if len(named) < 2:
        raise UsageError(
            f"a comparison takes two simulators, and there is {', '.join(named) or 'none'}",
            fix="name two or more",
        )
    pairing = pair_up(library, known, named)
    skipped = Counter(pairing.skipped)
    trials = []
    for number, found in enumerate(_compared(library, pairing.groups, jobs), start=1):
        if isinstance(found, str):
            skipped[found] += 1
        else:
            trials.append(found)
        progress(number, len(pairing.groups))
    evidence = Counter(trial.evidence for trial in trials)
    return DiffReport(
        simulators=named,
        runs=pairing.runs,
        trials=tuple(trials),
        skipped=dict(sorted(skipped.items())),
        evidence=dict(sorted(evidence.items())),
        notices=_notices(trials),
    )


def _notices(trials: Iterable[TrialDiff]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(notice for trial in trials for notice in trial.notices))


def _compared(library: Library, groups: Sequence[Group], jobs: int) -> Iterator[TrialDiff | str]:
    work = partial(compare_group, library)
    if jobs > 1 and len(groups) >= FEW:
        return in_processes(work, groups, jobs, at_once=4)
    return map(work, groups)


def compare_group(library: Library, group: Group) -> TrialDiff | str:
    """One trial under several simulators; why it can't be compared where it can't."""
    cassettes = [open_cassette(library, source.cassette) for source in group.sources]
    first = cassettes[0]
    contents = {canonical([one.header.environment.to_json(), one.header.task.to_json()]) for one in cassettes}
    if len(contents) > 1:
        return OTHER_ENVIRONMENT
    contract = coherent(first, lambda one: contract_of(one.header.environment))
    voices = [
        coherent(cassette, partial(listen, source=source, contract=contract))
        for cassette, source in zip(cassettes, group.sources, strict=True)
    ]
    for voice in voices:
        again = group.again.get(voice.simulator)
        if again is not None:
            _add_again(
                voice,
                coherent(
                    open_cassette(library, again.cassette), partial(listen, source=again, contract=contract)
                ),
            )
    return _trial(group, voices)


def _add_again(voice: Voice, again: Voice) -> None:
    """The original put to the same calls once more gives further answers to the very same questions."""
    for call, said in again.said.items():
        if call in voice.said:
            voice.repeats.setdefault(call, []).extend([said, *again.repeats.get(call, [])])


def _trial(group: Group, voices: Sequence[Voice]) -> TrialDiff:
    header = voices[0].header
    built = aligned_rows(voices) if group.manner == ALIGNED else lockstep_rows(voices)
    found = judged(voices, built)
    return TrialDiff(
        task=header.task.id,
        scenario=header.scenario.id,
        environment=header.environment.id,
        industry=header.scenario.industry,
        faults=header.faults.name,
        manner=group.manner,
        simulators=tuple(voice.simulator for voice in voices),
        keys=tuple(str(voice.source.key) for voice in voices),
        cassettes=tuple(voice.source.cassette for voice in voices),
        verdicts=tuple(voice.source.verdict for voice in voices),
        rows=tuple(built),
        first=next((row.row for row in built if any(map(counts, row.differences))), None),
        violations=found.violations,
        candidates=found.candidates,
        faults_found=tuple(one for voice in voices for one in voice.report.faults),
        coverage=tuple(voice.report.coverage for voice in voices),
        evidence=min((voice.evidence for voice in voices), key=_WORST.index),
        notices=tuple(_told(voices)),
    )


def _told(voices: Sequence[Voice]) -> Iterator[str]:
    for how in dict.fromkeys(voice.evidence for voice in voices):
        if how in _TOLD:
            yield _TOLD[how]
    # Whoever wrote an answer down played nobody.
    played = [voice for voice in voices if voice.evidence in ("recorded", "copied")]
    programs = [voice.simulator for voice in played if voice.player == "program"]
    if programs:
        yield f"Played by programs, not LLMs: {', '.join(programs)}"
    for voice in voices:
        if voice.trajectory.termination == "simulator_error":
            yield f"{voice.simulator} gave no usable answer at one point; what came before it is compared"
