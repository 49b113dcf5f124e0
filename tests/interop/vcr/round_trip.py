"""There and back: a file is imported, exported, and played by stock vcrpy, which has to answer as it did from the file."""

from __future__ import annotations

from pathlib import Path

from replaylab.interop.vcr.exporter import export
from replaylab.interop.vcr.importer import find_files, import_cassettes
from replaylab.interop.vcr.pair import Pair
from replaylab.interop.vcr.read import read_file
from replaylab.store.library import Library
from replaylab.wire.answer_headers import KeptHeaders
from tests.interop.vcr.made import converter
from tests.interop.vcr.stock import Got, play

FRAMING = {"connection", "content-length", "content-encoding", "transfer-encoding"}


def kept(got: Got) -> Got:
    """What has to survive: the status, the body that the client reads, and the headers on the list."""
    allowed = KeptHeaders()
    headers = {
        name: values
        for name, values in got.headers.items()
        if allowed.of_answer(name) and name not in FRAMING
    }
    return Got(got.status, got.reason, headers, got.body)


def there_and_back(folder: Path, library: Library, name: str) -> dict[str, tuple[Path, Path]]:
    """Every cassette of a folder, imported into one run and exported: its lane -> (the original, the export)."""
    files = find_files([folder])
    done = import_cassettes(library, name, files, converter())
    exported = export(library, done.run, "yaml", joined=False)
    target = folder.with_name(f"{folder.name}-out")
    found = {}
    for lane, path in files.items():
        name = f"{done.run.name if len(files) == 1 else lane}.yaml"
        out = target / name
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(exported.files[name])
        found[lane] = (path, out)
    return found


def check(original: Path, exported: Path) -> int:
    """Stock vcrpy gives the same answers from both. How many."""
    pairs: list[Pair] = list(read_file(original, original.name).pairs)
    before = [kept(got) for got in play(original, pairs)]
    after = [kept(got) for got in play(exported, pairs)]
    for one, (was, is_now) in enumerate(zip(before, after, strict=True)):
        assert is_now == was, f"{original.name}, exchange {one}"
    return len(after)
