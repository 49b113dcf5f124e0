"""`python -m replaylab` is `replaylab`."""

from __future__ import annotations

from replaylab.cli.main import main

main()
