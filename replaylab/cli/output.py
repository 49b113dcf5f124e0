"""Results on stdout, everything else on stderr.

With `--json` a command prints one document and nothing else: `{"schema": "replaylab/COMMAND/1", "run", "ok", …,
"findings"}`, always UTF-8, whatever the locale. Without it, tables: drawn by rich on a terminal, in plain aligned
columns elsewhere, as blocks of `name: value` where the terminal is too narrow for columns whose names stay whole.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from replaylab.report.lines import Line
    from replaylab.schema.base import Json, JsonObject
    from replaylab.schema.finding import Finding

PADDING = 2  # columns that a table on a terminal adds to each of its own
PROSE = 16  # columns that texts of several words need to be read at all
FINDINGS = 20  # shown as text at most; nobody reads on
# Control characters of C0 and C1, line separators and marks of direction: a model's text must not move the cursor,
# recolour the terminal or turn the order of other text around.
_HIDDEN = r"\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_CONTROL = re.compile(rf"[\x00-\x08\x0b-\x1f{_HIDDEN}]")
_CODES = {"head": "\x1b[1m", "bad": "\x1b[31m", "dim": "\x1b[2m"}
_PLAIN = "\x1b[0m"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_CONTROL_IN_CELL = re.compile(rf"[\x00-\x1f{_HIDDEN}]")


def visible(text: str) -> str:
    """The text with control characters written as escapes; newlines and tabs stay."""
    return _CONTROL.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def cell(value: object) -> str:
    """A value as one line of a table: "" for None, yes and no for booleans."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value).replace("\n", "\\n").replace("\t", "\\t")
    return _CONTROL_IN_CELL.sub(_escape, text)


def counted(number: int, one: str, many: str = "") -> str:
    """`1 trial`, `2 trials`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def number_of(told: str, number: int) -> str:
    """How often something was met, whatever the number: `lanes in one file: 1; why that matters` for `lanes in one file:
    why that matters`.
    """
    what, _, rest = told.partition(": ")
    return f"{what}: {number}" + (f"; {rest}" if rest else "")


def tokens(prompt: int, completion: int) -> str:
    """`1,956,281 in + 133,404 out tokens`."""
    return f"{prompt:,} in + {completion:,} out tokens"


class Output:
    """One command's results. `width` is in columns; None means that nobody looks at columns (a file, a pipe)."""

    def __init__(
        self,
        command: str,
        *,
        json: bool,
        out: IO[str],
        err: IO[str],
        width: int | None = None,
        color: bool = False,
    ) -> None:
        self.command, self.json, self.out, self.err = command, json, out, err
        self.width, self.color = width, color

    @classmethod
    def of_process(cls, command: str, env: Mapping[str, str], *, json: bool) -> Output:
        """The output of this process. NO_COLOR and TERM=dumb are respected."""
        terminal = sys.stdout.isatty()
        color = terminal and not env.get("NO_COLOR") and env.get("TERM") != "dumb"
        return cls(
            command,
            json=json,
            out=sys.stdout,
            err=sys.stderr,
            width=_terminal_width() if terminal else None,
            color=color,
        )

    def document(
        self, *, ok: bool, run: str | None = None, findings: Iterable[Finding] = (), **fields: Json
    ) -> None:
        """Writes the command's JSON document, if `--json` was given. `run` is the name or digest of the run."""
        if not self.json:
            return
        schema = f"replaylab/{self.command}/1" if self.command else "replaylab/1"
        found = [finding.to_json() for finding in findings]
        write_document({"schema": schema, "run": run, "ok": ok} | fields | {"findings": found}, self.out)

    def text(self, text: str = "") -> None:
        """Writes a line of the result, unless a JSON document takes its place."""
        if not self.json:
            self.out.write(visible(text) + "\n")

    def prose(self, text: str) -> None:
        """Writes a sentence of the result, on a terminal on as many lines as it takes."""
        from replaylab.report.lines import folded

        for line in (
            [text] if self.width is None else [line for line, _ in folded(text, self.width, indent=2)]
        ):
            self.text(line)

    def lines(self, lines: Iterable[Line]) -> None:
        """Writes the lines of a view, unless a JSON document takes their place. Colour only adds to what they say."""
        if self.json:
            return
        for text, style in lines:
            code = _CODES.get(style, "") if self.color else ""
            self.out.write(f"{code}{visible(text)}{_PLAIN if code else ''}\n")

    def say(self, text: str) -> None:
        """Writes a message to stderr."""
        self.err.write(visible(text) + "\n")
        self.err.flush()

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "") -> None:
        """Writes a table, unless a JSON document takes its place. Every row has one value a column."""
        if self.json:
            return
        cells = [[cell(value) for value in row] for row in rows]
        if title:
            self.text(title)
        if self.width is None:
            self._plain(columns, cells)
        elif sum(widths := _least(columns, cells)) + PADDING * len(columns) > self.width:
            self._blocks(columns, cells, self.width)
        else:
            self._rich(columns, cells, widths)

    def findings(
        self, findings: Sequence[Finding], to_do: Mapping[str, str] | None = None, *, limit: int = FINDINGS
    ) -> None:
        """Writes findings as text, unless a JSON document takes their place: one block for all that say the same.

        After `limit` blocks only a number follows. `to_do` says what to do about a kind, once each.
        """
        groups = _alike(findings)
        for group in groups[:limit]:
            found = group[0]
            self.text(f"{found.kind}: {found.message}")
            for name, value in _parts(found):
                self.text(f"  {name + ':':<9} {value}")
            if len(group) > 1:
                self.text(f"  and {len(group) - 1} more like it (next: {group[1].where})")
        if len(groups) > limit:
            left = sum(map(len, groups[limit:]))
            self.text(f"… and {left} more; --json lists all {len(findings)}")
        for kind in dict.fromkeys(found.kind for found in findings):
            if to_do and to_do.get(kind):
                self.text(f"  to do:    {to_do[kind]}")

    def _plain(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
        for row in (columns, *rows):
            line = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
            self.out.write(line.rstrip() + "\n")

    def _blocks(self, columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> None:
        from textwrap import wrap

        for row in rows:
            for name, text in zip(columns, row, strict=True):
                # A name that is longer than a line stays whole, so that it can be copied.
                told = wrap(
                    f"{name}: {text}",
                    width,
                    subsequent_indent="  ",
                    break_long_words=False,
                    break_on_hyphens=False,
                )
                self.out.write("".join(f"{line}\n" for line in told if text))
            self.out.write("\n")

    def _rich(self, columns: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[int]) -> None:
        from rich import box
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        encoding = (getattr(self.out, "encoding", None) or "utf-8").lower().replace("-", "")
        table = Table(box=box.SIMPLE_HEAD if encoding.startswith("utf") else box.ASCII, safe_box=True)
        for name, width in zip(columns, widths, strict=True):
            table.add_column(Text(name), overflow="fold", min_width=width)
        for row in rows:
            # Text and not str: brackets in a model's words are no markup.
            table.add_row(*(Text(text) for text in row))
        console = Console(
            file=self.out,
            width=self.width,
            force_terminal=self.color,
            no_color=not self.color,
            highlight=False,
            legacy_windows=False,
        )
        console.print(table)


def write_document(document: JsonObject, out: IO[str]) -> None:
    """Writes JSON as UTF-8 and a newline; what has no UTF-8 form (a lone surrogate) is escaped."""
    data = _indented(document) + b"\n"
    binary = getattr(out, "buffer", None)
    if binary is None:
        out.write(data.decode("utf-8"))
        return
    out.flush()
    binary.write(data)
    binary.flush()


def _indented(document: JsonObject) -> bytes:
    from replaylab.canonical import indented

    found = indented(json.dumps(document, ensure_ascii=False, allow_nan=False, default=_as_json))
    if found is not None:
        return found
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False, default=_as_json)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(document, indent=2, allow_nan=False, default=_as_json).encode("ascii")


def _as_json(value: object) -> str:
    if isinstance(value, Decimal | PurePath):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _least(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """The width below which each column breaks a name: that of its longest word, and of texts some more."""
    return [
        max(
            max((len(word) for text in column for word in text.split()), default=0),
            min(PROSE, max(map(len, column))),
        )
        for column in zip(columns, *rows, strict=True)
    ]


def _alike(findings: Iterable[Finding]) -> list[list[Finding]]:
    """The findings, those that differ in their place alone together, in the order of their first.

    Of digests it matters that they are there: which ones they are follows from the place.
    """
    groups: dict[str, list[Finding]] = {}
    for found in findings:
        values = (_undigested(found.expected), _undigested(found.observed))
        said = (found.kind, found.message, found.pointer, *values)
        groups.setdefault(json.dumps(said, sort_keys=True, default=_as_json), []).append(found)
    return list(groups.values())


def _undigested(value: Json) -> Json:
    """A value with a word in place of each digest."""
    if isinstance(value, list):
        return [_undigested(part) for part in value]
    return "digest" if isinstance(value, str) and _DIGEST.fullmatch(value) else value


def _parts(found: Finding) -> list[tuple[str, str]]:
    """What stands below a finding's message; nothing is said twice."""
    values = [
        (name, value)
        for name, value in (("expected", found.expected), ("observed", found.observed))
        if value is not None
    ]
    if all(_says(found.message, value) for _, value in values):
        values = []
    return [
        (name, text)
        for name, text in (
            ("where", found.where),
            ("field", found.pointer),
            *((name, _short(value)) for name, value in values),
            ("closest", "" if found.closest == found.where else found.closest),
        )
        if text
    ]


def _says(message: str, value: Json) -> bool:
    """Whether a message contains a value, as a whole word where it is short: 1 is not in "12 trials"."""
    from replaylab.schema.base import in_json

    spelt = value if isinstance(value, str) and value else in_json(value)
    return bool(re.search(rf"(?<!\w){re.escape(spelt)}(?!\w)", message))


def _short(value: Any, limit: int = 300) -> str:
    text = json.dumps(value, ensure_ascii=False, default=_as_json)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _terminal_width() -> int:
    from shutil import get_terminal_size

    return get_terminal_size().columns
