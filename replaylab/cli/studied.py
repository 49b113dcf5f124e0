"""What `score` reads: which study, which reference condition. Apart from what it makes of it, since that loads scipy."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from replaylab.canonical import NotIJson, parse_strict
from replaylab.cli.app import App
from replaylab.cli.help import closest
from replaylab.cli.progress import Progress
from replaylab.errors import UsageError
from replaylab.report.figures.draw import load
from replaylab.schema.base import JsonObject
from replaylab.score.facts import Study
from replaylab.score.industries import abbreviation
from replaylab.score.read import read_study
from replaylab.store.library import Library
from replaylab.store.processes import Beside

MANY = 5000  # trials


def studies(app: App, runs: tuple[str, ...], chosen: dict[str, Any]) -> list[Study]:
    """The studies of these runs, one a kind of evidence, with the reference condition that was asked for."""
    declared = _declared(app.cwd / chosen["declare"]) if chosen["declare"] else {}
    with Progress("score", err=app.output.err) as bar:
        found = read_study(
            Library(app.library),
            runs,
            jobs=chosen["jobs"] or os.cpu_count() or 1,
            progress=bar.update_counts,
            notice=lambda why: bar.say(f"what was read could not be kept for the next time: {why}"),
        )
    _check_declared(declared, found)
    return [_chosen(study, chosen, declared) for study in found]


def _check_declared(declared: dict[str, int], found: list[Study]) -> None:
    """Raise UsageError for a declared denominator that is of no cell: it would be used nowhere, and nobody would know."""
    agents = list(dict.fromkeys(agent for study in found for agent in study.agents))
    columns = ["all"]
    for study in found:
        columns += [*study.faults, *study.simulators]
        columns += [abbreviation(trial.scenario.industry) for trial in study.trials]
    for key in declared:
        agent, _, column = key.rpartition("|")
        for what, name, known in (("agent", agent, agents), ("column", column, columns)):
            if name not in known:
                raise UsageError(
                    f"the declared denominator {key!r} names the {what} {name!r}, which the study does not have",
                    closest=closest(name, known),
                    fix="columns are industry abbreviations, `all`, fault plans and simulators",
                )


def _chosen(study: Study, chosen: dict[str, Any], declared: dict[str, int]) -> Study:
    update: JsonObject = {name: chosen[name] for name in ("denominator", "seed", "draws")}
    for option, field, known in (
        ("sim", "sim", study.simulators),
        ("verifier", "judge", study.verifiers),
        ("env", "clean", study.faults),
    ):
        name = chosen[option]
        if name is not None and name not in known:
            raise UsageError(
                f"--{option} {name!r} is not in the study",
                closest=closest(name, known),
                fix=f"it has {', '.join(known)}",
            )
        update |= {field: name} if name is not None else {}
    return study.model_copy(update=update | {"declared": declared})


def _declared(path: Path) -> dict[str, int]:
    """Denominators by "AGENT|COLUMN"."""
    try:
        # Strict: a key that stands twice, or a number without an exact form, would be used and not be what it says.
        value = parse_strict(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, NotIJson) as error:
        said = error.what if isinstance(error, NotIJson) else error
        raise UsageError(f"the declared denominators can't be read: {said}", where=str(path)) from error
    good = isinstance(value, dict) and all(
        "|" in key and isinstance(number, int) and not isinstance(number, bool) and number > 0
        for key, number in value.items()
    )
    if not good:
        raise UsageError(
            "the declared denominators are not one JSON object of trials by AGENT|COLUMN",
            where=str(path),
            fix='for example {"gpt|edu": 31}',
        )
    return dict(value)


def make_ready(app: App, chosen: dict[str, Any], beside: Beside) -> None:
    """Let the process for the figures load what it needs while the library is read, where that is large."""
    with_figures = chosen["figures"] and not chosen["print_only"]
    if with_figures and many(islice(Library(app.library).objects("cassette"), MANY), chosen):
        for _ in range(beside.processes):
            beside.ask(load)  # a failure is met again, and told, when something is drawn


def many(things: Iterable[object], chosen: dict[str, Any]) -> bool:
    """Whether a second process for the figures saves more than it costs to start."""
    return sum(1 for _ in things) >= MANY and (chosen["jobs"] or os.cpu_count() or 1) > 1
