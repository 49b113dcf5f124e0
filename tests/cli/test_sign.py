from __future__ import annotations

import base64
import subprocess
from pathlib import Path

import pytest

from replaylab.store.library import Library
from tests.cli.conftest import Call
from tests.interop.pack.keying import SEED, key_file, made_by_ssh_keygen, ssh_keygen


@pytest.fixture
def key(call: Call, study: Path, tmp_path: Path) -> Path:
    """A key beside the pack a.tar of the run."""
    assert study.is_dir()
    call("pack", "--out", "a.tar")
    return key_file(tmp_path)


def test_a_signed_pack_verifies_with_the_public_key(call: Call, key: Path, tmp_path: Path) -> None:
    ended = call("sign", "a.tar", "--key", str(key))
    assert (ended.code, ended.out.splitlines()[0]) == (0, f"signed SHA256SUMS of {tmp_path / 'a.tar'}")
    seen = call("verify", "a.tar", "--key", f"{key}.pub")
    assert seen.code == 0
    assert "signed by SHA256:" in seen.out
    assert "over SHA256SUMS of the pack" in seen.out
    document = call("verify", "a.tar", "--key", f"{key}.pub", "--json").document
    assert (document["ok"], document["signature"]["good"]) == (True, True)


def test_nothing_of_the_private_key_is_printed(call: Call, key: Path, tmp_path: Path) -> None:
    ended = call("sign", "a.tar", "--key", str(key), "--json")
    # The seed in hexadecimal, and in base64 wherever it begins within three bytes; without the letters at its ends,
    # which depend on what is around it.
    forms = [SEED.hex(), *(base64.b64encode(b"x" * at + SEED).decode()[4:40] for at in range(3))]
    assert any(form in key.read_text().replace("\n", "") for form in forms), (
        "what is looked for is in the file"
    )
    for text in (ended.out, ended.err, (tmp_path / "a.tar.sig").read_text()):
        assert not any(form in text.replace("\n", "") for form in forms)


def test_a_signature_over_a_run_holds_for_its_packs_and_for_the_library(
    call: Call, key: Path, study: Path
) -> None:
    run_id = Library(study).run("study")[0]
    document = call("sign", "study", "--key", str(key), "--json").document
    assert document["run"] == run_id
    assert Path(document["file"]).name == f"study-{run_id[:12]}.run.sig"
    options = ["--key", f"{key}.pub", "--signature", document["file"]]
    call("pack", "--redact", "--out", "r.tar")
    for what in ("a.tar", "r.tar"):
        assert "over the run object alone" in call("verify", what, *options).out
    ended = call("verify", *options)
    assert (ended.code, f"run id {run_id}" in ended.out) == (0, True)


def test_a_wrong_key_and_another_pack_are_findings_and_end_with_1(
    call: Call, key: Path, tmp_path: Path
) -> None:
    call("sign", "a.tar", "--key", str(key))
    other = key_file(tmp_path, seed=b"x" * 32)
    ended = call("verify", "a.tar", "--key", f"{other}.pub", "--json")
    assert (ended.code, [one["kind"] for one in ended.document["findings"]]) == (1, ["signature-key"])
    call("pack", "--redact", "--out", "r.tar")
    (tmp_path / "r.tar.sig").write_bytes((tmp_path / "a.tar.sig").read_bytes())
    shown = call("verify", "r.tar", "--key", f"{key}.pub")
    assert shown.code == 1
    assert shown.out.splitlines()[-1] == "sound as far as it can be checked, but not signed so"


def test_a_damaged_pack_ends_with_4_whoever_signed_it(call: Call, key: Path, tmp_path: Path) -> None:
    call("sign", "a.tar", "--key", str(key))
    (tmp_path / "a.tar").write_bytes((tmp_path / "a.tar").read_bytes()[:-1])
    assert call("verify", "a.tar", "--key", f"{key}.pub").code == 4
    assert call("sign", "a.tar", "--key", str(key)).code == 4


def test_what_is_wrongly_asked_is_wrong_usage(call: Call, key: Path, tmp_path: Path) -> None:
    locked = made_by_ssh_keygen(tmp_path / "locked", "-t", "ed25519", "-N", "secret words")
    for words in (
        ["sign", "a.tar", "--key", str(locked)],
        ["sign", "a.tar", "--key", f"{key}.pub"],
        ["sign", "b.tar", "--key", str(key)],
        ["sign", "nothing", "--key", str(key)],
        ["verify", "a.tar", "--key", f"{key}.pub"],
        ["verify", "--key", f"{key}.pub"],
        ["verify", "a.tar", "--signature", "a.tar.sig"],
        ["verify", "a.tar", "--key", str(key)],
    ):
        ended = call(*words)
        assert ended.code == 2, words
        assert "to do:" in ended.err
    (tmp_path / "study").write_bytes(b"")
    assert call("sign", "study", "--key", str(key)).code == 2


def test_a_person_may_sign_and_check_with_ssh_keygen_alone(call: Call, key: Path, tmp_path: Path) -> None:
    """As `sign --help` says: the unpacked pack's SHA256SUMS is what is signed."""
    subprocess.run(["tar", "xf", "a.tar"], cwd=tmp_path, check=True)
    (sums,) = tmp_path.glob("study-*/SHA256SUMS")
    command = [ssh_keygen(), "-Y", "sign", "-n", "replaylab", "-f", str(key), str(sums)]
    subprocess.run(command, check=True, capture_output=True)
    made = f"{sums}.sig"
    assert call("verify", "a.tar", "--key", f"{key}.pub", "--signature", made).code == 0
    call("sign", "a.tar", "--key", str(key))
    assert (tmp_path / "a.tar.sig").read_bytes() == Path(made).read_bytes()
    (tmp_path / "signers").write_text(f"someone {Path(f'{key}.pub').read_text()}")
    words = ["-Y", "verify", "-n", "replaylab", "-f", "signers", "-I", "someone", "-s", "a.tar.sig"]
    done = subprocess.run([ssh_keygen(), *words], cwd=tmp_path, input=sums.read_bytes(), check=False)
    assert done.returncode == 0
