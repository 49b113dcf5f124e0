"""How SSH writes structures: strings with their length in front, 4 bytes, big-endian."""

from __future__ import annotations

import struct


class Malformed(ValueError):
    """The bytes are not such a structure."""


def string(data: bytes) -> bytes:
    """A string with its length in front."""
    return struct.pack(">I", len(data)) + data


class Parts:
    """Takes a structure apart, from front to back."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def raw(self, size: int) -> bytes:
        """So many bytes."""
        part = self._data[self._at : self._at + size]
        if len(part) != size:
            raise Malformed("it is cut short")
        self._at += size
        return part

    def number(self) -> int:
        """4 bytes."""
        return int.from_bytes(self.raw(4))

    def string(self) -> bytes:
        """A string with its length in front."""
        return self.raw(self.number())

    def end(self) -> None:
        """Nothing may follow."""
        if self._at != len(self._data):
            raise Malformed("something follows its end")
