"""`replaylab doctor`: what is configured, which keys are set, whether the library is sound."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from replaylab import __version__
from replaylab.canonical import Digest
from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.config import ModelConfig
from replaylab.cli.help import Command
from replaylab.cli.keys import key_state
from replaylab.cli.reading import warn_of_strays
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, EXIT_STORE, StoreError, UsageError
from replaylab.schema.finding import Finding
from replaylab.store.library import Library
from replaylab.store.objects import Suffix

PACKAGES = (
    "click", "deepdiff", "genai-prices", "httpx2", "jsonschema", "openai", "orjson", "pydantic", "rfc8785", "rich",
    "sqlite-utils", "tenacity", "zstandard",
)  # fmt: skip
SUFFIXES: tuple[Suffix, ...] = ("cassette", "run")


@click.command(
    cls=Command,
    exits=(EXIT_FINDINGS, EXIT_STORE),
    examples=(
        ("replaylab doctor", "the whole examination; it calls no model and needs no network"),
        ("replaylab doctor --json", "the same for a bug report; it holds no key"),
    ),
)
@json_option
@pass_app
def command(app: App) -> int:
    """Say what is configured, which keys are set (never their values), and whether the library is sound.

    Every file of the library is hashed and compared with its name, and what a run names has to be there. `replaylab verify` goes further and computes all
    digests inside the files again.
    """
    findings: list[Finding] = []
    models: list[ModelConfig] = []
    path, library = app.config_path, app.library
    try:
        models = [one for one in app.config.models.values() if one.source != "built-in"]
    except UsageError as error:
        findings.append(Finding.of("configuration", error.where, _in_a_line(error)))
    keys = [(one.alias, one.source, key_state(one, app.env)) for one in models]
    packages = {name: _version(name) for name in PACKAGES}
    missing = [name for name, found in packages.items() if found is None]
    findings += [Finding.of("package", name, f"{name} is not installed") for name in missing]
    try:
        if Library(library).exists():
            warn_of_strays(app, Library(library))
        objects, damaged = examine(Library(library))
    except StoreError as error:
        objects, damaged = 0, [_damage(error, library)]
    findings += damaged

    _print(app, keys, packages, objects)
    app.output.findings(findings)
    app.output.text("" if findings else "Nothing is wrong.")
    app.output.document(
        ok=not findings,
        findings=findings,
        replaylab=__version__,
        python=".".join(map(str, sys.version_info[:3])),
        packages=packages,
        config=str(path) if path else None,
        library={
            "path": str(library),
            "exists": library.is_dir(),
            "writable": _is_writable(library),
            "objects": objects,
        },
        models=[{"alias": alias, "source": source, "key": key} for alias, source, key in keys],
    )
    if damaged:
        return EXIT_STORE
    return EXIT_FINDINGS if findings else EXIT_OK


def _in_a_line(error: UsageError) -> str:
    near = f"; the closest is {error.closest!r}" if error.closest else ""
    return f"{error.what}{near}; {error.fix}"


def examine(library: Library) -> tuple[int, list[Finding]]:
    """Counts the objects of a library, and finds files that are damaged, out of place, or point at nothing."""
    count, findings = 0, []
    for suffix in SUFFIXES:
        for name in library.objects(suffix):
            count += 1
            try:
                library.get(name, suffix)
            except StoreError as error:
                findings.append(_damage(error, library.path(name, suffix)))
    findings += [
        Finding.of("stray-file", str(path), "not an object, or not in its place") for path in library.strays()
    ]
    try:
        for ref, run in library.refs().items():
            if not library.has(run, "run"):
                message = f"the reference {ref!r} points at a run that is not there"
                findings.append(
                    Finding.of("damaged", str(library.root / "runs" / ref), message, expected=run)
                )
            else:
                findings += _missing(library, ref, run)
    except StoreError as error:
        findings.append(_damage(error, library.root / "runs"))
    return count, findings


def _missing(library: Library, name: str, run_id: Digest) -> Iterator[Finding]:
    """The cassettes that the ledger of a run names and that are neither there nor were taken out on purpose."""
    try:
        ledger = library.read_run(run_id).ledger
    except StoreError:
        return  # said already: its file was hashed
    for one in dict.fromkeys(tried.cassette for entry in ledger for tried in entry.tries):
        if not library.has(one, "cassette") and library.gone(one) is None:
            message = f"the run {name!r} names a cassette that is not there"
            yield Finding.of("cassette-missing", str(library.path(one, "cassette")), message, expected=one)


def _damage(error: StoreError, path: Path) -> Finding:
    return Finding.of(
        "damaged", error.where or str(path), f"{error.what}; {error.fix}" if error.fix else error.what
    )


def _is_writable(library: Path) -> bool:
    return os.access(library if library.is_dir() else library.parent, os.W_OK)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _print(
    app: App, keys: Sequence[tuple[str, str, str]], packages: dict[str, str | None], objects: int
) -> None:
    out = app.output
    state = (
        f"{objects} objects"
        if app.library.is_dir()
        else app.proposing("not there yet; `replaylab record` makes it")
    )
    state += "" if _is_writable(app.library) else "; read-only, so nothing can be recorded into it"
    rows: list[tuple[str, object]] = [
        ("replaylab", __version__),
        ("python", ".".join(map(str, sys.version_info[:3]))),
        ("configuration", app.config_path or "none found; the shipped models are used"),
        ("library", f"{app.library} ({state})"),
    ]
    out.table(
        ("what", "found"), rows + [(name, found or "not installed") for name, found in packages.items()]
    )
    out.text()
    if keys:
        out.table(("model", "from", "key"), keys)
        out.text()
