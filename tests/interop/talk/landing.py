"""Imports of small files in tests, and what the run then holds."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from replaylab.catalogue.loader import Catalogue
from replaylab.engine.replay import replay_run
from replaylab.engine.verify import verify
from replaylab.interop.talk.importer import Format, ImportedTalk, import_talk
from replaylab.interop.talk.outgoing import Outgoing, outgoing
from replaylab.interop.transcript.importer import Reading
from replaylab.store.library import Library
from replaylab.wire.redact import Redactor

SECRET = "a-very-secret-value"


def sample(name: str) -> Path:
    """A file of another project's tests, which lies beside the checkout or where REPLAYLAB_SAMPLES says."""
    beside = Path(__file__).resolve().parents[3].parent / "shared" / "samples"
    path = Path(os.environ.get("REPLAYLAB_SAMPLES", beside)) / name
    if not path.exists():
        pytest.skip(
            f"no {path}: real files of {name.split('/', maxsplit=1)[0]} are NOT READ; set REPLAYLAB_SAMPLES"
        )
    return path


def no_catalogue() -> Catalogue:
    raise AssertionError("nobody names an environment of the catalogue")


def landed(
    root: Path, kind: Format, *paths: Path, name: str = "theirs", skip_bad: bool = False
) -> ImportedTalk:
    """The files imported into a library below `root`."""
    reading = Reading(no_catalogue, Redactor([SECRET]).value, skip_bad=skip_bad)
    return import_talk(Library(root / "library"), name, {path.name: path for path in paths}, kind, reading)


def written(path: Path, value: Any) -> Path:
    """A file with this JSON, or with these bytes."""
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def trials(root: Path, name: str = "theirs") -> list[Outgoing]:
    """The trials of a run, after all that can be checked was checked."""
    library = Library(root / "library")
    run = library.run(name)[1]
    assert not verify(library).findings
    replayed = replay_run(library, run, offline=False)
    assert not replayed.findings
    assert replayed.outcome == run.outcome
    assert run.evidence == "imported"
    found = list(outgoing(library, run))
    return [one for one in found if isinstance(one, Outgoing)]


def kept(trial: Outgoing) -> dict[str, Any]:
    """The label of what the file says beside the conversation."""
    (label,) = [label for label in trial.cassette.labels if label.kind == "import"]
    return dict(label.value)


def calls(trial: Outgoing) -> list[tuple[str, Any, Any]]:
    """Tool, arguments and observation of each call."""
    return [(one.tool, one.arguments, one.observation) for one in trial.derived.trajectory.actions]


def nothing_written(root: Path) -> bool:
    return not Library(root / "library").exists()
