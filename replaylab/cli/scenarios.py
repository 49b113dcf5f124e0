"""`replaylab scenarios`: what can be recorded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.cli.options import scenarios_option

if TYPE_CHECKING:
    from replaylab.schema.scenario import Scenario


@click.command(
    cls=Command,
    examples=(
        ("replaylab scenarios", "every scenario with its tasks"),
        ("replaylab scenarios --industry healthcare", "those whose industry holds that word"),
        ("replaylab scenarios --scenarios build/occubench", "with an imported folder"),
    ),
)
@click.option("--industry", metavar="WORD", help="Only industries that hold this word.")
@click.option("--domain", metavar="WORD", help="Only domains that hold this word.")
@scenarios_option()
@json_option
@pass_app
def command(app: App, industry: str | None, domain: str | None, folders: Sequence[Path]) -> None:
    """List the scenarios, with the ids of their tasks as `record --task` takes them."""
    from replaylab.cli.stage import catalogue_of

    chosen = [
        one
        for one in catalogue_of(app, folders).scenarios
        if _holds(one.industry, industry) and _holds(one.domain, domain)
    ]
    if not chosen:
        app.output.text("no scenario fits; `replaylab scenarios` lists all")
    else:
        app.output.table(
            ("scenario", "name", "industry", "domain", "origin", "tasks"),
            [
                (
                    one.id,
                    one.name,
                    one.industry,
                    one.domain,
                    one.origin,
                    ", ".join(task.id for task in one.tasks),
                )
                for one in chosen
            ],
        )
    app.output.document(ok=True, scenarios=[_described(one) for one in chosen])


def _holds(text: str, word: str | None) -> bool:
    return word is None or word.casefold() in text.casefold()


def _described(one: Scenario) -> dict[str, object]:
    return {
        "id": one.id,
        "name": one.name,
        "industry": one.industry,
        "domain": one.domain,
        "origin": one.origin,
        "environments": [environment.id for environment in one.environments],
        "tasks": [task.id for task in one.tasks],
    }
