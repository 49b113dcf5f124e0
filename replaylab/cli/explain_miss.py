"""`replaylab explain-miss`: why questions of a captured program were not found, and rules that would find them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.help import Command
from replaylab.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from replaylab.engine.captured.missed import Kept
    from replaylab.engine.captured.propose import Proposed
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
    from replaylab.engine.captured.missed import misses_file, read_misses
    from replaylab.store.library import Library

    library = Library(app.library)
    name = run or _only_one(library)
    misses = read_misses(misses_file(library, name))
    if number is not None and number >= len(misses):
        raise UsageError(f"there is no miss {number}", closest=f"0 to {len(misses) - 1}")
    chosen = [(at, one) for at, one in enumerate(misses) if number in (None, at)]
    told = [(at, one, _proposed(one)) for at, one in chosen]
    app.output.text(f"run {name}: {len(misses)} misses are kept of its last replay")
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
    from replaylab.engine.captured.missed import misses_file

    found = [name for name in library.refs() if misses_file(library, name).is_file()]
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


def _proposed(kept: Kept) -> Proposed | None:
    from replaylab.engine.captured.propose import propose

    if kept.asked is None or kept.expected is None:
        return None
    miss = kept.miss
    return propose(kept.expected, kept.asked, endpoint=str(miss["endpoint"]), path=str(miss["path"]))


def _show(app: App, at: int, kept: Kept, proposed: Proposed | None) -> None:
    miss, out = kept.miss, app.output
    out.text(f"\nmiss {at}: {miss['message']}")
    out.text(f"  asked:    {miss['method']} {miss['path']} at {miss['endpoint']}, lane {miss['lane']}")
    if miss["nearest"]:
        out.text(f"  nearest:  {miss['nearest']}")
    if miss["pointer"]:
        out.text(f"  at:       {miss['pointer']}")
        out.text(f"  recorded: {_short(miss['expected'])}")
        out.text(f"  now:      {_short(miss['observed'])}")
    if proposed is None:
        out.text(
            "  no rule is proposed: there is no recording near enough, or one of the bodies is too large to keep"
        )
        return
    for one in proposed.rules:
        times = "" if one.times == 1 else f" ({one.times} times)"
        out.text(f"  {one.why}{times} at {one.rule.pointer}")
    if proposed.solved:
        out.text("  with the rules below it is found")
    else:
        out.text(
            f"  {'after these' if proposed.rules else 'no rule is proposed:'} it still differs at {proposed.left}"
        )


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
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
