"""`replaylab scenarios`: what can be recorded, what was published, and whether a scenario is fit for use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command, Group
from replaylab.cli.options import scenarios_option, trust_option
from replaylab.errors import EXIT_FINDINGS, EXIT_OK

if TYPE_CHECKING:
    from replaylab.catalogue.index import Listed
    from replaylab.examine.examine import Examined
    from replaylab.schema.scenario import Scenario


@click.group(
    cls=Group,
    invoke_without_command=True,
    examples=(
        ("replaylab scenarios", "every scenario with its tasks"),
        ("replaylab scenarios --industry healthcare", "those whose industry holds that word"),
        ("replaylab scenarios --all", "the index of the published scenarios, and which of them are here"),
        ("replaylab scenarios --environments", "the names that `import transcript` takes as `environment`"),
        ("replaylab scenarios --scenarios build/occubench", "with an imported folder"),
        ("replaylab scenarios check", "whether every shipped scenario keeps the rules"),
    ),
)
@click.option("--industry", metavar="WORD", help="Only industries that hold this word.")
@click.option("--domain", metavar="WORD", help="Only domains that hold this word.")
@click.option("--all", "whole_index", is_flag=True, help="The index of all published scenarios.")
@click.option(
    "--environments",
    is_flag=True,
    help="The ids of environments, as a line of `import transcript` names one.",
)
@scenarios_option()
@json_option
@click.pass_context
def command(
    context: click.Context,
    industry: str | None,
    domain: str | None,
    folders: Sequence[Path],
    *,
    whole_index: bool,
    environments: bool,
) -> None:
    """List the scenarios, with the ids of their tasks as `record --task` takes them."""
    if context.invoked_subcommand is not None:
        _refuse_options(context)
        return
    from replaylab.catalogue.index import listed, read_index, shipped
    from replaylab.cli.stage import catalogue_of

    if whole_index and environments:
        raise click.UsageError(
            "--all lists what was published, --environments what is here; give one", context
        )
    app = context.ensure_object(App)
    scenarios = catalogue_of(app, folders).scenarios
    if whole_index:
        index = listed(read_index(shipped()), scenarios)
        fits = [one for one in index if _fits(one.published.industry, one.published.domain, industry, domain)]
        _show_index(app, fits, {one.id: one for one in scenarios})
        return
    chosen = [one for one in scenarios if _fits(one.industry, one.domain, industry, domain)]
    if environments:
        _show_environments(app, chosen)
    else:
        _show(app, chosen)


def _refuse_options(context: click.Context) -> None:
    given = [name for name, value in context.params.items() if value]
    if given:
        raise click.UsageError(
            f"`{context.info_name} {context.invoked_subcommand}` takes its own options; "
            f"those of the list ({', '.join(given)}) say nothing there",
            context,
        )


def _fits(industry: str, domain: str, in_industry: str | None, in_domain: str | None) -> bool:
    return all(
        word is None or word.casefold() in text.casefold()
        for text, word in ((industry, in_industry), (domain, in_domain))
    )


_NONE = "no scenario fits; `replaylab scenarios` lists all"


def _show_environments(app: App, chosen: Sequence[Scenario]) -> None:
    found = [
        {"id": one.id, "scenario": scenario.id, "tools": [tool.name for tool in one.tools]}
        for scenario in chosen
        for one in scenario.environments
    ]
    if not found:
        app.output.text(_NONE)
    else:
        app.output.table(
            ("environment", "scenario", "tools"),
            [(one["id"], one["scenario"], ", ".join(one["tools"])) for one in found],
        )
    app.output.document(ok=True, environments=found)


def _show(app: App, chosen: Sequence[Scenario]) -> None:
    if not chosen:
        app.output.text(_NONE)
    else:
        app.output.table(
            ("scenario", "name", "industry", "domain", "origin", "tasks"),
            [
                (one.id, one.name, one.industry, one.domain, one.origin, ", ".join(t.id for t in one.tasks))
                for one in chosen
            ],
        )
    app.output.document(ok=True, scenarios=[_described(one) for one in chosen])


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


def _show_index(app: App, index: Sequence[Listed], held: dict[str, Scenario]) -> None:
    """The published scenarios; `id` is null and `tasks` empty where this catalogue has none of that name."""
    here = [one for one in index if one.scenario]
    app.output.table(
        ("name", "industry", "domain", "here as"),
        [(*one.published.model_dump().values(), one.scenario) for one in index],
    )
    app.output.text(f"{len(index)} published scenarios, {len(here)} of them here")
    entries = [
        one.published.model_dump(mode="json")
        | {
            "here": bool(one.scenario),
            "id": one.scenario or None,
            "tasks": [task.id for task in held[one.scenario].tasks] if one.scenario else [],
        }
        for one in index
    ]
    app.output.document(ok=True, scenarios=entries, here=len(here))


@command.command(
    "check",
    cls=Command,
    exits=(EXIT_FINDINGS,),
    examples=(
        ("replaylab scenarios check", "the shipped scenarios and those of the configuration"),
        ("replaylab scenarios check scenarios/my-scenario --trust-twins", "one of your own, its twin too"),
        ("replaylab scenarios check --mutate", "also whether the checks see every wrong step; takes minutes"),
    ),
)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--mutate", is_flag=True, help="Also break each plan step by step, and look which check sees it."
)
@trust_option()
@json_option
@pass_app
def check(app: App, paths: Sequence[Path], *, mutate: bool, trust_twins: bool) -> int:
    """Check that scenarios keep the rules: files, tools, state, plans, checks, and what the agent may know.

    PATH is a scenario or a folder of scenarios. Twins are run for the shipped scenarios; those of your own folders
    are code, and run with --trust-twins. scenarios/README.md names every rule.
    """
    from replaylab.catalogue.index import read_index, shipped
    from replaylab.cli.progress import Progress
    from replaylab.cli.stage import trusted_folders
    from replaylab.examine.examine import Examiner

    app.command = "scenarios-check"
    looked = [app.cwd / path for path in paths] or [shipped(), *trusted_folders(app)]
    trusted = [shipped(), *(looked if trust_twins else ())]
    examiner = Examiner(trusted=trusted, published=read_index(shipped()), mutants=mutate)
    with Progress("check", unit="scenarios", err=app.output.err) as bar:
        examined = examiner.examine([_relative(path, app.cwd) for path in looked], bar.update_counts)
    _report(app, examined)
    return EXIT_FINDINGS if examined.findings else EXIT_OK


def _relative(path: Path, cwd: Path) -> Path:
    """The path as a user would write it, when it lies below the current folder."""
    return path.relative_to(cwd) if path.is_relative_to(cwd) else path


def _report(app: App, examined: Examined) -> None:
    from replaylab.cli.output import counted

    out = app.output
    out.text(f"{counted(len(examined.scenarios), 'scenario')}, {counted(examined.tasks, 'task')}")
    if examined.unrun:
        out.text(f"twins not run (--trust-twins runs them): {', '.join(examined.unrun)}")
    if examined.mutations:
        out.table(
            ("task", "mutants", "failed", "checks", "dead"),
            [(m.task, m.mutants, m.failed, len(m.decided), len(m.dead)) for m in examined.mutations],
        )
    out.findings(examined.findings)
    out.text(counted(len(examined.findings), "finding") if examined.findings else "nothing to mend")
    out.document(
        ok=not examined.findings,
        findings=examined.findings,
        checked=list(examined.scenarios),
        twins_not_run=list(examined.unrun),
        mutations=[one.model_dump(mode="json", exclude={"findings"}) for one in examined.mutations],
    )
