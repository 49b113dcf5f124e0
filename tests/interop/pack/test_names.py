from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.interop.pack.names import Name, file_name, object_path, parse, top_folder

DIGEST = "3f" + "0" * 62


def test_what_a_pack_holds() -> None:
    assert parse("README.md") == Name("readme")
    assert parse("SHA256SUMS") == Name("sums")
    for suffix in ("cassette", "run", "tombstone"):
        assert parse(object_path(DIGEST, suffix)) == Name(suffix, DIGEST)
    assert parse("runs/study") == Name("ref", "study")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "readme.md",
        "README.md/",
        f"objects/00/{DIGEST}.cassette",
        f"objects/3F/{DIGEST.upper()}.cassette",
        f"objects/3f/{DIGEST}.exe",
        f"objects/3f/{DIGEST}.cassette\n",
        f"objects/3f/../3f/{DIGEST}.cassette",
        f"/objects/3f/{DIGEST}.cassette",
        "objects/3f/",
        "runs/",
        "runs/a/b",
        "runs/..",
        "runs/.hidden",
        "runs/con",
        f"runs/{DIGEST}",
        "runs/a ",
        "journal/study.lock",
        "index.db",
    ],
)
def test_nothing_else_is_a_name(path: str) -> None:
    assert parse(path) is None


@given(st.text(max_size=90))
def test_a_name_leads_nowhere_else(path: str) -> None:
    if parse(path) is not None:
        assert ".." not in path.split("/")
        assert not path.startswith("/")
        assert path.isascii()
        assert "\\" not in path


def test_the_folder_and_the_file_are_named_after_the_run() -> None:
    assert top_folder("study", DIGEST) == "study-3f0000000000"
    assert file_name("study", DIGEST, redacted=False) == "study-3f0000000000.tar"
    assert file_name("study", DIGEST, redacted=True) == "study-3f0000000000-redacted.tar"
