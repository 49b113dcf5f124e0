"""Numbers in sentences, for the reasons that checks give."""

from __future__ import annotations


def often(number: int) -> str:
    """`never`, `once`, `3 times`."""
    return {0: "never", 1: "once"}.get(number, f"{number} times")


def counted(number: int, one: str) -> str:
    """`1 call`, `3 calls`."""
    return f"{number} {one}{'' if number == 1 else 's'}"
