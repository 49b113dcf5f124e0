from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from replaylab.errors import UsageError
from replaylab.interop.pack.keys import PublicKey, private_key, public_keys
from tests.interop.pack.keying import SEED, key_file, made_by_ssh_keygen, ssh_keygen


@pytest.mark.parametrize("form", ["openssh", "pem"])
def test_a_key_signs_and_its_public_half_checks(form: str, tmp_path: Path) -> None:
    path = key_file(tmp_path, form=form)
    key = private_key(path)
    (public,) = public_keys(path.with_name(f"{path.name}.pub"))
    assert public == key.public
    signature = key.sign(b"a message")
    assert signature == key.sign(b"a message")
    assert public.signed(signature, b"a message")
    assert not public.signed(signature, b"a messagf")
    assert not public.signed(signature[:-1], b"a message")
    assert not public.signed(bytes([signature[0] ^ 1]) + signature[1:], b"a message")


def test_a_signature_is_the_published_one() -> None:
    """Test 2 of RFC 8032, section 7.1."""
    public = PublicKey(bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))
    signature = bytes.fromhex(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert public.signed(signature, b"\x72")


def test_the_fingerprint_is_ssh_keygens(tmp_path: Path) -> None:
    path = made_by_ssh_keygen(tmp_path / "k", "-t", "ed25519", "-N", "", "-C", "someone")
    said = subprocess.run(
        [ssh_keygen(), "-l", "-f", str(path)], capture_output=True, text=True, check=True
    ).stdout
    key = private_key(path)
    assert key.public.fingerprint == said.split()[1]
    assert (tmp_path / "k.pub").read_text().startswith(key.public.line + " ")


def no_secret(text: str, path: Path) -> None:
    """No line of the file, and no run of its letters, is in the text."""
    for line in path.read_text(errors="replace").splitlines():
        for at in range(0, max(1, len(line) - 12), 12):
            part = line[at : at + 12]
            if re.fullmatch(r"[A-Za-z0-9+/=]{12}", part):
                assert part not in text


def locked(folder: Path) -> Path:
    return key_file(folder, form="pem", password="secret words")


def locked_ssh(folder: Path) -> Path:
    return made_by_ssh_keygen(folder / "locked", "-t", "ed25519", "-N", "secret words")


def rsa_key(folder: Path) -> Path:
    key = rsa.generate_private_key(65537, 2048)
    return written(folder / "rsa", key, serialization.PrivateFormat.OpenSSH)


def ec_key(folder: Path) -> Path:
    return written(folder / "ec", ec.generate_private_key(ec.SECP256R1()), serialization.PrivateFormat.PKCS8)


def written(path: Path, key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, form: object) -> Path:
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())  # type: ignore[arg-type]
    )
    return path


def damaged(folder: Path) -> Path:
    path = key_file(folder)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1][::-1], *lines[2:]]))
    return path


def public(folder: Path) -> Path:
    path = key_file(folder)
    return path.with_name(f"{path.name}.pub")


def nothing(folder: Path) -> Path:
    (folder / "nothing").write_text("hello")
    return folder / "nothing"


BAD = {
    "locked PEM": (locked, "passphrase"),
    "locked": (locked_ssh, "passphrase"),
    "RSA": (rsa_key, "type RSA"),
    "EC": (ec_key, "type EC"),
    "damaged": (damaged, "can't be read"),
    "public": (public, "public key"),
    "none": (nothing, "no private key"),
    "missing": (lambda folder: folder / "missing", "no such key file"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_key_that_can_not_sign_says_why_and_nothing_of_itself(case: str, tmp_path: Path) -> None:
    make, said = BAD[case]
    path = make(tmp_path)
    with pytest.raises(UsageError, match=said) as caught:
        private_key(path)
    assert caught.value.where == str(path)
    if path.exists() and case != "public":
        no_secret(str(caught.value), path)
    assert caught.value.__suppress_context__ or "PRIVATE" not in str(caught.value.__cause__)


def test_a_private_key_shows_only_its_fingerprint(tmp_path: Path) -> None:
    key = private_key(key_file(tmp_path))
    assert repr(key) == f"PrivateKey({key.public.fingerprint})"
    assert SEED.hex() not in repr(vars(key))


def test_public_keys_of_a_file_with_several_and_with_principals(tmp_path: Path) -> None:
    keys = [private_key(key_file(tmp_path, seed=bytes([at]) * 32)).public for at in (1, 2)]
    (tmp_path / "signers").write_text(
        f"# who may sign\n\n{keys[0].line} first one\nsomeone@example.org {keys[1].line}\n"
    )
    found = public_keys(tmp_path / "signers")
    assert found == keys
    assert [one.comment for one in found] == ["first one", "someone@example.org"]


@pytest.mark.parametrize(
    "line",
    [
        "ssh-rsa AAAAB3NzaC1yc2E= someone",
        "ssh-ed25519",
        "ssh-ed25519 AAAA someone",
        "ssh-ed25519 !!!! someone",
        'someone namespaces="file" ssh-ed25519 AAAA',
        "sk-ssh-ed25519@openssh.com AAAA",
        "",
        "# nothing",
    ],
)
def test_a_line_that_is_no_key_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "keys").write_text(line + "\n")
    with pytest.raises(UsageError):
        public_keys(tmp_path / "keys")


def test_checking_does_not_take_a_private_key(tmp_path: Path) -> None:
    for form in ("openssh", "pem"):
        with pytest.raises(UsageError, match="private key"):
            public_keys(key_file(tmp_path, form=form))
