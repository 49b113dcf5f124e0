"""What a name on the command line means: a run, a trial, a lane, an interaction, or a cassette."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from replaylab.canonical import Digest
from replaylab.cassette.stored import open_cassette
from replaylab.errors import UsageError
from replaylab.near import closest, listed, nearest
from replaylab.report.commands import command_line
from replaylab.report.view import Asked, Price, Trial, open_trial, unpriced
from replaylab.schema.callpath import CallPath, TrialKey
from replaylab.schema.run import LedgerEntry, Run
from replaylab.store.library import Library
from replaylab.store.objects import MIN_PREFIX, SUFFIXES

_PREFIX = re.compile(rf"[0-9A-Fa-f]{{{MIN_PREFIX},64}}")
_LISTED = 8


class FoundRun(NamedTuple):
    """A run object."""

    run_id: Digest
    run: Run


class FoundTrial(NamedTuple):
    """A trial."""

    trial: Trial


class FoundLane(NamedTuple):
    """A lane of a trial."""

    trial: Trial
    lane: str


class FoundInteraction(NamedTuple):
    """An interaction of a trial."""

    trial: Trial
    asked: Asked


Found = FoundRun | FoundTrial | FoundLane | FoundInteraction


@dataclass(frozen=True)
class Question:
    """`what` is a name or None for the newest run; `run` says where a trial key is looked up; `number` is a try."""

    what: str | None = None
    run: str | None = None
    number: int | None = None


def find(library: Library, question: Question, price: Price = unpriced) -> Found:
    """What the question names. Raises UsageError with what comes closest when that is nothing or several things."""
    what = question.what
    if question.run is not None:
        library.run(question.run)  # that there is no such run is said first: all else may follow from it
    if what is None:
        _refuse_try(question)
        return FoundRun(*library.run(question.run))
    path = _as_path(what)
    if path is not None:
        return _inside(_trial_of(library, path.key, question, price), path)
    _refuse_try(question)
    if question.run is not None:
        raise UsageError(
            "--run says in which run a trial key is looked up", where=what[:200], fix="leave --run out"
        )
    if what in library.refs():
        return FoundRun(*library.run(what))
    if _PREFIX.fullmatch(what):
        return _by_digest(library, what.lower(), price)
    raise unknown(library, what)


def _refuse_try(question: Question) -> None:
    if question.number is not None:
        raise UsageError("--try chooses among the tries of a trial", fix="name a trial key with it")


def _as_path(what: str) -> CallPath | None:
    """The CallPath that a text is; a trial key is one with an empty lane. None for what is neither."""
    try:
        return CallPath.parse(what)
    except (UsageError, UnicodeDecodeError):
        pass
    try:
        return CallPath(TrialKey.parse(what), "")
    except (UsageError, UnicodeDecodeError):
        return None


def _by_digest(library: Library, prefix: str, price: Price) -> Found:
    found = [
        (name, suffix) for suffix in SUFFIXES for name in library.objects(suffix) if name.startswith(prefix)
    ]
    found += [(name, "cassette") for name in library.tombstones.names() if name.startswith(prefix)]
    found = list(dict.fromkeys(found))
    if not found:
        raise unknown(library, prefix)
    if len(found) > 1:
        named = ", ".join(f"{name[:16]} ({suffix})" for name, suffix in found[:_LISTED])
        more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
        raise UsageError(
            f"{len(found)} objects begin with {prefix}",
            where=str(library.root),
            closest=named + more,
            fix="give more digits",
        )
    name, suffix = found[0]
    if suffix == "run":
        return FoundRun(name, library.read_run(name))
    cassette = open_cassette(library, name)
    if not cassette.header.subject.is_trial and cassette.header.subject.kind != "capture":
        raise UsageError(
            f"this cassette records a {cassette.header.subject.kind} and no trial",
            where=cassette.where,
            fix="show takes cassettes of trials and captures",
        )
    return FoundTrial(Trial(cassette, price))


def _trial_of(library: Library, key: TrialKey, question: Question, price: Price) -> Trial:
    runs = [FoundRun(*library.run(question.run))] if question.run else newest_first(library)
    missing: tuple[FoundRun, LedgerEntry] | None = None
    for found in runs:
        entry = next((one for one in found.run.ledger if one.key == str(key)), None)
        if entry is not None and entry.tries:
            return open_trial(library, *found, entry, number=question.number, price=price)
        if entry is not None:
            missing = missing or (found, entry)
    if missing is not None:
        return open_trial(library, *missing[0], missing[1], price=price)  # says that it is not recorded
    raise unknown(library, str(key), runs)


def newest_first(library: Library) -> list[FoundRun]:
    """The runs that have a name, the newest first."""
    found = [FoundRun(*library.run(name)) for name in library.refs()]
    return sorted(found, key=lambda one: (one.run.created, one.run.name), reverse=True)


def _inside(trial: Trial, path: CallPath) -> Found:
    if not path.lane:
        return FoundTrial(trial)
    lane = path.named_lane
    if lane not in trial.cassette.lanes:
        raise UsageError(
            f"the trial has no lane {lane!r}",
            where=trial.key,
            closest=closest(lane, trial.lanes),
            fix=f"it has {listed(trial.lanes)}",
        )
    if path.ordinal < 0:
        return FoundLane(trial, lane)
    rows = trial.cassette.lanes[lane]
    if path.ordinal >= len(rows) or rows[path.ordinal].path != str(path):
        raise UsageError(
            f"there is no interaction {path}",
            where=trial.cassette.where,
            closest=f"{rows[0].path} to {rows[-1].path}",
            fix=command_line("replaylab show", [f"{trial.key}/{lane}"]),
        )
    return FoundInteraction(trial, Asked(trial.cassette, lane, path.ordinal))


def unknown(library: Library, what: str, runs: Iterable[FoundRun] | None = None) -> UsageError:
    """The error that names what comes closest: run names and trial keys like it, or holding it."""
    among = newest_first(library) if runs is None else list(runs)
    keys = list(dict.fromkeys(entry.key for found in among for entry in found.run.ledger))
    names = [*library.refs(), *keys]
    close = [name for name in names if what in name] or nearest(what, names)
    more = f", and {len(close) - _LISTED} more" if len(close) > _LISTED else ""
    return UsageError(
        f"nothing here is called {ascii(what)[1:-1][:200]}",
        where=str(library.root),
        closest=", ".join(close[:_LISTED]) + more,
        fix="name a run, a trial key, a CallPath, or the first digits of a run id or cassette; "
        "`replaylab runs` lists the runs",
    )
