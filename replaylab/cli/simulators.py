"""`replaylab simulators`: report cards of the recorded simulators."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.extra import require
from replaylab.cli.help import Command
from replaylab.cli.options import MAX_JOBS
from replaylab.errors import EXIT_OK, EXIT_STORE, UsageError

if TYPE_CHECKING:
    from replaylab.compare.agreeing import Agreement
    from replaylab.compare.ranking import Ranking
    from replaylab.compare.reading import Answered
    from replaylab.score.money import Prices
    from replaylab.store.library import Library


@click.command(
    cls=Command,
    exits=(EXIT_STORE,),
    examples=(
        ("replaylab simulators", "every simulator that this library holds answers of"),
        ("replaylab simulators study study.simulator-qwen", "those of two runs"),
        ("replaylab simulators --all", "by industry, what could be checked, and every pair of them too"),
        ("replaylab simulators --html cards.html", "as a page for a browser"),
    ),
)
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--all", "every", is_flag=True, help="Print every table.")
@click.option(
    "--agreement",
    is_flag=True,
    help="Also whether they put agents in the same order, which scenarios drive them apart, and whether violations explain it.",
)
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the cards as one page that needs no network.",
)
@click.option(
    "--markdown", type=click.Path(path_type=Path, dir_okay=False), help="Write every table as Markdown."
)
@click.option("--jobs", type=click.IntRange(1, MAX_JOBS), help="Processes that read. Default: the cores.")
@json_option
@pass_app
def command(app: App, /, runs: tuple[str, ...], **chosen: Any) -> int:
    """Rank the recorded simulators by how often they broke the contract of their environment, from cassettes alone.

    Without RUN: every run of the library. The contract check of each answer says how many calls could be checked, and
    for what; a simulator with too few such calls is not ranked. What was recorded, imported and authored is never put
    together. Violations are what is measured here and no findings of this command. Needs the packages of the extra
    `stats`.
    """
    require("simulators")
    from replaylab.cli.reading import library_of
    from replaylab.compare.ranking import rank
    from replaylab.report.agreement_text import fields as agreement_fields
    from replaylab.report.agreement_text import text as agreement_text
    from replaylab.report.simulators_text import fields, text

    library = library_of(app)
    answers = _answers(app, library, runs, chosen["jobs"])
    ranking = rank(answers, _prices(app, library, runs, answers))
    _check(ranking, runs)
    agreed = _agreements(app, library, runs, chosen) if chosen["agreement"] else ()
    written = _write(app, ranking, agreed, chosen)
    app.output.text(text(ranking, every=chosen["every"], width=app.output.width))
    if agreed:
        app.output.text("\n" + agreement_text(agreed, app.output.width))
    for path in written:
        app.output.text(f"wrote {path}")
    ids = [library.trial_run(name)[0] for name in runs]
    app.output.document(
        ok=True,
        run=ids[0] if len(ids) == 1 else None,
        findings=[],
        runs=sorted(runs or library.trial_refs()),
        written=[str(path) for path in written],
        agreement=agreement_fields(agreed) if chosen["agreement"] else None,
        **fields(ranking),
    )
    return EXIT_OK


def _answers(app: App, library: Library, runs: Sequence[str], jobs: int | None) -> list[Answered]:
    from replaylab.cli.progress import Progress
    from replaylab.compare.reading import answered, counting

    with Progress("simulators", err=app.output.err) as bar:
        found = answered(
            library, counting(library, runs), jobs=jobs or os.cpu_count() or 1, progress=bar.update_counts
        )
    return list(found.values())


def _agreements(
    app: App, library: Library, runs: Sequence[str], chosen: dict[str, Any]
) -> tuple[Agreement, ...]:
    from replaylab.cli.progress import Progress
    from replaylab.compare.agreeing import agreements

    with Progress("agreement", err=app.output.err) as bar:
        return agreements(
            library, runs, jobs=chosen["jobs"] or os.cpu_count() or 1, progress=bar.update_counts
        )


def _prices(app: App, library: Library, runs: Sequence[str], answers: Sequence[Answered]) -> Prices:
    from replaylab.cli.scoring import prices_of

    if not answers:
        return {}
    models = {one.asked.simulator.alias: one.asked.simulator for one in answers}
    created = max(library.run(name)[1].created for name in runs or library.trial_refs())
    return prices_of(app, models.values(), created)


def _check(ranking: Ranking, runs: Sequence[str]) -> None:
    if ranking.cards:
        return
    if ranking.copied:
        raise UsageError(
            f"all {ranking.copied} trials hold answers that were copied from other runs",
            where=", ".join(runs),
            fix="name the runs that they were recorded in, or none for all",
        )
    raise UsageError("no simulator's answers are recorded yet", where=", ".join(runs), fix="replaylab record")


def _write(app: App, ranking: Ranking, agreed: Sequence[Agreement], chosen: dict[str, Any]) -> list[Path]:
    from replaylab.cli.written import write_whole
    from replaylab.report.agreement_text import as_markdown as agreement_markdown
    from replaylab.report.simulators_page import simulators_page
    from replaylab.report.simulators_text import as_markdown

    written = []
    if chosen["page"]:
        written.append(app.cwd / chosen["page"])
        write_whole(written[-1], simulators_page(ranking, agreed))
    if chosen["markdown"]:
        written.append(app.cwd / chosen["markdown"])
        said = as_markdown(ranking) + ("\n" + agreement_markdown(agreed) if agreed else "")
        write_whole(written[-1], said.encode("utf-8", "backslashreplace"))
    return written
