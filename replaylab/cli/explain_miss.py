"""`replaylab explain-miss`: why questions of a captured program were not found, and rules that would find them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.cli.output import counted
from replaylab.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from replaylab.engine.captured.missed import Kept
    from replaylab.engine.captured.propose import Proposed
    from replaylab.schema.base import Json
    from replaylab.schema.capture import NormaliseRule
    from replaylab.store.library import Library


@click.command(
    cls=Command,
    examples=(
        (
            "replaylab explain-miss suite",
            "the misses of the last replay of the run suite, and rules for them",
        ),
        ("replaylab explain-miss suite --miss 2 --json", "the third one as JSON"),
    ),
)
@click.argument("run", required=False)
@click.option("--miss", "number", type=click.IntRange(0), help="Only this one, counted from 0.")
@json_option
@pass_app
def command(app: App, run: str | None, number: int | None) -> int:
    """Explain what the last replay of RUN asked and did not find: the nearest recording, the first difference, and rules
    for replaylab.toml that would make it match. A rule changes what is compared and nothing that is stored.

    Without RUN, the only run with misses.
    """
    from replaylab.cli.reading import library_of
    from replaylab.engine.captured.missed import misses_file, read_misses, runs_with_misses
    from replaylab.store.library import Library

    library = Library(app.library)
    if not runs_with_misses(library):  # what was asked before anything was recorded makes no library
        library = library_of(app)
    name = run or _only_one(library)
    file = misses_file(library, name)
    if not file.is_file():
        library.run(name)  # says what comes closest where there is no such run
    misses = read_misses(file)
    if number is not None and number >= len(misses):
        raise UsageError(f"there is no miss {number}", closest=f"0 to {len(misses) - 1}")
    chosen = [(at, one) for at, one in enumerate(misses) if number in (None, at)]
    told = [(at, one, _proposed(app, one)) for at, one in chosen]
    app.output.text(f"run {name}, last replay: {counted(len(misses), 'miss', 'misses')}")
    for at, kept, proposed in told:
        _show(app, at, kept, proposed)
    rules = list(dict.fromkeys(one.rule for *_, found in told if found for one in found.rules))
    if rules:
        app.output.text("\nfor replaylab.toml, after reading what they cover:\n")
        for rule in rules:
            app.output.text("\n".join(toml_of(rule)) + "\n")
    app.output.document(
        ok=True,
        run=None,
        findings=[],
        name=name,
        misses=[dict(kept.miss) | _fields(proposed) | {"number": at} for at, kept, proposed in told],
        rules=[rule.to_json() for rule in rules],
    )
    return EXIT_OK


def _only_one(library: Library) -> str:
    from replaylab.engine.captured.missed import runs_with_misses

    found = runs_with_misses(library)
    if len(found) == 1:
        return found[0]
    raise UsageError(
        f"{len(found) or 'no'} runs have misses",
        where=str(library.root),
        closest=", ".join(found[:5]),
        fix="name the run"
        if found
        else "replay one first: replaylab capture --run NAME --offline -- COMMAND",
    )


def _proposed(app: App, kept: Kept) -> Proposed | None:
    """What the rules in force leave over, and rules for that; None where a body is not what parts the two."""
    from replaylab.engine.captured.propose import propose

    miss = kept.miss
    if kept.asked is None or kept.expected is None or not miss["pointer"]:
        return None
    known = app.config.capture.normalise
    endpoint, path = str(miss["endpoint"]), str(miss["path"])
    return propose(kept.expected, kept.asked, endpoint=endpoint, path=path, known=known)


def _no_rule(miss: Mapping[str, Json]) -> str:
    """Why there is nothing to propose."""
    if miss["reason"] == "asked_more_often":
        return f"the request is recorded, less often; {miss['fix']}"
    if miss["reason"] == "nothing_recorded":
        return f"a rule is about bodies, and nothing is recorded at this place; {miss['fix']}"
    if miss["nearest"] and not miss["pointer"]:
        return "the bodies are alike, and the address is another one"
    return "there is no recording near enough, or one of the bodies is too large to keep"


def _show(app: App, at: int, kept: Kept, proposed: Proposed | None) -> None:
    miss, out = kept.miss, app.output
    out.text(f"\nmiss {at}: {miss['message']}")
    out.text(f"  asked:    {miss['method']} {miss['path']} at {miss['endpoint']}, lane {miss['lane']}")
    if miss["nearest"]:
        out.text(f"  nearest:  {miss['nearest']}")
    if miss["pointer"]:
        out.text(f"  at:       {miss['pointer']}")
    if miss["pointer"] or miss["expected"] is not None:
        out.text(f"  recorded: {_short(miss['expected'])}")
        out.text(f"  now:      {_short(miss['observed'])}")
    if proposed is None:
        out.text(f"  no rule is proposed: {_no_rule(miss)}")
        return
    for one in proposed.rules:
        times = "" if one.times == 1 else f" ({one.times} times)"
        out.text(f"  {one.why}{times} at {one.rule.pointer}")
    if proposed.solved and not proposed.rules:
        out.text("  with the rules that are in force now it is found: replay again")
    elif proposed.solved:
        out.text("  with the rules below it is found")
    else:
        out.text(
            f"  {'after these' if proposed.rules else 'no rule is proposed:'} it still differs at {proposed.left}"
        )


def _short(value: object) -> str:
    # Texts are cut to where they differ, so that nobody takes a piece for the whole.
    text = f"…{value}…" if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:160] + "…"


def _fields(proposed: Proposed | None) -> dict[str, object]:
    if proposed is None:
        return {"proposed": [], "solved": False, "left": ""}
    rules = [{"rule": one.rule.to_json(), "why": one.why, "times": one.times} for one in proposed.rules]
    return {"proposed": rules, "solved": proposed.solved, "left": proposed.left}


def toml_of(rule: NormaliseRule) -> Sequence[str]:
    """A rule as it stands in replaylab.toml."""
    lines = [f"{name} = {_quoted(value)}" for name, value in rule.to_json().items()]
    return ["[[capture.normalise]]", *lines]


def _quoted(text: str) -> str:
    """A TOML string: literal where it can be, so that a pattern reads as it is."""
    plain = "'" not in text and text.isprintable()
    return f"'{text}'" if plain else json.dumps(text, ensure_ascii=True)
