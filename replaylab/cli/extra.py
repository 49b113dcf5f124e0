"""Commands that need the packages of the extra `stats`, and how to get those."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.errors import UsageError

STATS = ("scipy", "statsmodels")
HOW_TO_GET = "from the checkout: `make stats`, or `.venv/bin/pip install -c constraints.txt -e '.[stats]'`"


def require(command: str, packages: Sequence[str] = STATS) -> None:
    """Raise UsageError where one of these packages is not installed. Nothing is imported."""
    from importlib.util import find_spec

    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise UsageError(f"{command} needs {', '.join(missing)}, which is not installed here", fix=HOW_TO_GET)
