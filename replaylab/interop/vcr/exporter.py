"""Exports recordings as cassettes that stock vcrpy plays: a capture, or the lanes of trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from replaylab.cassette.codec import Cassette, lane_order
from replaylab.cassette.stored import open_cassette
from replaylab.engine.captured.header import CLIENT, MAIN, lane_and_part
from replaylab.errors import CassetteGone, UsageError
from replaylab.interop.vcr.played import Ordered, Player, metadata_of
from replaylab.interop.vcr.write import SUFFIX, Form, write_text
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import CallPath, TrialKey
from replaylab.schema.cassette import key_of
from replaylab.schema.run import Run
from replaylab.store.library import Library


@dataclass(frozen=True)
class Exported:
    """Files by their relative name, how many exchanges they hold, and what vcrpy can't carry, by the names of `LOST`."""

    files: Mapping[str, bytes]
    exchanges: int
    lost: Mapping[str, int]
    gone: int = 0


@dataclass
class _Lane:
    rows: list[Ordered]
    metadata: JsonObject


def export(
    library: Library, run: Run, form: Form, *, joined: bool, bases: Mapping[str, str] | None = None
) -> Exported:
    """One file a lane, or with `joined` one for all, named after the run. `bases` gives the address of an alias.

    Raises UsageError where two lanes would be one file, and where nothing is left to export.
    """
    player = Player(dict(bases or {}))
    lanes: dict[str, _Lane] = {}
    gone = 0
    for key, cassette in _cassettes(library, run):
        if cassette is None:
            gone += 1
            continue
        for lane, name in _lanes(run, key, cassette):
            _known_addresses(player, cassette, bases or {})
            target = lanes.setdefault(name, _Lane([], {}))
            target.rows += player.exchanges(cassette, lane, len(target.rows))
            target.metadata |= metadata_of(cassette)
    lanes = {name: lane for name, lane in lanes.items() if lane.rows}
    if not lanes:
        raise UsageError(f"the run {run.name} has nothing that vcrpy could play")
    if joined and len(lanes) > 1:
        player.lost["lanes"] += len(lanes)
        lanes = {run.name: _joined(lanes)}
    files = _named(run, lanes, form)
    written = {
        name: write_text((row.pair for row in sorted(lane.rows, key=_place)), lane.metadata, form, name)
        for name, lane in files.items()
    }
    count = sum(len(lane.rows) for lane in lanes.values())
    return Exported(written, count, dict(sorted((+Counter(player.lost)).items())), gone)


def _place(row: Ordered) -> tuple[str, float, int, int]:
    return row.at


def _joined(lanes: Mapping[str, _Lane]) -> _Lane:
    """All lanes as one, in the order in which the exchanges were asked."""
    metadata: JsonObject = {}
    for lane in lanes.values():
        metadata |= lane.metadata
    return _Lane([row for lane in lanes.values() for row in lane.rows], metadata)


def _cassettes(library: Library, run: Run) -> Iterator[tuple[TrialKey, Cassette | None]]:
    """The cassettes that count, in order: lanes by name and then by part, trials as the ledger has them."""
    found = [(TrialKey.parse(entry.key), entry.counting.cassette) for entry in run.ledger if entry.counting]
    if not run.holds_trials:
        found.sort(key=lambda one: lane_and_part(one[0].task))
    for key, name in found:
        try:
            yield key, open_cassette(library, name)
        except CassetteGone:
            yield key, None


def _lanes(run: Run, key: TrialKey, cassette: Cassette) -> Iterator[tuple[str, str]]:
    """The lanes of a cassette, with the name of the file of each."""
    if not run.holds_trials:
        yield CLIENT, lane_and_part(key.task)[0]
        return
    for lane in sorted(cassette.lanes, key=lane_order):
        yield lane, str(CallPath.at(key_of(cassette.header), lane))


def _known_addresses(player: Player, cassette: Cassette, given: Mapping[str, str]) -> None:
    facts = cassette.header.capture
    player.bases = {**(facts.endpoints if facts else {}), **given}


def _named(run: Run, lanes: Mapping[str, _Lane], form: Form) -> dict[str, _Lane]:
    """Lanes by the name of their file. What can't be a file's name becomes a hyphen."""
    found: dict[str, _Lane] = {}
    for lane, content in lanes.items():
        base = run.name if lane == MAIN or (len(lanes) == 1 and lane == run.name) else lane
        name = "/".join(_safe(part) for part in base.split("/")) + SUFFIX[form]
        if name.lower() in {other.lower() for other in found}:
            raise UsageError(f"two lanes would be the file {name}", where=lane, fix="export into one file")
        found[name] = content
    return found


def _safe(part: str) -> str:
    plain = "".join(one if one.isalnum() or one in "._+=@,%~-" else "-" for one in part)[:150]
    return plain if plain.strip(".") else "-"
