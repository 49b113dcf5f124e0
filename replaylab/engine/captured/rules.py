"""Normalisers: what takes no part in the key by which a request is found again. Nothing that is stored changes."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.schema.capture import NormaliseRule


class Rules:
    """Normaliser rules in force. Raises UsageError for a pattern that is none, or that could run away; `at` is its place."""

    def __init__(self, rules: Sequence[NormaliseRule] = ()) -> None:
        self.rules = tuple(rules)
