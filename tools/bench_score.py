"""How long `score` takes on large libraries, and how much memory; writes reports/bench_score.{md,json}.

Cold is without an index, warm the call after it. Each call is a process of its own, and is made `--repeats` times: what
is told is the call whose seconds are the median, beside the least and the most. Memory is the largest sum over all
its processes of what each holds for itself (proportional set size), looked at five times a second.

    python tools/bench_score.py                    # 10,000 and 30,000 trials; makes the libraries first
    python tools/bench_score.py --trials 1000      # a quick look; writes no report
    python tools/bench_score.py --keep build/bench # keeps the libraries there, and uses those that are there
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

if __package__ in (None, ""):  # run as a script: the repository's root is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replaylab.store.library import Library
from tools.bench_parts import REPO, write
from tools.make_library import BLOCKS, make

SIZES = (10_000, 30_000)
WANTED = {"cold": 60, "warm": 10, "memory": 1000, "linear": 1.2}
_READ = """
import sys
from pathlib import Path
from replaylab.score.read import read_study
from replaylab.store.library import Library
if __name__ == "__main__":
    library, jobs, runs = Library(Path(sys.argv[1])), int(sys.argv[2]), sys.argv[3:]
    for study in read_study(library, runs, jobs=jobs):
        print(study.evidence, len(study.trials), len(study.findings))
"""


def calls(library: Path, jobs: int, scratch: Path) -> dict[str, list[str]]:
    """What is measured: the reading alone, and the command as users call it where there is one."""
    runs = [block.run for block in BLOCKS]
    script = scratch / "read.py"
    script.write_text(_READ, encoding="utf-8")
    asked = {"reading alone": [sys.executable, str(script), str(library), str(jobs), *runs]}
    if find_spec("replaylab.cli.score") is not None:
        whole = [sys.executable, "-m", "replaylab", "--library", str(library), "score", *runs]
        whole += ["--jobs", str(jobs), "--json", "--out", str(scratch / "report")]
        asked["score --no-figures"] = [*whole, "--no-figures"]
        asked["score"] = whole
    return asked


def measured(asked: list[str], scratch: Path) -> dict[str, float]:
    """Seconds (wall, and CPU of all processes) and peak MB of one call."""
    # Compiled modules are kept, as they are where nobody forbids it: else each process compiles all of them.
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = os.times()
    begun = time.perf_counter()
    with (scratch / "out").open("wb") as out, (scratch / "err").open("wb") as err:
        process = subprocess.Popen(
            asked, stdout=out, stderr=err, cwd=scratch, env={**surroundings, "PYTHONPATH": str(REPO)}
        )
        memory = _Memory(process.pid)
        memory.start()
        code = process.wait()
    wall, after = time.perf_counter() - begun, os.times()
    memory.stop()
    if code not in (0, 1):  # 1: findings, which a made-up library has
        raise SystemExit(
            f"{' '.join(asked[:4])} … ended with {code}:\n{(scratch / 'err').read_text()[-2000:]}"
        )
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"wall_s": wall, "cpu_s": cpu, "memory_mb": memory.peak / 1000}


class _Memory(threading.Thread):
    """Looks how much a process and all that it started hold together. 0 where the system does not tell."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.peak, self._ended = pid, 0, threading.Event()

    def run(self) -> None:
        while not self._ended.wait(0.2):
            self.peak = max(self.peak, sum(map(_held_kb, _family(self.pid))))

    def stop(self) -> None:
        self._ended.set()
        self.join()


def _family(pid: int) -> list[int]:
    """A process and all below it."""
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return [pid]
    return [pid, *(one for child in listed for one in _family(int(child)))]


def _held_kb(pid: int) -> int:
    try:
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:  # it has ended
        return 0
    return next((int(row.split()[1]) for row in rows if row.startswith("Pss:")), 0)


def middle(calls: list[dict[str, float]]) -> dict[str, float]:
    """The call whose seconds are the (lower) median, with the least and the most seconds of all of them."""
    walls = sorted(calls, key=lambda call: call["wall_s"])
    return {
        **walls[(len(walls) - 1) // 2],
        "least_s": walls[0]["wall_s"],
        "most_s": walls[-1]["wall_s"],
        "repeats": len(walls),
    }


def one_size(folder: Path, trials: int, jobs: int, scratch: Path, repeats: int) -> dict[str, Any]:
    """Make a library of so many trials where there is none, and measure cold and warm calls in turns."""
    library, begun = Library(folder / str(trials)), time.perf_counter()
    if not library.exists():
        make(library, trials, jobs=jobs)
    row: dict[str, Any] = {"made_s": time.perf_counter() - begun, "trials": 0}
    row["trials"] = sum(1 for _ in library.objects("cassette"))
    row["calls"] = {}
    for name, asked in calls(library.root, jobs, scratch).items():
        made: dict[str, list[dict[str, float]]] = {"cold": [], "warm": []}
        for _ in range(repeats):
            (library.root / "index.db").unlink(missing_ok=True)
            for before in made.values():
                before.append(measured(asked, scratch))
        row["calls"][name] = {how: middle(each) for how, each in made.items()}
    row["index_mb"] = (library.root / "index.db").stat().st_size / 1e6
    print(f"{trials}: {row}", file=sys.stderr)
    return row


def growth(rows: list[dict[str, Any]], name: str, how: str) -> float:
    """CPU seconds a trial, the largest library against the smallest: 1 is linear."""
    first, last = (row["calls"][name][how]["cpu_s"] / row["trials"] for row in (rows[0], rows[-1]))
    return float(last / first)


def main() -> None:
    """Measure, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--trials", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="where the libraries are made and stay")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    scratch = Path(tempfile.mkdtemp())
    try:
        folder = given.keep or scratch
        rows = [
            one_size(folder, trials, given.jobs, scratch, given.repeats) for trials in sorted(given.trials)
        ]
    finally:
        shutil.rmtree(scratch)
    report(rows, given.jobs, whole=sorted(given.trials) == sorted(SIZES))


def report(rows: list[dict[str, Any]], jobs: int, *, whole: bool) -> None:
    """The page of the measurement."""
    columns = (
        "trials",
        "what",
        "call",
        "seconds",
        "least",
        "most",
        "CPU seconds",
        "CPU ms a trial",
        "peak memory MB",
    )
    shown = [
        [row["trials"], name, how, f"{one['wall_s']:.1f}", f"{one['least_s']:.1f}", f"{one['most_s']:.1f}", f"{one['cpu_s']:.1f}",
         f"{one['cpu_s'] * 1000 / row['trials']:.2f}", f"{one['memory_mb']:.0f}"]
        for row in rows
        for name, both in row["calls"].items()
        for how, one in both.items()
    ]  # fmt: skip
    repeats = max(one["repeats"] for both in rows[-1]["calls"].values() for one in both.values())
    how_made = (
        f"`python tools/bench_score.py` writes this page. Calls with --jobs {jobs}, on libraries of "
        f"`tools/make_library.py`: about 32 calls to models a trial, {rows[-1]['index_mb']:.0f} MB of index for "
        f"{rows[-1]['trials']} trials. Cold is without an index, warm the next call; "
        f"each row is the call in the middle of {repeats} by its seconds; on a busy machine the CPU seconds "
        "say more than the seconds. Nobody played these trials; the numbers in their scores mean nothing."
    )
    compared = ("Wanted and measured", ("what", "wanted", "measured"), list(wanted(rows)))
    write(
        "bench_score",
        "Scoring speed",
        how_made,
        [("Measured", columns, shown), compared],
        {"rows": rows, "jobs": jobs},
        whole=whole,
    )


def wanted(rows: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """What is wanted of the largest library, and of its size against the smallest."""
    size = f"{rows[-1]['trials']} trials"
    for name, both in rows[-1]["calls"].items():
        for how, one in both.items():
            yield f"{name}, {how}, {size}, s", f"under {WANTED[how]}", f"{one['wall_s']:.1f}"
        peak = max(one["memory_mb"] for one in both.values())
        yield f"{name}, peak memory, {size}, MB", f"under {WANTED['memory']}", f"{peak:.0f}"
        for how in both:
            what = f"{name}, {how}, CPU a trial, largest library against smallest"
            yield what, f"at most {WANTED['linear']}", f"{growth(rows, name, how):.2f}"


if __name__ == "__main__":
    main()
