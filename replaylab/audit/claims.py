"""A claims file: published tables and what is said about them."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, ValidationError, model_validator

from replaylab.audit.assertions import Claim
from replaylab.audit.cells import plural
from replaylab.audit.misread import misread
from replaylab.audit.reader import MAX_BYTES, Read, read_text
from replaylab.audit.tables import Name, TableSpec
from replaylab.canonical import Digest, digest_bytes
from replaylab.errors import UsageError
from replaylab.schema.base import Frozen, JsonObject
from replaylab.score.rounding import Rule

FORMAT = "replaylab.claims/1"
MOST_CELLS = 50_000
MOST_LOOKS = 10_000_000  # claims times cells: each claim may look at every cell
_FIX = "CLAIMS.md describes the file; `replaylab audit --schema` prints its JSON Schema"


class ClaimsFile(Frozen):
    """`rounding` is the rule of tables that name none; `detect` takes the rule under which the fewest cells fail."""

    format: Literal["replaylab.claims/1"]
    title: str
    source: str = ""
    rounding: Rule | Literal["detect"] = "detect"
    notes: tuple[str, ...] = ()
    tables: Annotated[dict[Name, TableSpec], Field(max_length=500)] = Field(default_factory=dict)
    claims: Annotated[tuple[Claim, ...], Field(max_length=20_000)] = ()

    @model_validator(mode="after")
    def _ids(self) -> ClaimsFile:
        seen: set[str] = set()
        for claim in self.claims:
            if claim.id in seen:
                raise ValueError(f"two claims have the id {claim.id!r}")
            seen.add(claim.id)
        return self


class Loaded(NamedTuple):
    """A claims file with its digest; `name` is what messages call it."""

    file: ClaimsFile
    digest: Digest
    name: str


def schema() -> JsonObject:
    """The JSON Schema of a claims file."""
    found = ClaimsFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": FORMAT} | found


def load(path: Path, name: str = "") -> Loaded:
    """Reads a claims file and the CSV files that it names. Raises UsageError where something is wrong, and where."""
    name = name or path.name
    data = _bytes(path, name)
    read = read_text(data, name)
    if not isinstance(read.value, dict):
        raise UsageError("a claims file is a mapping: format, title, tables, claims", where=name, fix=_FIX)
    file = _validated(read, name)
    digests = [digest_bytes(data)]
    tables: dict[str, TableSpec] = {}
    for key, table in file.tables.items():
        tables[key] = table
        if table.csv is not None:
            inside = _beside(path.parent, table.csv, f"{name}: tables/{key}/csv")
            content = _bytes(inside, table.csv)
            tables[key] = _with_rows(table, content, table.csv)
            digests.append(digest_bytes(content))
    cells = sum(len(table.rows) * len(table.columns) for table in tables.values())
    if cells > MOST_CELLS:
        raise UsageError(
            f"{cells:,} cells, and {MOST_CELLS:,} are the most", where=name, fix="split the file"
        )
    if cells * len(file.claims) > MOST_LOOKS:
        raise UsageError(
            f"{len(file.claims):,} claims about {cells:,} cells are more than can be decided at once",
            where=name,
            fix="split the file: each with the claims about some of the tables",
        )
    digest = digests[0] if len(digests) == 1 else digest_bytes("\n".join(digests).encode())
    return Loaded(file.model_copy(update={"tables": tables}), digest, name)


def _bytes(path: Path, name: str) -> bytes:
    """A file's bytes, one more than is allowed at most: a device that never ends is not read on."""
    try:
        if not path.is_file():
            raise UsageError("there is no such file", where=str(path))
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"can't be read: {error.strerror}", where=str(path)) from error
    if len(data) > MAX_BYTES:
        raise UsageError(f"more than {MAX_BYTES:,} bytes", where=name, fix="split the file")
    return data


def _validated(read: Read, name: str) -> ClaimsFile:
    value = dict(read.value)
    if value.get("format") != FORMAT:
        said = value.get("format")
        raise UsageError(
            f"not a claims file: `format` is {said!r}" if said else "not a claims file: it has no `format`",
            where=name,
            closest=FORMAT,
            fix=f"begin it with `format: {FORMAT}`",
        )
    try:
        return ClaimsFile.model_validate(value)
    except ValidationError as error:
        found = misread(error, ClaimsFile)
        line = read.line(found.path)
        more = f" (and {plural(found.more, 'other thing')})" if found.more else ""
        raise UsageError(
            f"{'/'.join(map(str, found.path)) or 'the file'}: {found.what}{more}",
            where=f"{name}:{line}" if line else name,
            closest=found.closest,
            fix=_FIX,
        ) from error


def _beside(folder: Path, name: str, where: str) -> Path:
    """A file in the folder of the claims file or below it; a link that leads out of there is refused too."""
    root = folder.resolve()
    if "\0" in name:
        raise UsageError("a file's name holds no NUL", where=where)
    path = (folder / name).resolve()
    if Path(name).is_absolute() or not path.is_relative_to(root):
        raise UsageError(
            f"the file {name!r} does not lie beside the claims file",
            where=where,
            fix="put it into the same folder, or one below",
        )
    return path


def _with_rows(table: TableSpec, data: bytes, name: str) -> TableSpec:
    """The table with the rows of its CSV file: the first column names them, the header names the columns."""
    try:
        lines = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))
    except (csv.Error, UnicodeDecodeError) as error:
        raise UsageError(f"not a CSV file in UTF-8: {error}", where=name) from error
    lines = [line for line in lines if line]
    if not lines:
        raise UsageError("the CSV file is empty", where=name)
    head, *body = lines
    if not body:
        raise UsageError("the CSV file has a header and no rows", where=name)
    absent = [key for key in table.columns if key not in head[1:]]
    if absent or len(set(head)) != len(head):
        problem = f"has no column {absent[0]!r}" if absent else "names a column twice"
        raise UsageError(f"the CSV file {problem}", where=f"{name}:1", closest=", ".join(head[1:])[:300])
    at = [head.index(key) for key in table.columns]
    rows: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(body, start=2):
        if len(line) != len(head) or not line[0] or line[0] in rows:
            problem = (
                "names a row twice, or none" if len(line) == len(head) else "has another number of cells"
            )
            raise UsageError(f"the line {problem}", where=f"{name}:{number}")
        rows[line[0]] = tuple(line[index] for index in at)
    try:
        return TableSpec.model_validate(table.model_dump() | {"csv": None, "rows": rows})
    except ValidationError as error:
        raise UsageError(misread(error, TableSpec).what, where=name) from error
