"""Writing a pack: the same bytes from the same run, whoever makes it and wherever."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from replaylab.canonical import Digest, digest_bytes
from replaylab.cassette.codec import Cassette
from replaylab.engine.redact import redacted
from replaylab.interop.pack import sums
from replaylab.interop.pack.contents import Contents, contents_of
from replaylab.interop.pack.names import MAX_MEMBERS, README, SUMS, object_path, refused, top_folder
from replaylab.interop.pack.readme import Told, readme
from replaylab.interop.pack.tarball import END, header, padding
from replaylab.store import disk, tombstones
from replaylab.store.library import Library

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Packed:
    """What was written. `digest` is the SHA-256 of the file, `sums` that of its SHA256SUMS."""

    file: Path
    digest: str
    sums: str
    size: int
    members: int
    contents: Contents
    redacted: bool


def pack(
    library: Library,
    run_id: Digest,
    out: Path,
    *,
    redact: bool = False,
    progress: Progress = lambda done, all_: None,
) -> Packed:
    """Write the pack of a run to `out`, in one step. Every object is verified on its way.

    One object at a time is held in memory. With `redact` a tombstone with digests takes the place of each cassette.
    """
    contents = contents_of(library, run_id)
    told = Told()
    digests: dict[str, str] = {}
    sizes: dict[str, int] = {}
    steps = 2 * (len(contents.cassettes) + len(contents.runs) + len(contents.gone))
    done = 0
    for path, data in _objects(library, contents, redact, told):
        digests[path], sizes[path] = digest_bytes(data), len(data)
        progress(done := done + 1, steps)
    small = {f"runs/{contents.run.name}": f"{run_id}\n".encode("ascii")}
    small[README] = readme(contents, told).encode("utf-8")
    digests |= {path: digest_bytes(data) for path, data in small.items()}
    small[SUMS] = sums.encode(digests)
    if len(digests) + 1 > MAX_MEMBERS:
        raise refused(f"{len(digests)} files, more than {MAX_MEMBERS}", str(out), "pack the runs one by one")
    sink = _Sink(top_folder(contents.run.name, run_id))
    disk.remove_leftovers(out.parent, ours=lambda name: name == out.name)
    with disk.replacing(out) as fd:
        sink.fd = fd
        objects = _objects(library, contents, redact, None)
        for path in sorted([*sizes, *small]):
            if path in small:
                sink.member(path, small[path])
                continue
            given, data = next(objects)
            if given != path or digest_bytes(data) != digests[path]:
                raise refused("the library was changed meanwhile", path, "run the command again")
            sink.member(path, data)
            progress(done := done + 1, steps)
        sink.write(END)
    return Packed(
        out, sink.hash.hexdigest(), digest_bytes(small[SUMS]), sink.size, len(digests) + 1, contents, redact
    )


def _objects(
    library: Library, contents: Contents, redact: bool, told: Told | None
) -> Iterator[tuple[str, bytes]]:
    """(path, bytes) of every object and tombstone, sorted by path; what they say is told to `told`."""
    for path, name in sorted(_paths(contents, redact).items()):
        if name in contents.runs:
            yield path, library.get(name, "run")
        elif name in contents.gone:
            if told is not None:
                told.stone(contents.gone[name])
            yield path, tombstones.encode(contents.gone[name])
        else:
            data = library.get(name, "cassette")
            if told is None and not redact:
                yield path, data
                continue
            cassette = Cassette(data, where=str(library.path(name, "cassette")), name=name)
            stone = redacted(cassette) if redact else None
            if told is not None and stone is not None:
                told.stone(stone)
            elif told is not None:
                told.cassette(cassette.header, cassette.seal)
            yield path, tombstones.encode(stone) if stone else data


def _paths(contents: Contents, redact: bool) -> Mapping[str, Digest]:
    paths = {object_path(name, "run"): name for name in contents.runs}
    paths |= {object_path(name, "tombstone"): name for name in contents.gone}
    suffix = "tombstone" if redact else "cassette"
    return paths | {object_path(name, suffix): name for name in contents.cassettes}


class _Sink:
    """Writes members to a file and hashes what is written."""

    def __init__(self, top: str) -> None:
        self._top, self.fd, self.size, self.hash = top, -1, 0, hashlib.sha256()

    def member(self, path: str, data: bytes) -> None:
        self.write(header(f"{self._top}/{path}", len(data)) + data + padding(len(data)))

    def write(self, data: bytes) -> None:
        self.hash.update(data)
        self.size += len(data)
        disk.write_all(self.fd, data)
