"""Verifying a library: every byte that something depends on, and everything that is said twice."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from replaylab.canonical import Digest, digest, digest_bytes
from replaylab.cassette.codec import Cassette, request_parts
from replaylab.cassette.request import raw_digest, request_digest
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.tape import message_digests
from replaylab.engine import stepping
from replaylab.engine.ledger import make_run
from replaylab.engine.plan import inputs_digest, keys, planned_count
from replaylab.engine.redact import check_kept
from replaylab.engine.seal import fault_labels, result_of_cassette, seeded_labels
from replaylab.engine.untried import UNTRIED, outcome_of
from replaylab.errors import ReplaylabError
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import CallPath
from replaylab.schema.cassette import Blob, Header, Limits, Seal, evidence_of, key_of
from replaylab.schema.finding import Finding
from replaylab.schema.interaction import Interaction
from replaylab.schema.outcome import interaction_outcome
from replaylab.schema.run import LedgerEntry, PlannedTask, Run, RunSpec, Try
from replaylab.schema.seeded import SEEDED
from replaylab.schema.tombstone import Tombstone
from replaylab.store.frames import read_frames
from replaylab.store.library import Library


@dataclass
class Verified:
    """What was looked at, and what is wrong.

    `gone` has the tombstones by cassette: what was purged or redacted is no finding, and it can't be checked either.
    """

    cassettes: int = 0
    runs: int = 0
    refs: int = 0
    journals: int = 0
    interactions: int = 0
    gone: dict[str, Tombstone] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        return not self.findings


def verify(library: Library, progress: Callable[[int, int], None] = lambda done, all_: None) -> Verified:
    """Check every object, run object, reference and journal. Goes on after damage, so that all of it is named."""
    seen = Verified()
    cassettes, runs = list(library.objects("cassette")), list(library.objects("run"))
    for done, name in enumerate(cassettes):
        progress(done, len(cassettes) + len(runs))
        seen.cassettes += 1
        seen.findings += _guarded(str(library.path(name, "cassette")), _cassette(library, name, seen))
    for name in runs:
        seen.runs += 1
        seen.findings += _guarded(str(library.path(name, "run")), check_run(library, name))
    for name in library.tombstones.names():
        seen.findings += _guarded(str(library.tombstones.path(name)), _tombstone(library, name, seen))
    for path in library.strays():
        seen.findings.append(Finding.of("stray-file", str(path), "not an object, or not in its place"))
    strays = {path.name for path in library.stray_refs()}  # whoever reads the library warns of them
    for ref in library.ref_names():
        if ref in strays:
            continue
        seen.refs += not ref.startswith(".")
        seen.findings += _guarded(f"runs/{ref}", _ref(library, ref))
    seen.findings += _guarded("journal/", _journals(library, seen))
    return seen


def _guarded(where: str, findings: Iterator[Finding]) -> list[Finding]:
    found: list[Finding] = []
    try:
        found.extend(findings)
    except ReplaylabError as error:
        found.append(Finding.of("damaged", error.where or where, error.what))
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        # Whatever a forged file makes a reader trip over is damage of that file, not a fault of the command.
        found.append(Finding.of("damaged", where, f"its content does not hang together: {error!r}"[:300]))
    return found


def _cassette(library: Library, name: Digest, seen: Verified) -> Iterator[Finding]:
    cassette = open_cassette(library, name)
    yield from deep_check(cassette)
    seen.interactions += sum(map(len, cassette.lanes.values()))


def deep_check(cassette: Cassette) -> Iterator[Finding]:
    """Recompute everything that a cassette says of itself: blobs, requests, outcomes, inputs, trajectory, verdict."""
    where, header = cassette.where, cassette.header
    for blob in cassette.blobs:
        if blob.digest != _blob_digest(blob):
            yield Finding.of("blob-digest", f"{where} blob {blob.digest}", "a blob does not match its digest")
    for lane in cassette.lanes.values():
        for ordinal, row in enumerate(lane):
            yield from _interaction(cassette, lane, ordinal, row)
    if inputs_digest(header) != header.inputs:
        yield Finding.of("inputs-digest", where, "the header does not match its inputs digest")
    for name, prompt in header.prompts.items():
        if prompt.digest != digest_bytes(prompt.text.encode()):
            yield Finding.of("prompt-digest", f"{where} prompt {name}", "a prompt does not match its digest")
    if header.subject.is_trial or stepping.is_trial_step(header):
        yield from _derived(cassette)
    elif header.subject.kind in UNTRIED:
        yield from _untried(cassette)


def _blob_digest(blob: Blob) -> Digest:
    return digest(blob.value) if blob.b64 is None else digest_bytes(base64.b64decode(blob.b64))


def _interaction(
    cassette: Cassette, lane: list[Interaction], ordinal: int, row: Interaction
) -> Iterator[Finding]:
    request = row.request
    if cassette.header.subject.is_trial or cassette.header.subject.kind in UNTRIED:
        # An answer in the place of another one would be found nowhere else: each is right by itself.
        address = CallPath.at(key_of(cassette.header), CallPath.parse(row.path).named_lane, ordinal)
        if row.path != str(address):
            yield Finding.of(
                "call-path", row.path, "it stands elsewhere", expected=str(address), observed=row.path
            )
    missing = [part for part in request_parts(request) if not cassette.has_blob(part)]
    if missing:
        yield Finding.of("blob-missing", row.path, f"the blob {missing[0]} is not in the cassette")
        return
    if request.raw is not None:
        now = raw_digest(request.alias, request.method, request.path, request.raw)
    else:
        params = cassette.blob(request.params).value if request.params else {}
        names = message_digests(lane, ordinal)
        now = request_digest(
            request.alias, request.method, request.path, params, names, request.tools, request.turns
        )
    for kind, said, found in (
        ("request-digest", request.digest, now),
        ("outcome-digest", row.outcome, interaction_outcome(row.path, request.digest, row.final)),
    ):
        if said != found:
            yield Finding.of(kind, row.path, "it does not match its digest", expected=said, observed=found)


def _derived(cassette: Cassette) -> Iterator[Finding]:
    seal, result = cassette.seal, result_of_cassette(cassette)
    lanes = {lane: part.model_dump() for lane, part in result.lanes.items()}
    faults = [one.to_json() for one in fault_labels(cassette.header, result.trajectory)]
    labels = [one.to_json() for one in cassette.labels if one.kind == "fault"]
    if not any("phase" in (one.get("value") or ()) for one in labels):  # labels did not always name it
        faults = [one | {"value": _without(one["value"], "phase")} for one in faults]
    seeds = [one.to_json() for one in cassette.labels if one.kind == SEEDED]
    seeded = [one.to_json() for one in seeded_labels(cassette.header, cassette.lanes)]
    for kind, said, now in (
        ("lanes", {lane: part.model_dump() for lane, part in seal.lanes.items()}, lanes),
        ("termination", seal.termination, result.trajectory.termination),
        ("trajectory", seal.trajectory_digest, result.trajectory_digest),
        ("verdict", [seal.verdict, seal.verdict_digest], [result.verdict.outcome, result.verdict_digest]),
        ("outcome", seal.outcome, result.outcome),
        ("faults", labels, faults),
        ("seeded-violations", seeds, seeded),
    ):
        if said != now:
            message = f"the sealed {kind} is not what follows from the recorded answers"
            yield Finding.of(kind, cassette.where, message, expected=said, observed=now)


def _untried(cassette: Cassette) -> Iterator[Finding]:
    """What is no trial comes to no trajectory and no verdict; the seal says so, and what its lanes give."""
    for name, now in outcome_of(cassette.header, cassette.lanes).items():
        said = getattr(cassette.seal, name)
        if said != now:
            message = f"the sealed {name} is not what follows from the recorded answers"
            yield Finding.of(name, cassette.where, message, expected=str(said), observed=str(now))


def _without(value: JsonObject, name: str) -> JsonObject:
    return {key: part for key, part in value.items() if key != name}


def _tombstone(library: Library, name: Digest, seen: Verified) -> Iterator[Finding]:
    stone, where = library.tombstones.get(name), str(library.tombstones.path(name))
    if stone is None:
        return
    if library.gone(name) is not None:
        seen.gone[name] = stone
    if stone.why == "purged" and library.still_has(name):
        message = "it was purged, and its content is still here"
        yield Finding.of("purge-unfinished", str(library.path(name, "cassette")), message)
    yield from check_kept(stone, where)


def check_run(library: Library, name: Digest) -> Iterator[Finding]:
    """Hold a run object against its own spec, outcome digest and cassettes. Raises StoreError for a damaged one."""
    where = str(library.path(name, "run"))
    run = library.read_run(name)
    again = make_run(run.name, run.spec, run.ledger, created=run.created, follows=run.follows)
    if again.outcome != run.outcome:
        yield Finding.of("run-outcome", where, "the ledger does not give the run's outcome digest")
    # Counted first: a forged spec of a few lines may plan more trials than fit into memory.
    if planned_count(run.spec) != len(run.ledger) or [one.key for one in run.ledger] != _planned_keys(run):
        yield Finding.of("run-ledger", where, "the ledger does not list the trials of the spec")
    for entry in run.ledger:
        status = _status(entry)
        if entry.status != status:
            message = "the status is not what its tries say"
            yield Finding.of("ledger-status", entry.key, message, expected=status, observed=entry.status)
        for one in entry.tries:
            stone = library.gone(one.cassette)
            if stone is not None:
                yield from _ledger_stone(run, entry.key, one, stone)
                continue
            if not library.has(one.cassette, "cassette"):
                yield Finding.of(
                    "cassette-missing", entry.key, f"no cassette {one.cassette}", expected=one.cassette
                )
                continue
            yield from _ledger_entry(library, run, entry.key, one)


def _planned_keys(run: Run) -> list[str]:
    return [str(key) for key in keys(run.spec)]


def _status(entry: LedgerEntry) -> str:
    counting = entry.counting
    return "missing" if counting is None else "error" if counting.verdict == "error" else "recorded"


def _ledger_entry(library: Library, run: Run, key: str, one: Try) -> Iterator[Finding]:
    try:
        cassette = open_cassette(library, one.cassette)
        findings = list(_agreement(run, key, one, cassette.header, cassette.seal))
    except ReplaylabError:
        return  # reported with the cassette itself
    yield from findings


def _ledger_stone(run: Run, key: str, one: Try, stone: Tombstone) -> Iterator[Finding]:
    """Of a redacted cassette the header and the seal are still compared with the ledger; of a purged one nothing is left."""
    if stone.kept is not None:
        yield from _agreement(run, key, one, stone.kept.header, stone.kept.seal)


def _agreement(run: Run, key: str, one: Try, header: Header, seal: Seal) -> Iterator[Finding]:
    sealed = [str(key_of(header)), seal.outcome, seal.verdict, seal.termination]
    said = [key, one.outcome, one.verdict, one.termination]
    if sealed != said:
        message = f"the ledger and the cassette {one.cassette} disagree"
        yield Finding.of("ledger-entry", key, message, expected=sealed, observed=said)
    elif other := _unlike_spec(header, run.spec):
        message = f"the cassette {one.cassette} holds another {', '.join(other)} than the run's spec"
        yield Finding.of("ledger-spec", key, message, observed=other)
    elif (evidence := evidence_of(header)) != run.evidence and not _extended(run, evidence):
        message = f"the cassette {one.cassette} is {evidence}, and its run says {run.evidence}"
        yield Finding.of("ledger-evidence", key, message, expected=evidence, observed=run.evidence)


def _extended(run: Run, evidence: str) -> bool:
    """Whether a part may say more of itself than its run: a capture that was imported may have been extended here."""
    return not run.holds_trials and evidence == "recorded"


def _unlike_spec(header: Header, spec: RunSpec) -> list[str]:
    """What a trial was given that is not what its run says."""
    task = digest([header.scenario.to_json(), header.environment.to_json(), header.task.to_json()])
    prompts = {name: prompt.digest for name, prompt in header.prompts.items()}
    fits = {
        "task": PlannedTask(task=header.task.id, content=task) in spec.tasks,
        "agent": header.players.get("agent") in spec.agents,
        "simulator": header.players.get("simulator") in spec.simulators,
        "verifier": header.players.get("verifier") in spec.verifiers,
        "fault plan": header.faults in spec.faults,
        "limits": _limits(header, spec) == spec.limits,
        "prompts": prompts == spec.prompts,
        "mode": header.mode == spec.mode,
    }
    return [name for name, fit in fits.items() if not fit]


def _limits(header: Header, spec: RunSpec) -> Limits:
    """Those of a trial. What was imported ended where its transcript does, whatever bounded it there."""
    if header.subject.kind != "import":
        return header.limits
    return header.limits.model_copy(update={"max_steps": spec.limits.max_steps})


def _ref(library: Library, name: str) -> Iterator[Finding]:
    target = None if name.startswith(".") else library.ref(name)
    if target is not None and not library.has(target, "run"):
        yield Finding.of("ref", f"runs/{name}", f"it points at {target}, which is not in the library")


def _journals(library: Library, seen: Verified) -> Iterator[Finding]:
    for path in sorted((library.root / "journal").glob("*/*.frames")):
        seen.journals += 1
        yield from _guarded(str(path), _journal(path))


def _journal(path: Path) -> Iterator[Finding]:
    read_frames(path)
    yield from ()
