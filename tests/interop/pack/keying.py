"""Makes keys for tests, with ssh-keygen where it has to be the real one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SEED = bytes(range(32))


def key_file(folder: Path, *, seed: bytes = SEED, form: str = "openssh", password: str = "") -> Path:
    """A private key of a fixed seed, in OpenSSH's format or as PEM; its public half lies beside, with .pub."""
    key = Ed25519PrivateKey.from_private_bytes(seed)
    private = serialization.PrivateFormat.OpenSSH if form == "openssh" else serialization.PrivateFormat.PKCS8
    lock = (
        serialization.BestAvailableEncryption(password.encode())
        if password and form != "openssh"
        else serialization.NoEncryption()
    )
    path = folder / f"key-{form}-{seed[0]}"
    path.write_bytes(key.private_bytes(serialization.Encoding.PEM, private, lock))
    path.chmod(0o600)
    public = key.public_key()
    if form == "openssh":
        text = public.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
        text += b" someone\n"
    else:
        text = public.public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    path.with_name(f"{path.name}.pub").write_bytes(text)
    return path


def ssh_keygen() -> str:
    """The real one. Without it the test is skipped and says so; in CI that is a failure."""
    found = shutil.which("ssh-keygen")
    if found is None:
        if os.environ.get("REPLAYLAB_SSH_KEYGEN"):
            pytest.fail("REPLAYLAB_SSH_KEYGEN is set and there is no ssh-keygen")
        pytest.skip("no ssh-keygen here: the comparison with OpenSSH is NOT TESTED.")
    return found


def made_by_ssh_keygen(path: Path, *options: str) -> Path:
    subprocess.run([ssh_keygen(), "-q", "-f", str(path), *options], check=True, capture_output=True)
    return path
