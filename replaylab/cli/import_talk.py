"""`replaylab import inspect|tau|atif|chat|otel`: conversations of other tools' files, each as a run that is marked as imported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.cli.imported import files_of
from replaylab.cli.naming import named_after, run_option
from replaylab.errors import EXIT_STORE

if TYPE_CHECKING:
    from replaylab.interop.talk.importer import Format, ImportedTalk


class Offer(NamedTuple):
    """A format on the command line: where its reader is, an example, and what the help says."""

    name: str
    module: str
    reader: str
    suffixes: tuple[str, ...]
    example: str
    help: str


OFFERS = (
    Offer(
        "inspect",
        "replaylab.interop.inspect",
        "INSPECT",
        (".eval", ".json"),
        "log.eval",
        """Import logs of Inspect AI: .eval files, or .json files of the same content.

        Each sample and epoch becomes a trial. Scores are kept as what the source says: no verdict is made of them.
        """,
    ),
    Offer(
        "tau",
        "replaylab.interop.tau",
        "TAU",
        (".json",),
        "results.json",
        """Import result files of tau-bench (a list of episodes) or tau2 (an object with simulations).

        A word with the simulated user stands as a call of the tool `respond`. Rewards are kept as what the source
        says: no verdict is made of them.
        """,
    ),
    Offer(
        "atif",
        "replaylab.interop.atif",
        "ATIF",
        (".json",),
        "trajectory.json",
        """Import trajectories of the Agent Trajectory Interchange Format, ATIF 1.0 to 1.8.

        The trajectories of agents that an agent called become trials of their own.
        """,
    ),
    Offer(
        "chat",
        "replaylab.interop.chat",
        "CHAT",
        (".json", ".jsonl"),
        "conversations.jsonl",
        """Import conversations in the form of OpenAI's chat API: a list of messages, or one conversation a line.

        A line is a list of messages, or an object of `messages` and `tools` as fine-tuning takes them.
        """,
    ),
    Offer(
        "otel",
        "replaylab.interop.otel",
        "OTEL",
        (".json", ".jsonl"),
        "traces.jsonl",
        """Import OpenTelemetry traces of calls of models: OTLP as JSON, one document or one a line.

        Calls that continue each other become one trial. Names of today, of OpenLLMetry and of OpenInference are read.
        """,
    ),
)


def commands() -> list[click.Command]:
    """One command for each format."""
    return [_command(offer) for offer in OFFERS]


def _command(offer: Offer) -> click.Command:
    def run(app: App, files: tuple[Path, ...], name: str | None, *, skip_bad: bool) -> None:

        kind: Format = getattr(import_module(offer.module), offer.reader)
        _import(
            app, kind, files_of(files, offer.suffixes), name or named_after(app, files[0]), skip_bad=skip_bad
        )

    run.__doc__ = offer.help
    decorate: Callable[[Callable[..., None]], click.Command] = click.command(
        name=offer.name,
        cls=Command,
        exits=(EXIT_STORE,),
        examples=(
            (
                f"replaylab import {offer.name} {offer.example} --run theirs",
                "one run of all its conversations",
            ),
            (f"replaylab import {offer.name} FOLDER", f"every {' and '.join(offer.suffixes)} in it"),
        ),
    )
    return decorate(_files(_run_option(_skip_option(json_option(pass_app(run))))))


_files = click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE|FOLDER...",
    type=click.Path(path_type=Path, exists=True),
)
_run_option = run_option("The name of the run. Default: that of the first file or folder.")
_skip_option = click.option(
    "--skip-bad", is_flag=True, help="Leave out what can't be imported, and say how many."
)


def _import(app: App, kind: Format, files: Sequence[Path], name: str, *, skip_bad: bool) -> None:
    from replaylab.catalogue.loader import Catalogue
    from replaylab.cli.progress import Progress
    from replaylab.cli.stage import redactor_of
    from replaylab.interop.talk.importer import import_talk
    from replaylab.interop.transcript.importer import Reading
    from replaylab.store.library import Library

    paths = {str(path): app.cwd / path for path in files}
    with Progress("import", err=app.output.err) as bar:
        reading = Reading(
            lambda: Catalogue.load([]),
            redactor_of(app).value,
            skip_bad=skip_bad,
            progress=bar.update_counts,
        )
        made = import_talk(Library(app.library), name, paths, kind, reading)
    _show(app, made)


def _show(app: App, made: ImportedTalk) -> None:
    from replaylab.cli.imported import next_of_trials, told_of_run
    from replaylab.cli.output import counted
    from replaylab.interop.talk.importer import LACKS, TALK_NOTES

    out, done = app.output, made.done
    fields = told_of_run(app, done, TALK_NOTES, made.format.part)
    if made.scored:
        out.text(
            f"scores of the source: {counted(made.scored, 'trial')}; kept as what it says, no verdict is made of them"
        )
    if made.lacks:
        out.text("what the source lacks:")
    for key, number in made.lacks.items():
        out.text(f"  {LACKS[key]} ({number} of {done.transcripts})")
    next_of_trials(app, done.run)
    out.document(
        ok=True,
        format=made.format.name,
        **fields,
        lacks=dict(made.lacks),
        scored=made.scored,
        provenance="imported",
    )
