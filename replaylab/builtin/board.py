"""Board: the built-in models where tasks are being made. The generator knows the shipped scenarios, the players a candidate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from replaylab.builtin.responder import Responder, Response
from replaylab.catalogue.loader import Catalogue

GENERATOR = "grammar"


class Board:
    """Answers for the generator out of one catalogue, and for every other model out of the one that was shown last.

    `trusted` are folders whose twins may be run.
    """

    def __init__(self, catalogue: Catalogue, trusted: Sequence[Path]) -> None:
        self._base = Responder(catalogue, trusted)
        self._shown = self._base

    def show(self, catalogue: Catalogue, trusted: Sequence[Path]) -> None:
        """From now on the players are asked about the tasks of this catalogue."""
        self._shown = Responder(catalogue, trusted)

    def respond(self, path: str, body: bytes) -> Response:
        """As `Responder.respond` does."""
        try:
            asked = json.loads(body)
        except ValueError:
            asked = None  # the responder says what is wrong with it
        generates = isinstance(asked, dict) and asked.get("model") == GENERATOR
        return (self._base if generates else self._shown).respond(path, body)
