"""Public cassettes of other projects, read where they lie and never copied."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[3]


def samples() -> list[Path]:
    """The vcrpy files; the test is skipped, and says so, where they are not."""
    folder = Path(os.environ.get("REPLAYLAB_SAMPLES", REPO.parent / "shared" / "samples")) / "vcr"
    found = sorted(folder.glob("*.yaml"))
    if not found:
        pytest.skip(f"no cassettes at {folder}: set REPLAYLAB_SAMPLES to the folder of samples. NOT TESTED.")
    return found
