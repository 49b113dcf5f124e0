"""The facts of many cassettes: out of the index where they are known, else read, several at once, and kept there.

Each file is opened once, for its row in the index and for its facts. Facts always pass through their JSON, so that a
first call and a later one can't differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from replaylab.canonical import dumps, loads
from replaylab.cassette.derived import Deriving, Progress, derived_values
from replaylab.schema.base import Frozen, JsonObject
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.fault import FaultPlan
from replaylab.schema.model import ModelSettings
from replaylab.score.derive_facts import KIND, PARSER, facts_text
from replaylab.score.facts import CassetteFacts, Faulted
from replaylab.store.library import Library

Part = TypeVar("Part", bound=Frozen)


class Facts(NamedTuple):
    """The facts by cassette. `unsaved` says why the next call has to read the files again, "" if it hasn't."""

    by_name: dict[str, CassetteFacts]
    unsaved: str


def read_facts(
    library: Library,
    names: Sequence[str],
    *,
    jobs: int = 1,
    progress: Progress = lambda done, planned: None,
) -> Facts:
    """The facts of these cassettes. `jobs` is a number of processes; the result does not depend on it.

    Raises StoreError for one of them that is missing or damaged. Another cassette of the library that is damaged only
    keeps the index from being saved.
    """
    shelf = _Shelf()
    how = Deriving(KIND, PARSER, facts_text, shelf.fits)
    derived = derived_values(library, names, how, jobs=jobs, progress=progress)
    return Facts({name: shelf.facts(name, text) for name, text in derived.by_name.items()}, derived.unsaved)


class _Shelf:
    """Reads facts from their JSON. What many trials share is one object, or thirty thousand would not fit."""

    def __init__(self) -> None:
        self._shared: dict[tuple[type[Frozen], bytes], Frozen] = {}
        self._players: dict[bytes, dict[str, ModelSettings]] = {}
        self._read: dict[str, CassetteFacts] = {}

    def fits(self, name: str, text: str) -> bool:
        """Whether a cached text holds facts of this cassette; they are kept, since each is asked for again."""
        try:
            facts = self.load(text)
        except (KeyError, TypeError, ValueError):
            return False
        if facts.cassette != name:
            return False
        self._read[name] = facts
        return True

    def facts(self, name: str, text: str) -> CassetteFacts:
        """The facts of a cassette, from this text where they were not read yet."""
        known = self._read.get(name)
        return self.load(text) if known is None else known

    def load(self, text: str) -> CassetteFacts:
        fields: JsonObject = loads(text)
        fields["scenario"] = self._one(ScenarioFacts, fields["scenario"])
        fields["faults"] = self._one(FaultPlan, fields["faults"])
        fields["players"] = self._players_of(fields["players"])
        if "faulted" in fields:
            fields["faulted"] = self._one(Faulted, fields["faulted"])
        return CassetteFacts.model_validate(fields)

    def _players_of(self, fields: JsonObject) -> dict[str, ModelSettings]:
        key = dumps(fields)
        known = self._players.get(key)
        if known is None:
            known = {role: self._one(ModelSettings, player) for role, player in fields.items()}
            self._players[key] = known
        return known

    def _one(self, kind: type[Part], fields: Any) -> Part:
        key = (kind, dumps(fields))
        known = self._shared.get(key)
        if known is None:
            known = self._shared[key] = kind.model_validate(fields)
        return known  # type: ignore[return-value]
