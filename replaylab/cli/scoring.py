"""From the options of `score` to scores: which study, which reference condition, which prices."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from replaylab import __version__
from replaylab.canonical import NotIJson, parse_strict
from replaylab.cli.app import App
from replaylab.cli.config import ModelConfig
from replaylab.cli.drawing import ORDER, Drawing
from replaylab.cli.prices import price_of
from replaylab.cli.progress import Progress
from replaylab.cli.reading import library_of
from replaylab.errors import UsageError
from replaylab.given import read_given
from replaylab.near import closest
from replaylab.report.figures.draw import load
from replaylab.report.score_parts import Scored
from replaylab.roles.parsing import PARSER_VERSION
from replaylab.schema.base import JsonObject
from replaylab.schema.model import ModelSettings
from replaylab.score.facts import Study
from replaylab.score.gate import Decision, decide, read_gate
from replaylab.score.industries import abbreviation
from replaylab.score.money import Prices
from replaylab.score.read import read_study
from replaylab.score.tables import TABLES, build_document
from replaylab.score.value import Table
from replaylab.store.processes import Beside

MANY = 5000  # trials


def studies(app: App, runs: tuple[str, ...], chosen: dict[str, Any]) -> list[Study]:
    """The studies of these runs, one a kind of evidence, with the reference condition that was asked for."""
    declared = _declared(app.cwd / chosen["declare"]) if chosen["declare"] else {}
    with Progress("score", err=app.output.err) as bar:
        found = read_study(
            library_of(app),
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
        value = parse_strict(read_given(path).decode("utf-8-sig"))
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


def score_study(app: App, study: Study, chosen: dict[str, Any], beside: Beside) -> Scored:
    """Tables in both layouts, figures where they are wanted, and the decisions of a gate."""
    prices = _prices(app, study)
    with_figures = chosen["figures"] and not chosen["print_only"]
    drawing = Drawing(beside if with_figures and _many(study.trials, chosen) else None, radar=chosen["radar"])
    # Figures are drawn from a table as soon as it is there, so that both go on at once.
    made: dict[str, Table] = {}
    left_out: dict[str, str] = {}
    for name in ORDER:
        built = build_document(study, "full", prices, names=[name])
        left_out |= {one.id: one.why for one in built.left_out}
        made |= {table.id: table for table in built.tables}
        if with_figures:
            drawing.begin(name, made)
    paper = build_document(study, "paper", prices)
    gate = decide(study, read_gate(app.cwd / chosen["gate"]).rule) if chosen["gate"] else ()
    return Scored(
        name="+".join(run.name for run in study.runs),
        study=study,
        full=tuple(made[name] for name in TABLES if name in made),
        paper=paper.tables,
        figures=drawing,
        left_out={name: left_out[name] for name in TABLES if name in left_out},
        versions=_versions(study),
        choice=_choice(study, chosen),
        extra={"gate": [one.model_dump(mode="json") for one in gate]} if gate else {},
        ok=not study.findings and all(one.outcome == "pass" for one in gate),
    )


def make_ready(app: App, chosen: dict[str, Any], beside: Beside) -> None:
    """Let the process for the figures load what it needs while the library is read, where that is large."""
    with_figures = chosen["figures"] and not chosen["print_only"]
    if with_figures and _many(islice(library_of(app).objects("cassette"), MANY), chosen):
        beside.ask(load)  # a failure is met again, and told, when something is drawn


def _many(things: Iterable[object], chosen: dict[str, Any]) -> bool:
    """Whether a second process for the figures saves more than it costs to start."""
    return sum(1 for _ in things) >= MANY and (chosen["jobs"] or os.cpu_count() or 1) > 1


def decisions(scored: Scored) -> list[Decision]:
    """The decisions of the gate of a score."""
    return [Decision.model_validate(one) for one in scored.extra.get("gate", ())]


def _choice(study: Study, chosen: dict[str, Any]) -> JsonObject:
    return {
        "simulator": study.sim,
        "verifier": study.judge,
        "faults": study.clean,
        "denominator": study.denominator,
        "declared": study.declared,
        "draws": study.draws,
        "radar": bool(chosen["radar"]),
    }


def _versions(study: Study) -> JsonObject:
    """What took part: `recorded_parser` is what read the answers when they were recorded, the others read them now."""
    from importlib.metadata import version

    packages = {name: version(name) for name in ("numpy", "scipy", "statsmodels")}
    parsers = sorted({trial.facts.parser for trial in study.trials if trial.facts is not None})
    return {
        "replaylab": __version__,
        "parser": PARSER_VERSION,
        "recorded_parser": ", ".join(parsers),
    } | packages


def _prices(app: App, study: Study) -> Prices:
    """Prices as of the day of the newest run."""
    models = [one for role in (study.agents, study.simulators, study.verifiers) for one in role.values()]
    return prices_of(app, models, max(run.created for run in study.runs))


def prices_of(app: App, models: Iterable[ModelSettings], created: str) -> Prices:
    """Dollars per million tokens by alias, as of that day; models without a price are absent."""
    found = {}
    when = datetime.fromisoformat(created)
    for settings in models:
        if settings.player != "llm":
            continue
        configured = app.config.models.get(settings.alias)
        if configured is None or configured.settings.model != settings.model:
            configured = ModelConfig(settings=settings, source="config")
        # What was recorded decides what it is; the configuration adds where it is reached and at which price.
        model = configured.model_copy(update={"settings": settings})
        price = price_of(model, app.config.prices, when)
        if price is not None:
            found[settings.alias] = (price.input, price.output, price.cached)
    return found
