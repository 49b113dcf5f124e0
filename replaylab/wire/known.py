"""Secrets whose value is known, found by their pieces.

A piece of `PIECE` bytes counts as the secret: a body can be cut off in the middle of a key. The test that almost every
text passes costs the same for one secret as for twenty: each aligned 4-byte block of the text is looked up in a set. A
run of 8 bytes holds such a block whole wherever it begins, and so does the base64 of 8 bytes, whose two complete
groups depend on nothing but the secret. Hexadecimal gets a set of its own with blocks of 8.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator, Sequence

PIECE = 8
_BLOCK = 4

Span = tuple[int, int]


class Known:
    """A set of known secrets. Those shorter than `PIECE` bytes are no secrets: they would match anywhere."""

    def __init__(self, secrets: Sequence[str], harmless: bytes) -> None:
        values = [
            value for text in secrets if len(value := text.strip().encode("utf-8", "surrogatepass")) >= PIECE
        ]
        self._pieces = {piece for value in values for piece in _grams(value, PIECE)} - set(
            _grams(harmless, PIECE)
        )
        self._own_words = {_word(block) for piece in self._pieces for block in _grams(piece, _BLOCK)}
        self._words = set(self._own_words)
        self._hex_words: set[int] = set()
        for piece in self._pieces:
            self._words |= {_word(block) for block in _base64_blocks(piece)}
            self._hex_words |= {_word(gram) for gram in _grams(piece.hex().encode(), 8)}
        # Only such secrets can hide behind escapes other than \u00xx, \xx and \/.
        self.escapable = any(not value.isascii() or set(value) & set(b"\"\\'\b\f\n\r\t") for value in values)

    def suspect(self, data: bytes, has_runs: bool) -> bool:
        """False when no piece is in `data`, as it is, in base64 or in hexadecimal. True may be a false alarm.

        `has_runs` says whether `data` has a run of 16 letters and digits, which hexadecimal takes.
        """
        if not self._words:
            return False
        padded = data + bytes(-len(data) % 8)
        if not self._words.isdisjoint(memoryview(padded).cast("I")):
            return True
        return has_runs and not self._hex_words.isdisjoint(memoryview(padded.lower()).cast("Q"))

    def runs(self, data: bytes) -> list[Span]:
        """Every 8-byte piece in `data` as a byte range. They overlap along a longer run."""
        found: list[Span] = []
        own = self._own_words
        for index, word in enumerate(memoryview(data + bytes(-len(data) % _BLOCK)).cast("I")):
            if word in own:
                at = index * _BLOCK
                starts = range(max(0, at - _BLOCK), at + 1)
                found += [
                    (start, start + PIECE) for start in starts if data[start : start + PIECE] in self._pieces
                ]
        return found


def _grams(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(len(data) - size + 1))


def _word(block: bytes) -> int:
    """`block` in the byte order of this machine, which is how memoryview.cast reads."""
    return int.from_bytes(block, sys.byteorder)


def _base64_blocks(piece: bytes) -> Iterator[bytes]:
    """The 4-byte blocks that the two whole groups of a base64 of `piece` can hold, at each alignment, both alphabets."""
    for start in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield from _grams(encode(piece[start : start + 6]), _BLOCK)
