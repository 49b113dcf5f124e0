from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from replaylab.errors import UsageError
from replaylab.report.figures import FIGURES, Drawn, draw_all
from replaylab.report.figures.draw import plots
from tests.conftest import REPO
from tests.report.figures.tables import AUTHORED, LARGE, PROGRAMS, SMALL, Made

# Prints the digest of every figure that the fixture `drawn` holds.
DIGESTS = """
import hashlib, json, warnings
warnings.simplefilter("error")
from replaylab.report.figures import draw_all
from tests.report.figures.tables import Made
drawn = draw_all(Made(["scripted:careful", "scripted:hasty"], 3).all(), radar=True)
print(json.dumps({
    name: [hashlib.sha256(one).hexdigest() for one in (figure.svg, figure.png, figure.pdf)] + [figure.title, figure.alt]
    for name, figure in drawn.items()
}))
"""
# What another user may prefer; none of it may reach a picture.
HOSTILE = """
font.family: cursive
font.size: 31
text.usetex: True
svg.fonttype: none
svg.hashsalt: other
savefig.dpi: 40
savefig.bbox: tight
figure.autolayout: True
lines.linewidth: 9
lines.antialiased: False
patch.facecolor: red
hatch.linewidth: 5
path.sketch: 9, 9, 9
pdf.fonttype: 42
no.such.setting: 1
"""


def elsewhere(code: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, in that folder, with nothing of this one's environment."""
    given = {"PYTHONPATH": str(REPO), "PATH": os.environ.get("PATH", ""), "HOME": str(folder)} | environment
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=given, capture_output=True, text=True, check=False
    )


def test_figures_are_drawn_in_their_order_each_from_its_table(drawn: dict[str, Drawn]) -> None:
    assert list(drawn) == list(FIGURES)
    assert {source for source, _ in FIGURES.values()} == set(LARGE.all())


def test_a_radar_is_drawn_on_request_alone() -> None:
    tables = LARGE.all()
    assert "radar" in plots(tables, radar=True)
    assert "radar" not in plots(tables)


def test_a_figure_without_a_table_or_anything_to_show_is_left_out() -> None:
    tables = SMALL.all()
    del tables["faults"]
    left = set(FIGURES) - set(plots(tables, radar=True))
    assert left == {"faults", "radar", "industry_agents"}
    assert draw_all({}) == {}


def test_paper_layouts_are_refused() -> None:
    table = SMALL.overall().model_copy(update={"layout": "paper"})
    with pytest.raises(ValueError, match="'overall' is 'paper'"):
        draw_all({"overall": table})


def test_every_figure_says_what_kind_of_recording_it_is_and_how_many_trials_it_stands_on() -> None:
    for name, plot in plots(LARGE.all(), radar=True).items():
        assert plot.notices == (AUTHORED, PROGRAMS), name
        assert plot.caption[0].startswith("n: "), name
        assert any("interval, " in one for one in plot.caption) or name == "ranks", name
        assert plot.title, name
        assert plot.alt.endswith(".") or plot.alt.endswith(")."), name


def test_words_of_a_figure_hold_a_number() -> None:
    for name, plot in plots(Made(["a", "b"], 3).all(), radar=True).items():
        assert any(char.isdigit() for char in plot.alt), name


def test_the_same_tables_give_the_same_bytes_again(drawn: dict[str, Drawn]) -> None:
    tables = Made(["scripted:careful", "scripted:hasty"], 3).all()
    again = draw_all({name: tables[name] for name in ("faults", "industries", "difficulty")}, radar=True)
    assert again == {name: drawn[name] for name in again}
    assert len(again) == 5


def test_nothing_of_the_machine_reaches_a_figure(drawn: dict[str, Drawn], tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text(HOSTILE)
    found = elsewhere(
        DIGESTS,
        tmp_path,
        PYTHONHASHSEED="77",
        LC_ALL="tr_TR.UTF-8",
        TZ="Pacific/Auckland",
        MPLBACKEND="svg",
        MPLCONFIGDIR="/proc/nowhere",
        SOURCE_DATE_EPOCH="86400",
    )
    assert (found.returncode, found.stderr) == (0, "")
    expected = {
        name: [hashlib.sha256(data).hexdigest() for data in (one.svg, one.png, one.pdf)]
        + [one.title, one.alt]
        for name, one in drawn.items()
    }
    assert json.loads(found.stdout) == expected


def test_fonts_of_the_machine_are_not_looked_for(drawn: dict[str, Drawn], tmp_path: Path) -> None:
    without = "from matplotlib import font_manager\nfont_manager.fontManager.ttflist = []\n"
    one = DIGESTS.replace("3).all()", '3).all()["overall"]').replace(
        "draw_all(Made", "draw_all(dict(overall=Made"
    )
    found = elsewhere(without + one.replace(", radar=True)", "))"), tmp_path)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["overall"][0] == hashlib.sha256(drawn["overall"].svg).hexdigest()


def test_matplotlib_is_loaded_when_something_is_drawn_and_not_before(tmp_path: Path) -> None:
    code = "import sys, replaylab.report.figures; print('matplotlib' in sys.modules, 'numpy' in sys.modules)"
    assert elsewhere(code, tmp_path).stdout == "False False\n"


def test_a_backend_that_matplotlib_does_not_know_is_told(tmp_path: Path) -> None:
    code = DIGESTS.replace("drawn = draw_all", "from replaylab.errors import UsageError\ntry:\n    draw_all")
    code = code.partition("print(json")[0] + "except UsageError as error:\n    print(error)\n"
    found = elsewhere(code, tmp_path, MPLBACKEND="nonsense")
    assert "matplotlib refuses its settings" in found.stdout
    assert "unset MPLBACKEND" in found.stdout


def test_without_matplotlib_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "replaylab.report.figures.paint", None)
    with pytest.raises(UsageError, match=r"figures need matplotlib(?s:.)*make stats"):
        draw_all(SMALL.all())


def test_what_matplotlib_would_log_is_silenced_for_as_long_as_we_draw(drawn: dict[str, Drawn]) -> None:
    assert drawn
    assert logging.getLogger("matplotlib").level == logging.NOTSET
