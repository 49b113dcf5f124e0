from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.errors import UsageError
from replaylab.interop.pack.keys import private_key
from replaylab.interop.pack.signed import Message, check, read_signature
from replaylab.interop.pack.sshsig import parse, sign
from tests.interop.pack.keying import key_file

ONE, TWO = Message("one", "r1", b"first"), Message("two", "r2", b"second")


def test_it_says_what_a_signature_is_over(tmp_path: Path) -> None:
    key = private_key(key_file(tmp_path))
    found = check(parse(sign(key, b"second"), "sig"), [key.public], [ONE, TWO], "sig")
    assert (found.over, found.finding) == (TWO, None)


def test_a_good_signature_by_a_stranger_is_none(tmp_path: Path) -> None:
    key, stranger = (private_key(key_file(tmp_path, seed=bytes([at]) * 32)) for at in (1, 2))
    found = check(parse(sign(stranger, b"first"), "sig"), [key.public], [ONE], "sig")
    assert found.over is None
    assert found.finding is not None
    assert found.finding.kind == "signature-key"
    assert found.finding.observed == stranger.public.fingerprint


def test_a_signature_over_something_else_is_none(tmp_path: Path) -> None:
    key = private_key(key_file(tmp_path))
    found = check(parse(sign(key, b"third"), "sig"), [key.public], [ONE, TWO], "sig")
    assert found.over is None
    assert found.finding is not None
    assert found.finding.kind == "signature"


def test_a_missing_signature_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such signature"):
        read_signature(tmp_path / "nothing.sig")
