"""Imports conversations in the form of OpenAI's chat API: a list of messages, or one a line."""

from replaylab.interop.chat.reader import CHAT

__all__ = ["CHAT"]
