"""`scripted:idle`: an agent that does nothing. It calls no tool and says that all is done.

A benchmark on which it passes pays for words: its rate belongs beside every other.
"""

from __future__ import annotations

from replaylab.builtin.asked import Asked

ANSWER = "Everything is done as you asked."


def idle(_: Asked) -> str:
    """The final answer, at once, whatever the task."""
    return ANSWER
