"""`replaylab export`: recordings in the formats of other tools."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.export_run import atif_command, inspect_command, parquet_command
from replaylab.cli.help import Command, Group
from replaylab.cli.options import Decorator, split_names
from replaylab.cli.output import counted
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, EXIT_STORE, UsageError

EXAMPLES = (
    ("replaylab export sft --out examples.jsonl", "solved trials that recovered from an implicit fault"),
    (
        "replaylab export sft --recovered any --agent gpt --player llm --out gpt.jsonl",
        "of one LLM, any fault",
    ),
    ("replaylab export vcr nightly -o nightly.yaml", "a capture, for stock vcrpy"),
)


@click.group(cls=Group, examples=EXAMPLES)
def command() -> None:
    """Write recordings in the format of another tool."""


def _names(option: str, metavar: str, text: str) -> Decorator:
    return click.option(option, multiple=True, metavar=metavar, help=text)


@command.command(cls=Command, exits=(EXIT_FINDINGS, EXIT_STORE), examples=EXAMPLES[:2])
@click.argument("run_name", required=False, metavar="[RUN]")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The JSON-lines file to write. An existing one is replaced.",
)
@click.option(
    "--recovered",
    type=click.Choice(("implicit", "explicit", "any", "none")),
    default="implicit",
    show_default=True,
    help="The kind of fault that the agent recovered from; none: it needs not have recovered from any.",
)
@click.option(
    "--verdict",
    type=click.Choice(("pass", "fail", "any")),
    default="pass",
    show_default=True,
    help="How the trial was judged.",
)
@_names("--agent", "NAME", "Only these agents; repeat it or use commas.")
@_names("--env", "NAME", "Only these fault plans.")
@_names("--task", "ID", "Only these tasks.")
@_names("--scenario", "ID", "Only these scenarios.")
@_names("--industry", "NAME", "Only these industries; repeat it.")
@click.option(
    "--player",
    type=click.Choice(("llm", "program", "human", "own")),
    multiple=True,
    help="Only agents played by these. Default: all, and each line says which.",
)
@click.option("--authored", is_flag=True, help="Take authored and imported trials too.")
@click.option("--longest", type=click.IntRange(1), help="The most messages that an example may have.")
@json_option
@pass_app
def sft(app: App, /, run_name: str | None, out: Path, **chosen: Any) -> int:
    """Write trials as training examples: one chat with tool calls a line, as it was recorded.

    Without RUN, the newest run. By default an example is a solved trial in which the agent met an implicit fault
    (a cut list, missing fields, a stale or wrong value), asked again and let nothing of it into its answer.
    """
    from replaylab.canonical import dumps
    from replaylab.cli.reading import library_of
    from replaylab.interop.sft import Example, examples
    from replaylab.store import disk

    library = library_of(app)
    run_id, run = library.trial_run(run_name)
    path = app.cwd / out
    if not path.parent.is_dir():
        raise UsageError("the folder of the file does not exist", where=str(path.parent), fix="make it first")
    lines, left = [], Counter[str]()
    for one in examples(library, run, _wanted(chosen)):
        if isinstance(one, Example):
            lines.append(dumps(one.body) + b"\n")
        else:
            left[one.why] += 1
    disk.remove_leftovers(path.parent, ours=path.name.__eq__)
    disk.write_file(path, b"".join(lines))
    app.output.text(f"run {run.name}  {run_id}")
    app.output.text(f"wrote {path}: {counted(len(lines), 'example')} of {counted(len(run.ledger), 'trial')}")
    for why, count in sorted(left.items()):
        app.output.text(f"  left out: {count} ({why})")
    app.output.document(
        ok=bool(lines), run=run_id, path=str(path), examples=len(lines), left_out=dict(sorted(left.items()))
    )
    return EXIT_OK if lines else EXIT_FINDINGS


def _wanted(chosen: dict[str, Any]) -> Any:
    from replaylab.interop.sft import Wanted

    given = {
        "agents": split_names(chosen["agent"]),
        "faults": split_names(chosen["env"]),
        "tasks": split_names(chosen["task"]),
        "scenarios": split_names(chosen["scenario"]),
        "industries": list(chosen["industry"]),
    }
    if chosen["player"]:
        given["players"] = list(chosen["player"])
    if chosen["authored"]:
        given["provenance"] = ["recorded", "copied", "imported", "authored"]
    outcome = "" if chosen["verdict"] == "any" else chosen["verdict"]
    return Wanted(recovered=chosen["recovered"], outcome=outcome, longest=chosen["longest"] or 0, **given)


@command.command(
    cls=Command,
    exits=(EXIT_STORE,),
    examples=(
        ("replaylab export vcr nightly -o nightly.yaml", "a capture, as one cassette that stock vcrpy plays"),
        ("replaylab export vcr theirs -o cassettes/", "a file for each lane"),
        (
            "replaylab export vcr grid -o cassettes/ --base-url gpt=https://api.openai.com/v1",
            "trials, a file a lane",
        ),
    ),
)
@click.argument("run_name", required=False, metavar="[RUN]")
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="A file (.yaml, .yml, .json) for all lanes together, or a folder for a file a lane.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("yaml", "json")),
    help="Default: what the file's name says, else yaml.",
)
@click.option(
    "--base-url",
    "bases",
    multiple=True,
    metavar="ALIAS=URL",
    help="The address of an endpoint or a model, where it is not recorded or has to be another one.",
)
@json_option
@pass_app
def vcr(app: App, run_name: str | None, out: Path, form: str | None, bases: tuple[str, ...]) -> None:
    """Write a capture, or the lanes of trials, as cassettes that stock vcrpy plays without a network.

    Without RUN, the newest run. What vcrpy has no place for (lanes, attempts, pieces of streams and their times, calls that
    got no answer) is listed. VCR.md has the details.
    """
    from replaylab.cli.exported import write_cassettes

    write_cassettes(app, run_name, out, form, bases)


for _one in (inspect_command, atif_command, parquet_command):
    command.add_command(_one)
