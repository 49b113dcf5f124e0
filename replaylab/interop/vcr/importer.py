"""Imports vcrpy cassettes as one capture: all files or none, the same bytes each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from replaylab.canonical import digest_bytes
from replaylab.engine.captured.header import MAIN, MAX_LANE
from replaylab.errors import UsageError
from replaylab.interop.vcr.convert import Converter
from replaylab.interop.vcr.pair import Note, Pair, VcrFile
from replaylab.interop.vcr.read import SUFFIXES, read_file
from replaylab.interop.vcr.stored import UNKNOWN_TIME, LaneOf, Taped, latest_date, store
from replaylab.schema.run import Run
from replaylab.store.library import Library


@dataclass(frozen=True)
class ImportedCassettes:
    """What an import made. `notes` counts by the names of `NOTES`; `details` says which headers and fields, how often;
    `skipped` which files were left out, and why.
    """

    run_id: str
    run: Run
    changed: bool
    files: int
    exchanges: int
    notes: Mapping[str, int]
    details: Mapping[str, Mapping[str, int]]
    skipped: Mapping[str, str] = field(default_factory=dict)


def import_cassettes(
    library: Library,
    name: str,
    files: Mapping[str, Path],
    converter: Converter,
    *,
    one_lane: bool = False,
    skip_bad: bool = False,
) -> ImportedCassettes:
    """Import `files` (by the name that becomes their lane) as the run `name`. Nothing is written unless all are good, or
    the bad ones are skipped on purpose.

    A file alone, or `one_lane`, goes into the lane of those that name none, so that any client finds its answers there.
    """
    lanes: dict[str, LaneOf] = {}
    notes: list[Note] = []
    dates: list[str] = []
    skipped: dict[str, str] = {}
    at = 0
    alone = one_lane or len(files) == 1
    for lane, path in files.items():
        try:
            file = read_file(path, path.name if len(files) == 1 else lane)
            found = [converter.convert(pair, where) for where, pair in _placed(file, lane)]
        except UsageError as error:
            if not skip_bad:
                raise
            skipped[lane] = f"{error.what} ({error.where})"
            continue
        target = lanes.setdefault(MAIN if alone else lane, LaneOf())
        target.metadata |= converter.redactor.value(file.metadata)
        for converted in found:
            target.taped.append(Taped(at, converted))
            notes += converted.notes
            at += 1
        notes += file.notes
        dates += filter(None, [latest_date(file.pairs)])
    run_id, run, changed = store(library, name, lanes, max(dates, default=UNKNOWN_TIME))
    counted, details = count(notes, at)
    return ImportedCassettes(run_id, run, changed, len(files) - len(skipped), at, counted, details, skipped)


def _placed(file: VcrFile, lane: str) -> Iterator[tuple[str, Pair]]:
    return ((f"{lane}, interaction {number}", pair) for number, pair in enumerate(file.pairs))


def count(notes: Sequence[Note], exchanges: int) -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    """How often each note was made, and of those with a detail how often each."""
    details: dict[str, Counter[str]] = {}
    for note in notes:
        if note.detail:
            details.setdefault(note.kind, Counter())[note.detail] += 1
    counted = Counter(note.kind for note in notes) + Counter({"no_times": exchanges})
    return dict(sorted(counted.items())), {
        kind: dict(sorted(found.items())) for kind, found in sorted(details.items())
    }


def find_files(paths: Sequence[Path]) -> dict[str, Path]:
    """The files of these files and folders, by the name of the lane of each: its path below the folder, no suffix.

    Raises UsageError where there is none, or two would have the same name.
    """
    found: dict[str, Path] = {}
    for path in paths:
        inside = sorted(one for one in path.rglob("*") if one.suffix.lower() in SUFFIXES and one.is_file())
        for one in inside if path.is_dir() else [path]:
            relative = one.relative_to(path) if path.is_dir() else Path(one.name)
            name = _lane(relative.with_suffix("").as_posix())
            if name in found:
                raise UsageError(
                    f"two files would be the lane {name!r}",
                    where=f"{found[name]} and {one}",
                    fix="name the folder that holds both, so that their lanes differ",
                )
            found[name] = one
    if not found:
        raise UsageError(
            "there is no cassette",
            where=", ".join(map(str, paths)),
            fix=f"a file ends in {', '.join(SUFFIXES)}",
        )
    return found


def _lane(name: str) -> str:
    """A path as the name of a lane; of one that is too long, its end and digits that tell it from others."""
    if len(name) <= MAX_LANE:
        return name
    return f"{digest_bytes(name.encode('utf-8', 'surrogatepass'))[:12]}-{name[-(MAX_LANE - 20) :]}"
