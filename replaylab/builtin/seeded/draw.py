"""Draws: choices that follow from a digest alone, so that the same request gets the same answer anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from replaylab.canonical import digest, digest_bytes
from replaylab.schema.base import Json

T = TypeVar("T")


class Draw:
    """A row of choices. Two draws from equal seeds choose alike."""

    def __init__(self, seed: Json) -> None:
        self._seed, self._drawn = digest(seed), 0

    def below(self, bound: int) -> int:
        """A number from 0 to `bound` - 1."""
        self._drawn += 1
        return int(digest_bytes(f"{self._seed}/{self._drawn}".encode())[:15], 16) % bound

    def once_in(self, times: int) -> bool:
        """True once in so many times."""
        return self.below(times) == 0

    def one(self, options: Sequence[T]) -> T:
        """One of the options, of which there must be some."""
        return options[self.below(len(options))]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """All options in another order."""
        left, order = list(options), []
        while left:
            order.append(left.pop(self.below(len(left))))
        return order
