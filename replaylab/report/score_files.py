"""Writes a score into a folder: the page, the JSON document, the trials, and each table and figure as files.

`SHA256SUMS` lists what was written (`sha256sum -c SHA256SUMS` checks it), and is how a later score knows which files of
an earlier one are no longer its own. It removes those and nothing else: a file that was edited since stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from replaylab.canonical import Digest, digest_bytes
from replaylab.errors import StoreError, UsageError
from replaylab.report.score_csv import table_csv
from replaylab.report.score_json import score_json
from replaylab.report.score_latex import latex
from replaylab.report.score_page import file_stem, score_page
from replaylab.report.score_parts import Scored
from replaylab.report.score_text import markdown
from replaylab.report.score_trials import trials_csv
from replaylab.store.disk import (
    alone_in,
    doing,
    read_file,
    refuse_links,
    refuse_other_kinds,
    remove_leftovers,
    write_file,
)

SUMS = "SHA256SUMS"
_OURS = re.compile(
    r"index\.html|score\.json|trials\.csv"
    r"|tables/[a-z0-9][a-z0-9_-]*\.(?:csv|md|tex)|figures/[a-z0-9][a-z0-9_-]*\.(?:svg|png|pdf)"
)
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")


def files_of(scored: Scored) -> dict[str, bytes]:
    """Every file of a score by its name below the folder, apart from `SHA256SUMS`."""
    files: dict[str, bytes] = {}
    for name, layouts in scored.tables().items():
        for layout, table in layouts.items():
            stem, around = f"tables/{file_stem(name, layout)}", scored.around(table)
            files[f"{stem}.csv"] = table_csv(table, around.denominator)
            files[f"{stem}.md"] = markdown(table, around).encode()
            files[f"{stem}.tex"] = latex(table, around).encode()
    files["trials.csv"] = trials_csv(scored.study.trials)
    files["index.html"] = score_page(scored)
    for name, drawn in scored.figures.items():  # they may still be in the making, so they come late
        files |= {
            f"figures/{name}.{ending}": data
            for ending, data in (("svg", drawn.svg), ("png", drawn.png), ("pdf", drawn.pdf))
        }
    files["score.json"] = score_json(scored)
    for name in files:
        if not _OURS.fullmatch(name):
            raise UsageError(
                f"no name for a file: {name!r}", fix="ids of tables and figures are a-z, 0-9, _ and -"
            )
    return files


def write_report(folder: Path, scored: Scored) -> list[Path]:
    """Writes every file of a score and removes those of an earlier one; the paths of what is there now.

    Trials that nobody recorded here get a subfolder named after their evidence. Raises UsageError before anything is
    written where files of somebody else are in the way, and StoreError where the folder can't be written.
    """
    evidence = scored.study.evidence
    target = folder if evidence == "recorded" else folder / evidence
    files = files_of(scored)
    try:
        refuse_links(folder, target / SUMS)
        with alone_in(target):
            return _write(target, files)
    except StoreError as error:
        raise StoreError(
            f"the report can't be written: {error.what}",
            where=error.where,
            fix="see to the disk or its permissions, or name another folder",
        ) from error


def _sweep(folder: Path) -> None:
    """Removes what a score that was killed left under a temporary name."""
    for name in ("", "tables/", "figures/"):
        remove_leftovers(folder / name, ours=partial(_is_ours, name))


def _is_ours(folder: str, name: str) -> bool:
    """Whether a file of that name in that folder of a report is one that a score writes."""
    return name == SUMS or bool(_OURS.fullmatch(folder + name))


def _write(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    before = _read_sums(folder)
    _refuse_others(folder, files, before)
    _sweep(folder)
    digests = {name: digest_bytes(data) for name, data in files.items()}
    # Listed before they are there: when this is cut off, the next score still knows whose they are.
    listed = {name: {digest} | before.get(name, set()) for name, digest in digests.items()}
    write_file(folder / SUMS, _sums(before | listed))
    for name, data in files.items():
        write_file(
            folder / name, data, durable=False
        )  # a score can be made again; SHA256SUMS tells what was lost
    for name in sorted(set(before) - set(files)):
        _remove(folder, name, before[name])
    write_file(folder / SUMS, _sums({name: {digest} for name, digest in digests.items()}))
    return [folder / name for name in (*files, SUMS)]


def _sums(digests: Mapping[str, Iterable[Digest]]) -> bytes:
    lines = [f"{digest}  {name}" for name in sorted(digests) for digest in sorted(digests[name])]
    return ("\n".join(lines) + "\n").encode()


def _read_sums(folder: Path) -> dict[str, set[Digest]]:
    """What an earlier score says that it wrote. A line that no score writes is passed over: it could name any file."""
    try:
        data = read_file(folder / SUMS)
    except FileNotFoundError:
        return {}
    found: dict[str, set[Digest]] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        match = _LINE.fullmatch(line)
        if match and _OURS.fullmatch(match[2]):
            found.setdefault(match[2], set()).add(Digest(match[1]))
    return found


def _refuse_others(folder: Path, files: Mapping[str, bytes], before: Mapping[str, set[Digest]]) -> None:
    """No file that a score would replace may be somebody else's."""
    for name in (*files, *before):
        refuse_links(folder, folder / name)
    for name in (*files, SUMS):
        refuse_other_kinds(folder / name)
        if (folder / name).parent.exists() and not (folder / name).parent.is_dir():
            raise _in_the_way((folder / name).parent)
    if (folder / SUMS).exists() and not before:
        raise _in_the_way(folder / SUMS)
    for name, data in files.items():
        if name not in before and (folder / name).exists() and read_file(folder / name) != data:
            raise _in_the_way(folder / name)


def _in_the_way(path: Path) -> UsageError:
    return UsageError(
        f"{path.name} is there already, and no score wrote it",
        where=str(path),
        fix="move it away, or name another folder",
    )


def _remove(folder: Path, name: str, digests: set[Digest]) -> None:
    """Removes a file of an earlier score unless somebody has changed it; and its folder when that is empty then."""
    path = folder / name
    try:
        if digest_bytes(read_file(path)) not in digests:
            return
    except (FileNotFoundError, StoreError):
        return
    with doing("remove", path):
        path.unlink()
        if path.parent != folder and not any(path.parent.iterdir()):
            path.parent.rmdir()
