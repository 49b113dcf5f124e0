"""What a synthesis needs from outside, and the shipped environments whose code can run a candidate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from replaylab.catalogue.index import Published
from replaylab.catalogue.loader import Catalogue
from replaylab.catalogue.twin import has_twin
from replaylab.engine.stepping import Steps
from replaylab.engine.trial import Parallel, in_turn
from replaylab.schema.base import JsonObject
from replaylab.schema.scenario import Environment
from replaylab.synthesis.proof import same_tools, twin_code

Progress = Callable[[int, int], None]
Show = Callable[[Catalogue, Sequence[Path]], None]


def _nobody(catalogue: Catalogue, trusted: Sequence[Path]) -> None:
    """Nobody has to be shown anything."""


def _silent(done: int, planned: int) -> None:
    """Says nothing of how far it is."""


@dataclass(frozen=True)
class Outside:
    """`work` is an empty folder for candidates. `show` tells programs that play which candidate is meant now.

    `shipped` is the catalogue of scenarios whose twins are trusted; the code of one of them, and no other, is run on a
    candidate that has the same tools.
    """

    steps: Steps
    work: Path
    shipped: Catalogue
    published: Sequence[Published] = ()
    show: Show = _nobody
    parallel: Parallel = in_turn
    progress: Progress = _silent

    def twin_for(self, given: JsonObject, environment: Environment) -> str | None:
        """The code that runs a candidate: that of the shipped environment it names, where the tools are the same."""
        name = given.get("twin_of")
        for source in self.shipped.environments:
            if source.id == name and same_tools(environment, source):
                folder = self.shipped.folder_of(source.id)
                return twin_code(folder, source.id) if has_twin(folder, source.id) else None
        return None
