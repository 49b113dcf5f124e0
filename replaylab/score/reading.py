"""The facts of many cassettes: out of the index where they are known, else read, several at once, and kept there.

Each file is opened once, for its row in the index and for its facts. Facts always pass through their JSON, so that a
first call and a later one can't differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from replaylab.canonical import dumps, loads
from replaylab.schema.base import Frozen, JsonObject
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.fault import FaultPlan
from replaylab.schema.model import ModelSettings
from replaylab.score.derive_facts import KIND, PARSER
from replaylab.score.facts import CassetteFacts, Faulted
from replaylab.score.taking import Taken, Wanted, take
from replaylab.store.index import NOTHING, Entry, Index
from replaylab.store.library import Library
from replaylab.store.processes import in_processes

FEW = 200  # cassettes; below this, starting processes costs more than it saves
AT_ONCE = 16
Progress = Callable[[int, int], None]
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
    index = Index.open(library)
    try:
        shelf, stored = _Shelf(), set(library.objects("cassette"))
        wanted = dict.fromkeys(names)
        facts = dict(shelf.sound(index.cached(PARSER, KIND, [name for name in wanted if name in stored])))
        pending = NOTHING if index.state == "fresh" else index.pending()
        rows = set(pending.added)
        unread = sorted(rows.union(name for name in wanted if name not in facts))
        todo = [Wanted(name, name in rows, name in wanted and name not in facts) for name in unread]
        problems: list[str] = []

        def entries() -> Iterator[Entry]:
            for done, taken in enumerate(_taken(library, todo, jobs), start=1):
                if taken.facts:
                    facts[taken.name] = shelf.load(taken.facts)
                if taken.problem:
                    problems.append(taken.problem)
                yield Entry(taken.name, taken.row, (PARSER, KIND, taken.facts) if taken.facts else None)
                progress(done, len(todo))

        unsaved = index.update(pending, entries()).reason if todo or index.state != "fresh" else ""
        return Facts(facts, "; ".join([*problems[:1], unsaved]) if unsaved else "")
    finally:
        index.close()


def _taken(library: Library, todo: Sequence[Wanted], jobs: int) -> Iterator[Taken]:
    work = partial(take, library)
    if jobs > 1 and len(todo) >= FEW:
        return in_processes(work, todo, jobs, at_once=AT_ONCE)
    return map(work, todo)


class _Shelf:
    """Reads facts from their JSON. What many trials share is one object, or thirty thousand would not fit."""

    def __init__(self) -> None:
        self._shared: dict[tuple[type[Frozen], bytes], Frozen] = {}

    def sound(self, cached: Iterable[tuple[str, str]]) -> Iterator[tuple[str, CassetteFacts]]:
        """The cached ones; one that does not fit is left out, and so is derived again."""
        for name, text in cached:
            try:
                facts = self.load(text)
            except (KeyError, TypeError, ValueError):
                continue
            if facts.cassette == name:
                yield name, facts

    def load(self, text: str) -> CassetteFacts:
        fields: JsonObject = loads(text)
        fields["scenario"] = self._one(ScenarioFacts, fields["scenario"])
        fields["faults"] = self._one(FaultPlan, fields["faults"])
        fields["players"] = {
            role: self._one(ModelSettings, player) for role, player in fields["players"].items()
        }
        if "faulted" in fields:
            fields["faulted"] = self._one(Faulted, fields["faulted"])
        return CassetteFacts.model_validate(fields)

    def _one(self, kind: type[Part], fields: Any) -> Part:
        key = (kind, dumps(fields))
        known = self._shared.get(key)
        if known is None:
            known = self._shared[key] = kind.model_validate(fields)
        return known  # type: ignore[return-value]
