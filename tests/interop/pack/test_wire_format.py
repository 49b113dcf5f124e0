from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.interop.pack.wire_format import Malformed, Parts, string


@given(st.lists(st.binary(max_size=50)))
def test_strings_come_back_in_order(values: list[bytes]) -> None:
    parts = Parts(b"".join(map(string, values)))
    assert [parts.string() for _ in values] == values
    parts.end()


@given(st.binary(max_size=40))
def test_any_bytes_are_taken_apart_or_refused(data: bytes) -> None:
    parts, taken = Parts(data), []
    try:
        while True:
            taken.append(parts.string())
            try:
                parts.end()
                break
            except Malformed:
                continue
    except Malformed:
        return
    assert b"".join(map(string, taken)) == data


def test_cut_short_and_something_behind_are_refused() -> None:
    with pytest.raises(Malformed, match="cut short"):
        Parts(b"\0\0\0\5abc").string()
    with pytest.raises(Malformed, match="follows"):
        Parts(b"x").end()
    assert Parts(b"\0\0\1\0").number() == 256
