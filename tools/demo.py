"""What `make demo` runs: record three shipped scenarios with built-in models, replay them offline, say what next.

It calls the installed command as a reader would and adds nothing of its own, so whatever it shows can be
typed by hand. Everything lands in build/demo, which it empties first.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
LIBRARY = Path("build") / "demo"
SCENARIOS = ("emergency-department-triage", "escalation-workflow-management", "order-return-authorization")


def replaylab(*arguments: str, silent: bool = False) -> str:
    """Run one command over the demo's library; its stdout when silent, else it is shown with its output.

    Ends the demo if the command fails.
    """
    if not silent:
        print(f"\n$ replaylab --library {LIBRARY.as_posix()} {' '.join(arguments)}", flush=True)
    command = [sys.executable, "-m", "replaylab", "--library", str(LIBRARY), *arguments]
    done = subprocess.run(
        command,
        cwd=REPO,
        check=False,
        text=True,
        encoding="utf-8",
        stdout=subprocess.PIPE if silent else None,
    )
    if done.returncode != 0:
        print(done.stdout or "", end="", file=sys.stderr)
        print(
            f"The demo stopped: `replaylab {' '.join(arguments)}` ended with {done.returncode}.",
            file=sys.stderr,
        )
        raise SystemExit(done.returncode)
    return done.stdout or ""


def main() -> None:
    """Record, replay, point onwards."""
    shutil.rmtree(REPO / LIBRARY, ignore_errors=True)
    (REPO / LIBRARY).parent.mkdir(exist_ok=True)
    print("Three small scenarios, played by built-in models. They are programs, not LLMs: no key is needed.")
    print("Recording and replaying take some ten seconds; a busy machine may need a minute.")
    replaylab("record", "--run", "demo", "--scenario", ",".join(SCENARIOS))
    replaylab("replay", "demo", "--offline")
    (recorded,) = json.loads(replaylab("runs", "--json", silent=True))["runs"]
    print(
        f"""
Run id: {recorded["run"]}
It is the SHA-256 of the run object, which names every cassette by its own: one hash to cite, one to check.

Try next (`. .venv/bin/activate` puts replaylab on your PATH):
  replaylab --library {LIBRARY.as_posix()} runs
  replaylab --library {LIBRARY.as_posix()} show demo
  replaylab --library {LIBRARY.as_posix()} verify
  replaylab --help"""
    )


if __name__ == "__main__":
    main()
