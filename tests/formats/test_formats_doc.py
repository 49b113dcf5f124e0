"""FORMATS.md against the code: every column, every command, and nothing invented."""

from __future__ import annotations

import re
from pathlib import Path

from replaylab.cli.export import command as export
from replaylab.cli.import_ import command as import_
from replaylab.interop.parquet.columns import PLACE, TABLES

REPO = Path(__file__).resolve().parents[2]
TEXT = (REPO / "FORMATS.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([a-z_]+)` \| (\w+) \| (.+) \|$", re.MULTILINE)


def section(title: str) -> str:
    """What stands below a heading, up to the next one."""
    return TEXT.split(f"\n### {title}\n", 1)[1].split("\n### ", 1)[0]


def test_the_columns_of_the_tables_are_those_that_are_written() -> None:
    assert ROW.findall(section("Columns of every table")) == [tuple(one) for one in PLACE]
    for name, columns in TABLES.items():
        assert ROW.findall(section(f"`{name}.parquet`")) == [tuple(one) for one in columns[len(PLACE) :]]


def test_every_command_is_in_the_table_and_no_other() -> None:
    table = TEXT.split("\n| Format |", 1)[1].split("\n\n", 1)[0]
    named = set(re.findall(r"`((?:import|export) [a-z]+)`", table))
    known = {f"import {name}" for name in import_.commands} | {f"export {name}" for name in export.commands}
    assert named == known


def test_its_links_lead_to_headings() -> None:
    headings = (REPO / "FORMAT.md").read_text(encoding="utf-8")
    for anchor in re.findall(r"\(FORMAT\.md#([a-z0-9-]+)\)", TEXT):
        number, _, title = anchor.partition("-")
        assert re.search(rf"(?mi)^## {number}\. {title.replace('-', ' ')}$", headings), anchor
