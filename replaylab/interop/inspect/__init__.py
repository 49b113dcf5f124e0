"""Inspect AI's logs: read as conversations, and written so that Inspect reads and shows them."""

from replaylab.interop.inspect.reader import INSPECT

__all__ = ["INSPECT"]
