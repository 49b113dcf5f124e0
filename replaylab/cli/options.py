"""Options that several commands have, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import click

# More than any study has, and few enough that the plan is made at once and a typing error is answered.
MAX_TRIALS = 10_000
MAX_JOBS = 1_000
MAX_REPEATS = 99


class Dollars(click.ParamType[Decimal]):
    """An amount of US dollars as an exact decimal; neither negative nor endless."""

    name = "dollars"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        try:
            amount = Decimal(str(value))
        except InvalidOperation:
            amount = Decimal("NaN")
        if not amount.is_finite() or amount < 0:
            self.fail(f"{value!r} is no amount of dollars, such as 5 or 0.25", param, ctx)
        return amount


def split_names(given: Iterable[str]) -> list[str]:
    """The names of an option that may be repeated and may hold commas, in order. A command is one name, commas and all."""
    return [part.strip() for one in given for part in _parts(one) if part.strip()]


def _parts(one: str) -> list[str]:
    from replaylab.schema.model import COMMAND  # not above: help must not load what is recorded

    return [one] if one.lstrip().startswith(COMMAND) else one.split(",")


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
_FOLDER = "A folder of scenarios, for example an imported one."
_TRUST = "Run the twins of your own scenario folders too, on this machine: twins are code."


def scenarios_option(only: str = "") -> Decorator:
    """`--scenarios DIR`, which may be repeated. `only` says when it is heeded, as `With --swap: `."""
    return click.option(
        "--scenarios",
        "folders",
        multiple=True,
        metavar="DIR",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help=_helped(only, _FOLDER),
    )


def trust_option(only: str = "") -> Decorator:
    """`--trust-twins`."""
    return click.option("--trust-twins", is_flag=True, help=_helped(only, _TRUST))


def _helped(only: str, text: str) -> str:
    return only + text[0].lower() + text[1:] if only else text


def judge_options() -> Decorator:
    """`--judge MODEL` and `--offline`, which is about the judge alone: nothing else of its commands opens a connection."""
    judge = click.option(
        "--judge",
        metavar="MODEL",
        help="Put what the check is not sure of to a model, which may raise or clear it.",
    )
    offline = click.option(
        "--offline", is_flag=True, help="With --judge: take recorded answers and ask nobody."
    )
    return lambda function: judge(offline(function))
