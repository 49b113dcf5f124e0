from __future__ import annotations

import base64
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.errors import UsageError
from replaylab.interop.pack.keys import PrivateKey, private_key, public_keys
from replaylab.interop.pack.sshsig import parse, sign
from tests.interop.pack.keying import key_file, made_by_ssh_keygen, ssh_keygen


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> PrivateKey:
    return private_key(key_file(tmp_path_factory.mktemp("keys")))


def test_a_signature_fits_its_message_and_no_other(key: PrivateKey) -> None:
    data = sign(key, b"message")
    assert data == sign(key, b"message")
    found = parse(data, "here")
    assert found.key == key.public
    assert found.fits(b"message")
    assert not found.fits(b"messagf")
    assert not found.fits(b"")


def test_a_bare_signature_of_the_message_is_none(key: PrivateKey) -> None:
    """What is signed begins with the name of the format and the namespace: nothing signed elsewhere can be used here."""
    raw = key.sign(b"message")
    found = parse(sign(key, b"message"), "here")
    assert found.raw != raw
    assert not key.public.signed(found.raw, b"message")


@given(at=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_no_changed_signature_fits(key: PrivateKey, at: int, bit: int) -> None:
    lines = sign(key, b"message").splitlines()
    blob = bytearray(base64.b64decode(b"".join(lines[1:-1])))
    blob[at % len(blob)] ^= 1 << bit
    text = base64.b64encode(bytes(blob))
    data = b"\n".join([lines[0], text, lines[-1]]) + b"\n"
    try:
        found = parse(data, "here")
    except UsageError:
        return
    assert found.key != key.public or not found.fits(b"message")


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(UsageError):
        parse(data, "here")
    armored = b"-----BEGIN SSH SIGNATURE-----\n%s\n-----END SSH SIGNATURE-----\n" % base64.b64encode(data)
    with pytest.raises(UsageError):
        parse(armored, "here")


def test_ssh_keygen_verifies_what_is_signed_here(key: PrivateKey, tmp_path: Path) -> None:
    (tmp_path / "signers").write_text(f"someone {key.public.line}\n")
    (tmp_path / "sig").write_bytes(sign(key, b"message"))
    command = [ssh_keygen(), "-Y", "verify", "-n", "replaylab", "-f", "signers", "-I", "someone", "-s", "sig"]
    for message, code in ((b"message", 0), (b"messagf", 255)):
        done = subprocess.run(command, cwd=tmp_path, input=message, capture_output=True, check=False)
        assert done.returncode == code, done


@pytest.mark.parametrize("hashed", ["sha512", "sha256"])
def test_what_ssh_keygen_signs_is_verified_here(hashed: str, tmp_path: Path) -> None:
    path = made_by_ssh_keygen(tmp_path / "k", "-t", "ed25519", "-N", "")
    (tmp_path / "file").write_bytes(b"message")
    command = [ssh_keygen(), "-Y", "sign", "-n", "replaylab", "-O", f"hashalg={hashed}", "-f", "k", "file"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    data = (tmp_path / "file.sig").read_bytes()
    found = parse(data, "here")
    assert [found.key] == public_keys(tmp_path / "k.pub")
    assert found.fits(b"message")
    assert not found.fits(b"messagf")
    if hashed == "sha512":
        assert sign(private_key(path), b"message") == data, "the same bytes"


@pytest.mark.parametrize(
    ("kind", "namespace", "said"), [("ed25519", "file", "namespace"), ("ecdsa", "replaylab", "type")]
)
def test_another_namespace_and_another_type_are_named(
    kind: str, namespace: str, said: str, tmp_path: Path
) -> None:
    made_by_ssh_keygen(tmp_path / "k", "-t", kind, "-N", "")
    (tmp_path / "file").write_bytes(b"message")
    subprocess.run(
        [ssh_keygen(), "-Y", "sign", "-n", namespace, "-f", "k", "file"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    with pytest.raises(UsageError, match=said):
        parse((tmp_path / "file.sig").read_bytes(), "here")
