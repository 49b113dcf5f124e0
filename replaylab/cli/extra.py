"""The extra `sign`: what signatures need and nothing else does."""

from __future__ import annotations

from replaylab.errors import UsageError

HOW_TO_GET = "from the checkout: `make sign`, or `.venv/bin/pip install -c constraints.txt -e '.[sign]'`"


def require_extra() -> None:
    """Raise UsageError where the package cryptography is not installed."""
    from importlib.util import find_spec

    if find_spec("cryptography") is None:
        raise UsageError(
            "signatures need the package cryptography, which is not installed here",
            fix=f"{HOW_TO_GET}; `ssh-keygen -Y sign` and `-Y verify` do without it",
        )
