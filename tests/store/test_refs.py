"""References: safe names, one run id, written in one step."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.errors import StoreError, UsageError
from replaylab.schema.run import Run
from replaylab.store.library import Library
from replaylab.store.refs import check_name, name_like

MakeRun = Callable[..., Run]

HOSTILE = [
    *(
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "/etc/passwd",
        "a\\b",
        "C:x",
        "a\0b",
        "a\n",
        " a",
        "a ",
        "a b",
        "-a",
        ".hidden",
    ),
    *(
        "über",
        "run\u202egnp",
        "a" * 101,
        "a" * 5000,
        "\ud800",
        "a.",
        "x?",
        "x*",
        "~x",
        "$x",
        "a;b",
        "é",
        "１",
    ),
    *("con", "NUL", "Com1", "lpt9.txt", "aux.demo", "x.lock", "x.LOCK", "x.tmp", "0" * 64),
]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_hostile_name_is_refused_everywhere(library: Library, name: str, make_run: MakeRun) -> None:
    run_id = library.put_run(make_run())
    before = sorted(library.root.rglob("*"))
    acts: list[Callable[[], object]] = [
        lambda: library.ref(name),
        lambda: library.set_ref(name, run_id),
        lambda: library.journal(name),
        lambda: library.lock(name).__enter__(),
        lambda: library.put_run(make_run(name="x").model_copy(update={"name": name})),
    ]
    for act in acts:
        with pytest.raises(UsageError, match="not a run name") as caught:
            act()
        str(caught.value).encode("ascii", errors="strict")
        assert len(str(caught.value)) < 600
    assert sorted(library.root.rglob("*")) == before


@pytest.mark.parametrize(
    "name", ["a", "demo", "2026-01-01", "gpt-5+E3", "v1.2_x=y@z", "a" * 100, "console", "com10x"]
)
def test_an_ordinary_name_is_taken(name: str) -> None:
    assert check_name(name) == name


@given(st.text(max_size=12))
def test_whatever_is_taken_is_one_plain_path_component(name: str) -> None:
    try:
        check_name(name)
    except UsageError:
        return
    assert name.isascii()
    assert Path("/r", name).parts == ("/", "r", name)


def test_a_reference_is_the_run_id_and_a_newline(library: Library, make_run: MakeRun) -> None:
    run_id = library.put_run(make_run())
    assert library.ref("demo") is None
    library.set_ref("demo", run_id)
    assert (library.root / "runs" / "demo").read_bytes() == f"{run_id}\n".encode()
    assert library.ref("demo") == run_id
    library.set_ref("another", run_id)
    assert list(library.refs().items()) == [("another", run_id), ("demo", run_id)]


def test_a_reference_to_a_run_that_is_not_stored_is_refused(library: Library) -> None:
    with pytest.raises(StoreError, match="not stored"):
        library.set_ref("demo", "0" * 64)
    assert library.refs() == {}


def test_every_truncation_and_flipped_byte_of_a_reference_is_an_error(
    library: Library, make_run: MakeRun
) -> None:
    run_id = library.put_run(make_run())
    library.set_ref("demo", run_id)
    path = library.root / "runs" / "demo"
    data = path.read_bytes()
    bad = [data[:n] for n in range(len(data))] + [data + b"\n", data.replace(b"\n", b"\r\n"), b"x" * 9000]
    bad += [data[:n] + bytes([data[n] ^ 1]) + data[n + 1 :] for n in range(len(data))]
    for content in bad:
        path.write_bytes(content)
        for name in ("demo", None):
            with pytest.raises(StoreError):
                library.run(name)


@pytest.mark.parametrize("content", [b"", b"\0" * 65, b"3f2a", b"A" * 64 + b"\n"])
def test_a_damaged_reference_names_its_file_and_spoils_no_other(
    library: Library, make_run: MakeRun, content: bytes
) -> None:
    run_id = library.put_run(make_run())
    library.set_ref("demo", run_id)
    (library.root / "runs" / "bad").write_bytes(content)
    with pytest.raises(StoreError) as caught:
        library.refs()
    assert caught.value.where == str(library.root / "runs" / "bad")
    assert library.ref("demo") == run_id


def test_what_is_no_reference_and_was_none_is_left_alone(library: Library, make_run: MakeRun) -> None:
    run_id = library.put_run(make_run())
    library.set_ref("demo", run_id)
    folder = library.root / "runs"
    (folder / ".DS_Store").write_bytes(b"x")
    shutil.copy(folder / "demo", folder / "demo copy")
    (folder / "notes.txt").write_bytes(b"ask Bob about the beds\n")
    (folder / "picture.png").write_bytes(b"0" * 5000)
    (folder / "old").mkdir()
    assert library.refs() == {"demo": run_id}
    assert [path.name for path in library.stray_refs()] == ["demo copy", "notes.txt", "old", "picture.png"]


def test_a_file_that_has_the_name_of_a_stored_run_is_a_damaged_reference_whatever_it_holds(
    library: Library, make_run: MakeRun
) -> None:
    library.put_run(make_run())
    (library.root / "runs").mkdir()
    (library.root / "runs" / "demo").write_bytes(b"ask Bob about the beds\n")
    with pytest.raises(StoreError, match="the reference demo"):
        library.refs()
    assert library.stray_refs() == []


def test_names_that_differ_only_in_case_are_refused(library: Library, make_run: MakeRun) -> None:
    run_id = library.put_run(make_run())
    library.set_ref("Demo", run_id)
    library.set_ref("Demo", run_id)
    with pytest.raises(UsageError, match="differ only in case"):
        library.set_ref("demo", run_id)


def test_a_linked_reference_is_not_followed(library: Library, make_run: MakeRun, tmp_path: Path) -> None:
    library.set_ref("demo", library.put_run(make_run()))
    (library.root / "runs" / "demo").rename(tmp_path / "outside")
    (library.root / "runs" / "demo").symlink_to(tmp_path / "outside")
    with pytest.raises(StoreError, match="symbolic link"):
        library.ref("demo")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("run-1.jsonl", "run-1"),
        ("a b(c).jsonl", "a-b-c"),
        (".jsonl", "imported"),
        ("über.jsonl.gz", "ber"),
        ("-x-.jsonl", "x"),
        ("my cassettes", "my-cassettes"),
        ("chat.v2.yaml", "chat"),
        ("_.yaml", "imported"),
    ],
)
def test_a_run_is_named_like_its_file(file: str, name: str) -> None:
    assert name_like(file) == check_name(name)
