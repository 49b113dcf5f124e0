"""Merging libraries: a set union of objects; run objects of the same name and spec become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from replaylab.canonical import Digest
from replaylab.cassette.indexing import sync_index
from replaylab.engine.ledger import make_run
from replaylab.errors import UsageError
from replaylab.schema.finding import Finding
from replaylab.schema.run import LedgerEntry, Run, Try
from replaylab.store.library import Library
from replaylab.store.merge import StillThere, union


@dataclass(frozen=True)
class Merged:
    """What came in, the run objects that the names now point to, and the conflicts that were left alone."""

    objects: int
    restored: tuple[Path, ...]
    runs: dict[str, str]
    conflicts: tuple[Finding, ...]


def merge(target: Library, sources: Sequence[Library], created: str) -> Merged:
    """Unite `sources` into `target`. `created` is the time for new run objects.

    Every object is verified on its way. A run whose spec differs, or a trial that was recorded twice with different
    outcomes, is a conflict: named, and the target's own reference stays as it was.
    """
    united = union(target, sources)
    runs: dict[str, str] = dict(united.refs)
    conflicts: list[Finding] = [_still_there(one) for one in united.purged]
    for conflict in united.conflicts:
        with target.lock(conflict.name):
            try:
                # The target's own may have moved on before the lock was taken.
                own = target.ref(conflict.name)
                others = [run_id for root, run_id in conflict.runs if root != target.root]
                ids = list(dict.fromkeys([*([own] if own else []), *others]))
                runs[conflict.name] = _merge_name(target, conflict.name, ids, created)
            except MergeConflict as failure:
                conflicts.append(failure.finding)
    sync_index(target)
    return Merged(sum(united.added.values()), united.restored, runs, tuple(conflicts))


def _still_there(one: StillThere) -> Finding:
    stone = one.stone
    what = f"the cassette {stone.cassette} was purged ({stone.reason})"
    if one.here:
        message = f"{what} elsewhere, and this library still has it"
        return Finding.of("merge-purged-elsewhere", stone.cassette, message)
    where = ", ".join(map(str, one.holders))
    message = f"{what}; the copy in {where} was not taken"
    return Finding.of("merge-purged", stone.cassette, message)


class MergeConflict(UsageError):
    """Two libraries hold different things under one name."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message, where=finding.where)
        self.finding = finding


def _merge_name(target: Library, name: str, ids: list[Digest], created: str) -> str:
    ids = _newest_only(target, ids)
    if len(ids) == 1:
        target.set_ref(name, ids[0])
        return ids[0]
    runs = [target.run(run_id)[1] for run_id in ids]
    united = unite(name, runs, follows=sorted(ids), created=created)
    run_id = target.put_run(united)
    target.set_ref(name, run_id)
    return run_id


def _newest_only(target: Library, ids: list[Digest]) -> list[Digest]:
    """Drop the run objects that another one follows already."""
    followed: set[str] = set()
    for run_id in ids:
        stack = list(target.run(run_id)[1].follows)
        while stack:
            before = stack.pop()
            if before not in followed and target.has(before, "run"):
                followed.add(before)
                stack.extend(target.run(before)[1].follows)
    return [run_id for run_id in ids if run_id not in followed]


def unite(name: str, runs: Sequence[Run], *, follows: Sequence[str], created: str) -> Run:
    """One run object out of several with the same spec. The order of `runs` takes no part in its outcome."""
    first = runs[0]
    if not first.holds_trials and any(run.outcome != first.outcome for run in runs):
        message = "the captures of this name hold different recordings; `capture --offline --run ID` plays one by its id: "
        raise _conflict(name, name, "capture", message + ", ".join(run_id[:12] for run_id in follows))
    for run in runs[1:]:
        if run.spec != first.spec:
            raise _conflict(name, name, "spec", "two runs of this name have different specs")
        if run.evidence != first.evidence:
            message = f"one run of this name is {run.evidence} and another {first.evidence}"
            raise _conflict(name, name, "evidence", message)
    tries: dict[str, list[Try]] = {entry.key: [] for entry in first.ledger}
    for run in runs:
        for entry in run.ledger:
            _add_tries(name, entry, tries[entry.key])
    ledger = tuple(_entry(key, found) for key, found in tries.items())
    created = max((created, *(run.created for run in runs)))
    return make_run(name, first.spec, ledger, created=created, follows=follows, evidence=first.evidence)


def _add_tries(name: str, entry: LedgerEntry, found: list[Try]) -> None:
    for one in entry.tries:
        if one in found:
            continue
        rivals = [other for other in found if other.verdict != "error" and one.verdict != "error"]
        if any(other.outcome != one.outcome for other in rivals):
            raise _conflict(
                name, entry.key, "trial", "this trial was recorded twice, with different outcomes", found, one
            )
        if not any(other.outcome == one.outcome for other in found):
            found.append(one)


def _entry(key: str, tries: list[Try]) -> LedgerEntry:
    # Errors before verdicts, each in an order that does not depend on which library was named first.
    ordered = tuple(sorted(tries, key=lambda one: (one.verdict != "error", one.cassette)))
    entry = LedgerEntry(key=key, status="missing", tries=ordered)
    counting = entry.counting
    status = "missing" if counting is None else "error" if counting.verdict == "error" else "recorded"
    return entry.model_copy(update={"status": status})


def _conflict(
    name: str, where: str, kind: str, message: str, found: Sequence[Try] = (), one: Try | None = None
) -> MergeConflict:
    return MergeConflict(
        Finding.of(
            f"merge-{kind}",
            f"run {name}: {where}" if where != name else f"run {name}",
            message,
            expected=[other.cassette for other in found] or None,
            observed=one.cassette if one else None,
        )
    )
