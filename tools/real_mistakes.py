"""Records how small real LLMs play environments of OccuBench that nobody chose by result.

The environments are evenly spread over all tasks, in the order of their names, whose environment offers enough tools.
The first model plays agent and simulator for a few calls; then each other model is put the same calls, in lockstep with
its own history. Labels of what they said are made by hand, before any detector sees it.

    python tools/real_mistakes.py --home build/real              # two models, 24 environments x 4 calls: about an hour
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

if __package__ in (None, ""):  # run as a script: the repository's root is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replaylab.catalogue.loader import Catalogue
from tools import real
from tools.real_model import MODELS, Stopped, fetch
from tools.real_server import KEY_ENV

RUN = "mistakes"
CHOSEN = ("0.5b", "1.5b")


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line, with what `tools.real` asks of it."""
    parser = argparse.ArgumentParser(
        prog="tools/real_mistakes.py", description="Record small LLMs as simulators."
    )
    parser.add_argument(
        "--model", action="append", choices=sorted(MODELS), help=f"default: {', '.join(CHOSEN)}"
    )
    parser.add_argument(
        "--gguf", type=Path, action="append", default=[], help="weights of --model, in its order"
    )
    parser.add_argument("--home", type=Path, default=real.HOME)
    parser.add_argument(
        "--occubench", type=Path, default=Path(os.environ.get("REPLAYLAB_OCCUBENCH", real.OCCUBENCH))
    )
    parser.add_argument("--environments", type=int, default=24)
    parser.add_argument("--offset", type=int, default=0, help="other environments by the same rule")
    parser.add_argument("--calls", type=int, default=4)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--temperature", type=float, default=0.8)
    given = parser.parse_args(arguments)
    given.model = given.model or list(CHOSEN)
    given.no_prompt_cache = False
    return given


def chosen(listed: Sequence[tuple[str, int]], count: int, calls: int, offset: int = 0) -> list[str]:
    """Of (task, how many tools its environment offers): `count` tasks with tools enough, evenly spread by name.

    `offset` takes those that stand so many places after them: another set by the same rule.
    """
    names = sorted(task for task, tools in listed if tools >= calls)
    at = [(names.index(name) + offset) % len(names) for name in real.spread(names, count)]
    return [names[place] for place in at]


def tools_of(folder: Path) -> list[tuple[str, int]]:
    """Every imported task and the number of tools of its environment."""
    catalogue = Catalogue.load([folder])
    return [(task.id, len(catalogue.environment(task.environment).tools)) for task in catalogue.tasks]


def run(asked: argparse.Namespace) -> None:
    """All steps. Started again, it goes on where it stopped."""
    real.HOME = asked.home = asked.home.resolve()
    asked.library = asked.home / "mistakes"
    asked.home.mkdir(parents=True, exist_ok=True)
    python, key = real.make_environment(asked.home), os.environ.get(KEY_ENV) or secrets.token_hex(16)
    folder = asked.home / "occubench"
    (asked.home / "replaylab.toml").write_text("", encoding="utf-8")
    real.replaylab(asked, key, "import", "occubench", str(asked.occubench), "--into", str(folder))
    tasks = chosen(tools_of(folder), asked.environments, asked.calls, asked.offset)
    name = RUN if not asked.offset else f"{RUN}-{asked.offset}"
    which = [part for task in tasks for part in ("--task", task)]
    for place, short in enumerate(asked.model):
        weights = MODELS[short]
        gguf = (
            asked.gguf[place].resolve()
            if place < len(asked.gguf)
            else fetch(weights, asked.home, python, print)
        )
        with real.served(python, gguf, weights.model, asked, key) as address:
            (asked.home / "replaylab.toml").write_text(
                real.settings(weights, asked, address), encoding="utf-8"
            )
            call = (
                _played(name, weights.name, folder, which, asked)
                if place == 0
                else _swapped(name, weights.name, asked)
            )
            document = real.replaylab(asked, key, *call)
            print(f"{weights.name}: run {document.get('run')}, totals {document.get('totals')}", flush=True)


def _played(
    name: str, model: str, folder: Path, which: Sequence[str], asked: argparse.Namespace
) -> list[str]:
    """The command that records the calls. `coin` judges, since no verdict is wanted."""
    players = ["--agent", model, "--sim", model, "--verifier", "coin", "--votes", "1"]
    limits = ["--max-steps", str(asked.calls), "--jobs", str(asked.jobs)]
    return ["record", "--run", name, "--scenarios", str(folder), *players, *limits, *which]


def _swapped(name: str, model: str, asked: argparse.Namespace) -> list[str]:
    """The command that puts the same calls to another model."""
    return ["replay", name, "--swap", f"sim={model}", "--history", "own", "--jobs", str(asked.jobs)]


def main() -> int:
    """The exit code: 0 when everything was recorded, else 1."""
    try:
        run(options(sys.argv[1:]))
    except Stopped as why:
        print(f"tools/real_mistakes.py stopped: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
