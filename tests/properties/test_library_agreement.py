"""Every byte of a run object matters, and what a library says twice has to agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.engine.verify import verify
from replaylab.errors import StoreError
from replaylab.schema.run import Run
from replaylab.store.library import Library
from tests.playground import record


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Run]:
    library, now = record(tmp_path_factory.mktemp("library"), votes=1)
    return library, now.run


def test_every_flipped_byte_and_every_truncation_of_a_run_object_is_named(
    recorded: tuple[Library, Run], tmp_path: Path
) -> None:
    _, run = recorded
    library = Library(tmp_path)
    run_id = library.put_run(run)
    path = library.path(run_id, "run")
    data = path.read_bytes()
    wrong = [data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :] for at in range(len(data))]
    wrong += [data[:size] for size in range(len(data))]
    for damaged in wrong:
        path.write_bytes(damaged)
        with pytest.raises(StoreError) as caught:
            library.read_run(run_id)
        assert caught.value.where == str(path)
    path.write_bytes(data)
    assert library.read_run(run_id) == run


def test_a_sound_library_has_no_findings(recorded: tuple[Library, Run]) -> None:
    seen = verify(recorded[0])
    assert (seen.sound, seen.cassettes, seen.runs, seen.refs) == (True, 1, 1, 1)
    assert seen.interactions == 20


@pytest.mark.parametrize(
    ("field", "kind"),
    [("outcome", "run-outcome"), ("cassette", "cassette-missing"), ("verdict", "ledger-entry")],
)
def test_a_forged_run_object_is_found_by_what_it_contradicts(
    recorded: tuple[Library, Run], tmp_path: Path, field: str, kind: str
) -> None:
    source, run = recorded
    library = Library(tmp_path)
    for name in source.objects("cassette"):
        library.put(source.get(name, "cassette"), "cassette")
    (entry,) = run.ledger
    (one,) = entry.tries
    if field == "outcome":
        forged = run.model_copy(update={"outcome": "0" * 64})
    else:
        value = "error" if field == "verdict" else "0" * 64
        changed = entry.model_copy(update={"tries": (one.model_copy(update={field: value}),)})
        forged = run.model_copy(update={"ledger": (changed,)})
    library.set_ref("run", library.put_run(forged))
    assert kind in {finding.kind for finding in verify(library).findings}
