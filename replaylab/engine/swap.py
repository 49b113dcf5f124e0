"""Swapping a role: the recorded lanes are kept and only one role is asked anew, into a run of its own.

`verifier`: the trajectories are judged again (`rejudge`). `simulator`: the recorded actions are put to another
simulator (`lockstep/…`); that gives observations and no verdict. Copied lanes name the cassette they come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from replaylab.canonical import Digest, digest
from replaylab.cassette.stored import open_cassette
from replaylab.engine.plan import PlannedTrial, inputs_digest, this_engine
from replaylab.errors import UsageError
from replaylab.roles.prompts import prompts_of
from replaylab.schema.callpath import CallPath, TrialKey, repeat_lane
from replaylab.schema.cassette import ORIGIN, Blob, Header, Provenance
from replaylab.schema.interaction import Interaction
from replaylab.schema.model import ModelSettings
from replaylab.schema.outcome import interaction_outcome
from replaylab.schema.run import Run, RunSpec
from replaylab.store.library import Library

Swapped = Literal["verifier", "simulator"]
History = Literal["recorded", "own"]


def swap_plan(
    library: Library,
    run_id: Digest,
    run: Run,
    role: Swapped,
    model: ModelSettings,
    history: History = "recorded",
    repeats: int = 1,
) -> tuple[RunSpec, list[PlannedTrial]]:
    """The spec and trials of the swapped run: one for each trial of `run` that is recorded.

    `repeats` is how often each call is put to a swapped-in simulator.
    """
    field = "verifiers" if role == "verifier" else "simulators"
    if run.spec.mode != "run":
        raise UsageError(
            f"the run {run.name!r} is itself a {run.spec.mode} run",
            fix="swap a role of the run that it was made from",
        )
    if role == "verifier" and run.evidence == "imported":
        raise UsageError(
            f"nobody judged the imported run {run.name!r}, so there is no verifier to swap",
            fix="its simulator can be swapped where it has one: --swap sim=NAME",
        )
    if role == "verifier" and not run.spec.limits.votes:
        raise UsageError(
            f"nobody voted in the run {run.name!r}: it was judged by checks alone",
            fix="record it with --judged-by votes or both, and swap the verifier of that run",
        )
    if len(getattr(run.spec, field)) != 1:
        raise UsageError(
            f"the run {run.name!r} has {len(getattr(run.spec, field))} {field}, so a swapped trial would have no "
            "address of its own",
            fix=f"import the lines of one {role} as a run of their own, and swap that"
            if run.evidence == "imported"
            else f"record a run with one {role} and swap that",
        )
    mode = "rejudge" if role == "verifier" else f"lockstep/{history}"
    limits = run.spec.limits.model_copy(update={"repeats": repeats})
    spec = run.spec.model_copy(
        update={
            field: (model,),
            "mode": mode,
            "swapped": run_id,
            "prompts": _prompt_digests(run),
            "limits": limits,
        }
    )
    sources = {entry.key: entry.counting.cassette for entry in run.ledger if entry.counting}
    gone = library.all_gone()
    planned = [
        _planned(library, run, cassette, model, mode, repeats)
        for cassette in sources.values()
        if cassette not in gone
    ]
    return RunSpec.model_validate(spec.to_json()), planned


def _prompt_digests(run: Run) -> dict[str, str]:
    return {name: prompt.digest for name, prompt in prompts_of(run.spec.faults).items()}


def _planned(
    library: Library, run: Run, cassette: str, model: ModelSettings, mode: str, repeats: int
) -> PlannedTrial:
    role: Swapped = "verifier" if mode == "rejudge" else "simulator"
    header = open_cassette(library, cassette).header
    before = TrialKey.parse(f"{header.subject.condition}/{header.subject.task}/{header.subject.trial}")
    key = before._replace(condition=before.condition._replace(**{role: model.alias}))
    copies = {"agent": "agent", "simulator": "simulator" if role == "verifier" else ORIGIN}
    live = (
        [f"verifier.{vote}" for vote in range(header.limits.votes)]
        if role == "verifier"
        else ["simulator", *(repeat_lane("simulator", number) for number in range(1, repeats))]
    )
    origin = {} if role == "verifier" else {ORIGIN: header.players["simulator"]}
    copied = {lane: _origin(header, theirs, cassette) for theirs, lane in copies.items()}
    swapped = header.model_copy(
        update={
            "subject": header.subject.model_copy(update={"condition": str(key.condition), "attempt": 0}),
            "created": "",
            "lanes": copied | {lane: Provenance() for lane in live},
            "players": {**header.players, **origin, role: model},
            "mode": mode,
            "limits": header.limits.model_copy(update={"repeats": repeats}),
            # The swapped role is asked by this engine with today's prompts; the copied lanes diverge if theirs changed.
            "prompts": prompts_of(run.spec.faults),
            "engine": this_engine(),
        }
    )
    swapped = swapped.model_copy(update={"inputs": inputs_digest(swapped)})
    return PlannedTrial(key, Header.model_validate(swapped.to_json() | {"type": "header"}), cassette, copies)


def _origin(header: Header, lane: str, cassette: str) -> Provenance:
    """A lane that nobody recorded does not become a recorded one by being copied."""
    how = header.lanes[lane].how if lane in header.lanes else "recorded"
    return Provenance(how=how if how in ("authored", "imported") else "copied", source=cassette)


def copied_lanes(
    library: Library, trial: PlannedTrial
) -> tuple[Mapping[str, list[Interaction]], Callable[[str], Blob]]:
    """The lanes to copy, under the addresses they have in the new trial, and where their blobs are."""
    source = open_cassette(library, trial.source)
    lanes = {
        lane: [
            _moved(row, CallPath(trial.key, lane, ordinal))
            for ordinal, row in enumerate(source.lanes[theirs])
        ]
        for theirs, lane in trial.copies.items()
        if theirs in source.lanes
    }
    return lanes, source.blob


def _moved(row: Interaction, path: CallPath) -> Interaction:
    address = str(path)
    outcome = interaction_outcome(address, row.request.digest, row.final)
    return row.model_copy(update={"path": address, "outcome": outcome})


def swapped_name(name: str, role: Swapped, model: ModelSettings, history: History, repeats: int = 1) -> str:
    """A name for the new run that says what it is, made of safe characters only."""
    tail = "" if role == "verifier" or history == "recorded" else "-own"
    tail += f"-x{repeats}" if repeats > 1 else ""
    plain = "".join(
        char if char.isascii() and (char.isalnum() or char in "-.") else "-" for char in model.alias
    )
    unique = "" if plain == model.alias else f"-{digest(model.alias)[:4]}"
    return f"{name}.{role}-{plain}{unique}{tail}"
