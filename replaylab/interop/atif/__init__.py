"""ATIF, the Agent Trajectory Interchange Format: read as conversations, and written from trials."""

from replaylab.interop.atif.reader import ATIF

__all__ = ["ATIF"]
