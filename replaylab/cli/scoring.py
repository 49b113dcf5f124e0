"""From a study to its score: tables, figures, decisions, at which prices."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from replaylab import __version__
from replaylab.cli.app import App
from replaylab.cli.config import ModelConfig
from replaylab.cli.drawing import ORDER, Drawing
from replaylab.cli.prices import price_of
from replaylab.cli.studied import many
from replaylab.report.score_parts import Scored
from replaylab.roles.parsing import PARSER_VERSION
from replaylab.schema.base import JsonObject
from replaylab.schema.model import ModelSettings
from replaylab.score.facts import Study
from replaylab.score.gate import Decision, decide, read_gate
from replaylab.score.money import Prices
from replaylab.score.tables import TABLES, build_document
from replaylab.score.value import Table
from replaylab.store.processes import Beside


def score_study(app: App, study: Study, chosen: dict[str, Any], beside: Beside) -> Scored:
    """Tables in both layouts, figures where they are wanted, and the decisions of a gate."""
    prices = _prices(app, study)
    with_figures = chosen["figures"] and not chosen["print_only"]
    drawing = Drawing(beside if with_figures and many(study.trials, chosen) else None, radar=chosen["radar"])
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
