"""What `make demo` installs is enough for everything but tables: numpy and its relatives are an extra."""

from __future__ import annotations

import subprocess
import sys

HEAVY = (
    "numpy",
    "scipy",
    "statsmodels",
    "pandas",
    "matplotlib",
    "cryptography",
    "mcp",
    "mcp_types",
    "starlette",
)

# Imports every module of the package but those that are allowed to need the extra, with the extra out of reach.
PROGRAM = f"""
import importlib, importlib.abc, pkgutil, sys
import replaylab

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HEAVY!r}:
            raise ModuleNotFoundError(f"{{name}} is not installed", name=name)

sys.meta_path.insert(0, Absent())
allowed = ("replaylab.score", "replaylab.audit", "replaylab.report.figures", "replaylab.__main__")
# What `score`, `simulators`, `diff RUN RUN` and `audit RUN` import once they have looked for the extra.
allowed += tuple(f"replaylab.cli.{{name}}" for name in ("scored", "scoring", "drawing", "audit_run"))
allowed += ("replaylab.compare",)
allowed += tuple(f"replaylab.report.{{name}}" for name in ("agreement_text", "regressions_", "simulators_", "score_files", "score_page"))
allowed += tuple(f"replaylab.interop.pack.{{name}}" for name in ("keys", "sshsig", "signed"))
allowed += ("replaylab.cli.signatures",)  # what `sign` and `verify --key` import once they have looked for the extra
allowed += ("replaylab.foreign.mcp",)  # what `env` and an agent that is a program import once they have looked for it
pure = ("rounding", "industries", "value", "facts", "stats.ranks", "stats.repeats", "stats.grim", "stats.spread")
asked = [f"replaylab.score.{{name}}" for name in (*pure, "stats.margins")]
asked += ["replaylab.audit.check", "replaylab.audit.claims"]  # a table alone is audited without statistics of trials
for module in pkgutil.walk_packages(replaylab.__path__, "replaylab.", onerror=print):
    free = not module.name.startswith(allowed)
    if free or module.name in asked:
        importlib.import_module(module.name)
        print(module.name)
"""


def test_nothing_but_tables_and_figures_needs_the_extra() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    imported = done.stdout.split()
    assert len(imported) > 150
    assert {
        "replaylab.cli.main",
        "replaylab.score.value",
        "replaylab.score.stats.grim",
        "replaylab.audit.check",
    } <= set(imported)
