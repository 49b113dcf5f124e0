from __future__ import annotations

import pytest

from replaylab.cli.drawing import ORDER, SOURCES, Drawing
from replaylab.errors import UsageError
from replaylab.report.figures.draw import FIGURES, LOOKED_INTO, plots
from replaylab.score.tables import build_document
from replaylab.score.value import Table
from replaylab.store.processes import Beside
from tests.report.figures.tables import Made
from tests.score.tables.test_registry import small


@pytest.fixture(scope="module")
def tables() -> dict[str, Table]:
    return Made(["scripted:careful", "scripted:hasty"], 3).all()


def begin(drawing: Drawing, tables: dict[str, Table]) -> None:
    for name in tables:
        drawing.begin(name, tables)


def test_the_figures_of_a_table_look_into_no_others_than_it_is_said(tables: dict[str, Table]) -> None:
    for source in tables:
        names = [name for name, (table, _) in FIGURES.items() if table == source]
        needed = {name: tables[name] for name in (source, *LOOKED_INTO.get(source, ())) if name in tables}
        assert plots(needed, names, radar=True) == plots(tables, names, radar=True)
    for source, others in LOOKED_INTO.items():
        assert all(ORDER.index(other) < ORDER.index(source) for other in others)


def test_figures_need_no_table_but_the_sources() -> None:
    built = {table.id: table for table in build_document(small(), "full").tables}
    sources = {name: table for name, table in built.items() if name in SOURCES}
    assert len(sources) < len(built)
    assert plots(sources, radar=True) == plots(built, radar=True)


def test_a_process_beside_draws_the_same_bytes(tables: dict[str, Table]) -> None:
    here = Drawing(None, radar=True)
    begin(here, tables)
    with Beside() as beside:
        there = Drawing(beside, radar=True)
        begin(there, tables)
        assert dict(there) == dict(here)
    assert {"overall", "radar"} <= set(here)


def test_there_is_no_figure_before_it_is_begun() -> None:
    assert dict(Drawing(None, radar=False)) == {}


def test_what_drawing_raises_is_raised_where_the_figures_are_looked_at(
    tables: dict[str, Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "MPLBACKEND", "no such backend"
    )  # read when matplotlib is loaded, which that process does anew
    with Beside() as beside:
        drawing = Drawing(beside, radar=False)
        begin(drawing, tables)
        with pytest.raises(UsageError, match="matplotlib refuses its settings"):
            dict(drawing)
