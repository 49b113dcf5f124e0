"""Run objects: canonical bytes, and errors that name the file and the field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from replaylab.canonical import canonical, digest_bytes, loads
from replaylab.errors import StoreError
from replaylab.schema.run import Run
from replaylab.store import runs
from replaylab.store.library import Library

MakeRun = Callable[..., Run]


def test_a_run_object_is_canonical_json_with_its_format_and_a_newline(
    library: Library, make_run: MakeRun
) -> None:
    run = make_run()
    run_id = library.put_run(run)
    data = library.path(run_id, "run").read_bytes()
    assert run_id == digest_bytes(data)
    assert data == canonical(loads(data)) + b"\n"
    assert loads(data)["format"] == "replaylab.run/1"
    assert loads(data)["name"] == "demo"
    assert library.run(run_id) == (run_id, run)
    assert library.read_run(run_id) == run


def stored(library: Library, change: Callable[[dict[str, Any]], Any], run: Run) -> str:
    value = loads(runs.encode(run))
    changed = change(value)
    return library.put(changed if isinstance(changed, bytes) else canonical(value) + b"\n", "run")


BAD: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "too_new": (lambda v: v.update(format="replaylab.run/2"), "newer than replaylab.run/1"),
    "too_new_with_unknown_fields": (lambda v: v.update(format="replaylab.run/17", x=1), "newer than"),
    "unknown_format": (lambda v: v.update(format="other/1"), "unknown format 'other/1'"),
    "format_zero": (lambda v: v.update(format="replaylab.run/0"), "unknown format"),
    "format_number": (lambda v: v.update(format=1), "unknown format"),
    "no_format": (lambda v: v.pop("format") and None, "no format"),
    "no_name": (lambda v: v.pop("name") and None, "bad field /name"),
    "unknown_field": (lambda v: v.update(surprise=1), "bad field /surprise"),
    "bad_digest": (lambda v: v.update(outcome="xyz"), "not a digest"),
    "nested": (lambda v: v["spec"].update(tasks=[{"task": "t"}]), "bad field /spec/tasks/0/content"),
    "bad_time": (lambda v: v.update(created="yesterday"), "bad field /created"),
    "not_canonical": (lambda v: b" " + canonical(v) + b"\n", "not in canonical form"),
    "no_newline": (canonical, "not in canonical form"),
    "twice": (lambda v: b'{"a":1,"a":2}\n', "stands twice"),
    "list": (lambda v: b"[]\n", "not a JSON object"),
    "binary": (lambda v: b"\xff\x00", "not a run object"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_run_object_is_an_error_naming_file_and_field(
    library: Library, make_run: MakeRun, case: str
) -> None:
    change, message = BAD[case]
    run_id = stored(library, change, make_run())
    library.set_ref("demo", run_id)
    for name in (None, "demo", run_id, run_id[:6]):
        with pytest.raises(StoreError) as caught:
            library.run(name)
        assert message in caught.value.what
        assert caught.value.where == str(library.path(run_id, "run"))
        assert caught.value.fix
