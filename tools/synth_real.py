"""A small real LLM on this machine makes tasks of one scenario: `replaylab synth` with it in every role, replayed offline.

Needs what `make real` sets up (and sets it up where it is not there yet). A model of this size mostly fails, and then the
funnel says where and why. Every call is recorded: started again, it goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

if __package__ in (None, ""):  # run as a script: the repository's root is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools import real
from tools.real_model import MODELS, Stopped, fetch, given
from tools.real_server import KEY_ENV

SCENARIO = "emergency-department-triage"
# A prompt or a state is longer than any answer of a trial, and the context of the server holds 8192 tokens in all.
MAX_TOKENS = 1800
HONEST = """
What this shows: where the tasks of a small real LLM fail, by which rule, and what its repairs are worth.
What it doesn't show: how a stronger model would do. Nothing here is a benchmark result."""


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line: what `tools/real.py` takes for the model, and the size of the synthesis."""
    parser = argparse.ArgumentParser(
        prog="tools/synth_real.py", description="Make tasks with a small real LLM on this machine."
    )
    parser.add_argument("--model", choices=sorted(MODELS), default="1.5b")
    parser.add_argument(
        "--gguf", type=Path, help="weights that you have already, instead of downloading them"
    )
    parser.add_argument("--address", help=f"a server that runs these weights already; its key in {KEY_ENV}")
    parser.add_argument("--library", type=Path, default=real.HOME / "synth", help="where the cassettes go")
    parser.add_argument("--out", type=Path, default=real.HOME / "synth-tasks", help="where tasks go, if any")
    parser.add_argument("--scenario", default=SCENARIO)
    parser.add_argument("--levels", type=int, default=2)
    parser.add_argument("--tries", type=int, default=2, help="trials a task")
    parser.add_argument("--votes", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2, help="rounds of repair")
    parser.add_argument("--max-steps", type=int, default=12, help="tool calls after which a trial is cut off")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--no-prompt-cache", action="store_true")
    parser.add_argument("--seed", type=int, default=1, help="of the sampling")
    parser.add_argument("--temperature", type=float, default=0.8)
    return parser.parse_args(arguments)


def command(asked: argparse.Namespace, who: str) -> list[str]:
    """The command that is run: the model writes, tries, plays and judges."""
    roles = [part for role in ("generator", "agent", "sim", "verifier") for part in (f"--{role}", who)]
    sizes = ("levels", "tries", "votes", "rounds", "max-steps", "jobs")
    numbers = [part for name in sizes for part in (f"--{name}", str(getattr(asked, name.replace("-", "_"))))]
    return ["synth", asked.scenario, *roles, *numbers]


def show(document: dict[str, Any], seconds: float) -> None:
    """Prints where candidates were lost, and by which rules."""
    funnel = document["funnel"]
    print(f"synthesis {document['run']}: {seconds:.0f} s in this start")
    print(f"  planned {funnel['planned']}")
    for stage in funnel["stages"]:
        print(f"  {stage['name']}: {stage['left']} left, {stage['lost']} lost, {stage['repaired']} repaired")
    for lost in funnel["lost"]:
        rules = ", ".join(f"{rule} {count}" for rule, count in lost["rules"])
        print(f"  dropped, {lost['reason']}: {lost['number']} ({rules})")


def run(asked: argparse.Namespace) -> None:
    """All steps."""
    asked.library = asked.library.resolve()
    real.HOME.mkdir(parents=True, exist_ok=True)
    python = Path(sys.executable) if asked.address else real.make_environment(real.HOME)
    weights = given(asked.gguf) if asked.gguf else MODELS[asked.model]
    gguf = asked.gguf.resolve() if asked.gguf else fetch(weights, real.HOME, python, print)
    key = os.environ.get(KEY_ENV) or secrets.token_hex(16)
    print(f"playing: {weights.model} ({weights.upstream})", flush=True)
    served = (
        nullcontext(asked.address) if asked.address else real.served(python, gguf, weights.model, asked, key)
    )
    with served as address:
        text = real.settings(weights, asked, address, max_tokens=MAX_TOKENS)
        (real.HOME / "replaylab.toml").write_text(text, encoding="utf-8")
        began = time.monotonic()
        out = ["--out", str(asked.out.resolve())]
        document = real.replaylab(asked, key, *command(asked, weights.name), *out)
        show(document, time.monotonic() - began)
    again = real.replaylab(asked, key, *command(asked, weights.name), *out, "--offline")
    if json.dumps(again, sort_keys=True) != json.dumps(document, sort_keys=True):
        raise Stopped("played again offline it came to something else")
    print("played again offline: the same selection, history and files")
    real.replaylab(asked, key, "verify")
    print(HONEST)


def main() -> int:
    """The exit code: 0 when it was recorded and replayed equal, whatever came of the candidates; else 1."""
    try:
        run(options(sys.argv[1:]))
    except Stopped as why:
        print(f"tools/synth_real.py stopped: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
