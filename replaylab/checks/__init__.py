"""The rubric language `rubric/1`: checks that a program runs over a trajectory. RUBRIC.md has an example of each."""

from __future__ import annotations

from replaylab.checks.failure import is_error
from replaylab.checks.rubric import parse_checks, passed, run_checks

__all__ = ["is_error", "parse_checks", "passed", "run_checks"]
