"""What `synth` does: the order from its options, the stage for it, and what is printed."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from replaylab.builtin.board import Board
from replaylab.catalogue.index import read_index, shipped
from replaylab.catalogue.loader import Catalogue
from replaylab.checks import is_error
from replaylab.cli.app import App
from replaylab.cli.config import ModelConfig
from replaylab.cli.options import split_names
from replaylab.cli.output import counted
from replaylab.cli.progress import Progress
from replaylab.cli.reading import library_of
from replaylab.cli.stage import catalogue_of, live_chats, models_of, price_table, redactor_of
from replaylab.engine.gate import Gate, Stopped
from replaylab.engine.seams import real_seams
from replaylab.engine.stepping import Names, Steps, orders_of
from replaylab.engine.trial import in_turn
from replaylab.engine.workers import at_once
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, LimitReached, UsageError
from replaylab.near import closest, listed
from replaylab.report.synth_text import (
    TextTable,
    funnel_table,
    head,
    kept_table,
    lost_table,
    mended_table,
    stability_line,
    stability_tables,
)
from replaylab.store.library import Library
from replaylab.synthesis.asking import Asking
from replaylab.synthesis.compare import compare
from replaylab.synthesis.funnel import Funnel, funnel
from replaylab.synthesis.history import History
from replaylab.synthesis.order import Order, Source
from replaylab.synthesis.pipeline import Made, Synthesis
from replaylab.synthesis.publish import publish, selection
from replaylab.synthesis.sandbox import run_twin
from replaylab.synthesis.stage import Outside

AGENTS = ("scripted:careful", "scripted:hasty", "scripted:greedy", "scripted:forgetful")
FIGURES = (".svg", ".png", ".pdf")
Given = Mapping[str, Any]


def synthesised(app: App, given: Given) -> int:
    """Carry out an order, with calls unless `--offline`."""
    check_output(given)
    if given["trust_twins"] and not given["twins"]:
        raise UsageError("--trust-twins runs what is proposed, and nothing is", fix="--twins asks for it")
    catalogue = catalogue_of(app, given["folders"])
    models = _players(app, given)
    order = _order(app, given, catalogue, models)
    offline = bool(given["offline"])
    library = Library(app.library)
    if offline:
        return _shown(app, _played(app, order, library, catalogue), given)
    with library.lock(order.name):
        made = _performed(app, order, library, catalogue, models, given)
    return _shown(app, made, given)


def check_output(given: Given) -> None:
    """Raises UsageError for what can't be written, before anything costs anything."""
    day, figure = given["made_on"], given["figure"]
    if day is not None and not _is_day(day):
        raise UsageError(f"not a day: {day!r}", fix="--made-on 2026-03-04")
    if figure is not None and figure.suffix not in FIGURES:
        raise UsageError(f"no figure is drawn as {figure.suffix or figure.name!r}", fix=", ".join(FIGURES))


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _players(app: App, given: Given) -> dict[str, list[ModelConfig]]:
    agents = split_names(given["agents"]) or list(AGENTS)
    return {
        role: models_of(app, names, plays)
        for role, names, plays in (
            ("generator", [given["generator"]], "generator"),
            ("agents", agents, "agent"),
            ("simulator", [given["sim"]], "simulator"),
            ("verifier", [given["verifier"]], "verifier"),
        )
    }


def _order(app: App, given: Given, catalogue: Catalogue, models: Mapping[str, list[ModelConfig]]) -> Order:
    names = split_names(given["scenarios"])
    if given["everything"]:
        names = [scenario.id for scenario in catalogue.scenarios if scenario.origin == "authored"]
    if not names:
        raise UsageError(
            "no scenario is named", fix="`replaylab scenarios` lists them; --all takes every shipped one"
        )
    redactor = redactor_of(app)
    sources = [source_of(name, catalogue).model_dump() for name in dict.fromkeys(names)]
    (generator,), (simulator,), (verifier,) = (
        models[role] for role in ("generator", "simulator", "verifier")
    )
    strange = [one["id"] for one in sources if not _is_shipped(one["id"], catalogue)]
    if generator.settings.alias == "grammar" and strange:
        raise UsageError(
            f"the program `grammar` makes tasks of shipped scenarios, and {strange[0]} is none",
            fix="take a language model with --generator (`replaylab models`), or a scenario of `replaylab scenarios`",
        )
    return Order(
        sources=tuple(Source.model_validate(redactor.value(one)) for one in sources),
        generator=generator.settings,
        agents=tuple(model.settings for model in models["agents"]),
        simulator=simulator.settings,
        verifier=verifier.settings,
        twins=bool(given["twins"]),
        **{
            name: given[name]
            for name in (
                "instances",
                "levels",
                "tries",
                "votes",
                "rounds",
                "max_steps",
                "seed",
                "held_out",
                "alike",
            )
        },
    )


def _is_shipped(scenario: str, catalogue: Catalogue) -> bool:
    known = scenario in {one.id for one in catalogue.scenarios}
    return known and catalogue.folder(scenario).resolve().is_relative_to(shipped().resolve())


def source_of(name: str, catalogue: Catalogue) -> Source:
    """A scenario of the catalogue by its id, or a published one by its name in small letters with hyphens."""
    for scenario in catalogue.scenarios:
        if scenario.id == name:
            facts = scenario.model_dump(include={"id", "name", "industry", "domain", "summary"})
            return Source.model_validate(facts)
    for one in read_index(shipped()):
        if slug(one.name) == name:
            return Source(id=name, name=one.name, industry=one.industry, domain=one.domain)
    catalogue.scenario(name)  # raises, naming the closest
    raise AssertionError(name)


def slug(name: str) -> str:
    """A name in small letters with hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")


def _performed(
    app: App,
    order: Order,
    library: Library,
    catalogue: Catalogue,
    models: Mapping[str, list[ModelConfig]],
    given: Given,
) -> Made:
    everybody = [one for group in models.values() for one in group]
    players = {one.alias: one.settings.player for one in everybody}
    gate = Gate(
        given["jobs"],
        max_calls=given["max_calls"],
        max_cost=given["max_cost"],
        price=price_table(app, everybody),
        players=players,
    )
    board = Board(catalogue, [shipped()])
    chats = live_chats(
        app,
        list({one.alias: one for one in everybody}.values()),
        board.respond,
        jobs=given["jobs"],
        gate=gate,
        redactor=redactor_of(app),
    )
    steps = Steps(
        library,
        order.name,
        real_seams(),
        open_chat=chats,
        gate=gate,
        retry_errors=bool(given["retry_errors"]),
    )
    names = Names(Asking(order, steps).condition, order.name)
    try:
        steps.put_order(names, order.to_json())
        made = _run(app, order, steps, catalogue, board, jobs=given["jobs"])
    except Stopped as stopped:
        raise LimitReached(
            stopped.what, fix="the same command goes on; what was answered is kept"
        ) from stopped
    finally:
        steps.close()
    totals = gate.totals
    app.output.say(
        f"{counted(steps.made, 'step')} recorded now with {counted(totals.calls, 'call')}, {steps.played} played"
    )
    return made


def _played(app: App, order: Order, library: Library, catalogue: Catalogue) -> Made:
    """The synthesis as it is recorded. Raises OfflineError at the first step that is not."""
    from replaylab.wire.offline import refuse_network

    refuse_network()
    steps = Steps(library, order.name, real_seams())
    return _run(app, order, steps, catalogue, None, jobs=1)


def _run(
    app: App, order: Order, steps: Steps, catalogue: Catalogue, board: Board | None, *, jobs: int
) -> Made:
    with (
        tempfile.TemporaryDirectory(prefix="replaylab-synth-") as work,
        Progress(f"synth {order.name}", unit="tasks", err=app.output.err) as bar,
    ):
        more = {"show": board.show} if board else {}
        outside = Outside(
            steps,
            Path(work),
            catalogue,
            read_index(shipped()),
            parallel=in_turn if jobs == 1 else at_once,
            progress=bar.update_counts,
            **more,
        )
        return Synthesis(order, outside).run()


def reported(app: App, given: Given) -> int:
    """Show a recorded synthesis by its name."""
    check_output(given)
    return _shown(app, _recorded(app, given["report"], given), given)


def _recorded(app: App, name: str, given: Given | None = None) -> Made:
    library = library_of(app)
    found = [order for task, order in orders_of(library) if task == name]
    if not found:
        known = sorted({task for task, _ in orders_of(library)})
        raise UsageError(
            f"no synthesis is named {name!r}",
            where=str(app.library),
            closest=closest(name, known),
            fix=f"known are {listed(known)}; `replaylab synth SCENARIO` makes one and says its name",
        )
    catalogue = catalogue_of(app, given["folders"] if given else ())
    return _played(app, Order.model_validate(found[-1]), library, catalogue)


def compared(app: App, one: str, other: str) -> int:
    """Hold two recorded syntheses against each other."""
    found = compare(_recorded(app, one).history, _recorded(app, other).history)
    out = app.output
    out.text(f"generators: {found.generators[0]} in {one}, {found.generators[1]} in {other}")
    for table in stability_tables(found):
        _print(app, table)
    out.text(stability_line(found))
    out.document(
        ok=True,
        names=list(found.names),
        generators=list(found.generators),
        scenarios=[one._asdict() for one in found.scenarios],
        agents=[one._asdict() for one in found.agents],
        pairs=found.pairs,
        agree=found.agree,
    )
    return EXIT_OK


def _shown(app: App, made: Made, given: Given) -> int:
    """Print the funnel and the chosen tasks, and write what was asked for."""
    history, found = made.history, funnel(made.history)
    out = app.output
    for line in head(history, found):
        out.text(line)
    for table in (funnel_table(found), lost_table(found), mended_table(history), kept_table(history)):
        _print(app, table)
    proposed = _proposed(app, made, run=bool(given["trust_twins"]))
    files = _written(app, made, given)
    _draw(app, history, found, given["figure"])
    out.text(f"next: {app.again(f'synth --report {history.name}')}")
    out.document(
        ok=bool(made.kept),
        run=history.name,
        funnel=found._asdict()
        | {"stages": [s._asdict() for s in found.stages], "lost": [o._asdict() for o in found.lost]},
        selection=selection(made),
        history=history.to_json(),
        proposed_twins=proposed,
        files=list(files),
    )
    return EXIT_OK if made.kept else EXIT_FINDINGS


def _written(app: App, made: Made, given: Given) -> tuple[str, ...]:
    if given["out"] is None:
        return ()
    day = given["made_on"] or made.history.made_on
    folder = app.cwd / given["out"]
    files = publish(made, folder, day)
    app.output.text(f"wrote {counted(len(files), 'file')} below {folder}")
    return files


def _proposed(app: App, made: Made, *, run: bool) -> list[dict[str, object]]:
    """What became of proposed twins: nothing without the user's trust, else whether they carry out the plans."""
    rows: list[dict[str, object]] = []
    for one in made.proposed:
        row: dict[str, object] = {"environment": one.environment.id, "run": run, "plans": len(one.tasks)}
        if run:
            ran = run_twin(one.code, one.environment, [task.plan.calls for task in one.tasks if task.plan])
            whole = sum(not any(map(is_error, way)) for way in ran.ways)
            row |= {"carried_out": whole, "why": ran.why, "guard": ran.guard}
        rows.append(row)
    if rows and not run:
        app.output.text(
            f"{counted(len(rows), 'twin')} proposed for review; none was run (--trust-twins runs them)"
        )
    elif rows:
        columns = ("environment", "plans", "carried_out", "why", "guard")
        cells = tuple(tuple(row[name] for name in columns) for row in rows)
        _print(app, TextTable("proposed twins, run in a process of their own", columns, cells))
    return rows


def _print(app: App, table: TextTable) -> None:
    if table.rows:
        app.output.text()
        app.output.table(table.columns, table.rows, title=table.title)


def _draw(app: App, history: History, found: Funnel, figure: Path | None) -> None:
    if figure is None:
        return
    from replaylab.cli.extra import require
    from replaylab.cli.written import write_whole
    from replaylab.report.figures.draw import draw_one
    from replaylab.report.figures.funnel import plot

    require("synth --figure", ("matplotlib",))
    drawn = draw_one("funnel", plot(history, found))
    formats = dict(zip(FIGURES, (drawn.svg, drawn.png, drawn.pdf), strict=True))
    path = app.cwd / figure
    write_whole(path, formats[figure.suffix])
    app.output.text(f"drew {path}")
