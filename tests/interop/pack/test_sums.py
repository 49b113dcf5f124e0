from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.errors import StoreError
from replaylab.interop.pack.names import object_path
from replaylab.interop.pack.sums import decode, encode

DIGESTS = st.text("0123456789abcdef", min_size=64, max_size=64)
PATHS = st.one_of(
    st.just("README.md"),
    st.from_regex(r"runs/[a-z]{1,8}x", fullmatch=True),
    st.builds(object_path, DIGESTS, st.sampled_from(["cassette", "run", "tombstone"])),
)


@given(st.dictionaries(PATHS, DIGESTS, max_size=8))
def test_what_is_written_is_read_again(digests: dict[str, str]) -> None:
    assert decode(encode(digests), "here") == digests


@given(st.dictionaries(PATHS, DIGESTS, min_size=1, max_size=4), st.integers(0, 10**6), st.integers(0, 255))
def test_any_other_byte_is_another_list_or_none(digests: dict[str, str], at: int, byte: int) -> None:
    data = bytearray(encode(digests))
    at %= len(data)
    changed = data[at] != byte
    data[at] = byte
    try:
        found = decode(bytes(data), "here")
    except StoreError:
        return
    assert (found != digests) == changed
    assert encode(found) == bytes(data)


def test_sha256sum_reads_it(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_bytes(b"hello\n")
    good = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
    for digest, code in ((good, 0), ("0" * 64, 1)):
        (tmp_path / "SHA256SUMS").write_bytes(encode({"README.md": digest}))
        done = subprocess.run(
            ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=tmp_path, capture_output=True, check=False
        )
        assert done.returncode == code


LINE = "0" * 64 + "  README.md\n"


@pytest.mark.parametrize(
    "text",
    [
        LINE[:-1],
        "\n",
        LINE + "\n",
        LINE + LINE,
        LINE.replace("  ", " "),
        LINE.replace("  ", " *"),
        "\\" + LINE,
        LINE.replace("\n", "\r\n"),
        LINE.replace("README.md", "SHA256SUMS"),
        LINE.replace("README.md", "../x"),
        LINE.replace("README.md", "/etc/passwd"),
        LINE.replace("README.md", "runs/a") + LINE,
        LINE.replace("README.md", "README.m\u0131d"),
        LINE.replace("0" * 64, "A" * 64),
    ],
)
def test_what_is_written_otherwise_is_refused(text: str) -> None:
    with pytest.raises(StoreError, match="not a sound pack"):
        decode(text.encode(), "here")
