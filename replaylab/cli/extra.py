"""Commands that need the packages of an extra, and how to get those."""

from __future__ import annotations

import os
from collections.abc import Sequence

from replaylab.errors import UsageError

# numpy's threads only cost time on arrays of our size, and how many there are may move the last digit of a sum.
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
STATS = ("scipy", "statsmodels")
CAPTURE = ("uvicorn", "brotli")


def how_to_get(extra: str) -> str:
    """How a user gets the packages of an extra; the Makefile has a target for each."""
    return f"from the checkout: `make {extra}`, or `.venv/bin/pip install -c constraints.txt -e '.[{extra}]'`"


def require(command: str, packages: Sequence[str] = STATS) -> None:
    """Make ready to import these packages. Raises UsageError where one is not installed; nothing is imported."""
    from importlib.util import find_spec

    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"{command} needs {', '.join(missing)}, which is not installed here", fix=how_to_get("stats")
        )
    for name in THREADS:
        os.environ.setdefault(name, "1")


def require_mcp(command: str) -> None:
    """Raise UsageError where the package mcp is not installed."""
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise UsageError(
            f"{command} needs the package mcp, which is not installed here", fix=how_to_get("mcp")
        )


def require_packages(command: str, packages: Sequence[str], how: str) -> None:
    """Raise UsageError where one of these packages, which only some commands need, is not installed."""
    from importlib.util import find_spec

    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise UsageError(f"{command} needs {', '.join(missing)}, which is not installed here", fix=how)


def require_extra() -> None:
    """Raise UsageError where the package cryptography, which signatures need and nothing else does, is not installed."""
    from importlib.util import find_spec

    if find_spec("cryptography") is None:
        raise UsageError(
            "signatures need the package cryptography, which is not installed here",
            fix=f"{how_to_get('sign')}; `ssh-keygen -Y sign` and `-Y verify` do without it",
        )


def require_capture(command: str) -> None:
    """Raise UsageError where the packages of the proxy are not installed; nothing is imported."""
    from importlib.util import find_spec

    missing = [name for name in CAPTURE if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"{command} needs {', '.join(missing)}, which is not installed here", fix=how_to_get("capture")
        )


def require_vcr(command: str) -> None:
    """Raise UsageError where vcrpy is not installed; nothing is imported."""
    from importlib.util import find_spec

    if find_spec("vcr") is None:
        raise UsageError(f"{command} needs vcrpy, which is not installed here", fix=how_to_get("vcr"))
