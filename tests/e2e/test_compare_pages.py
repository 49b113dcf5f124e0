"""The pages of report cards and of two runs in a real browser: they fetch nothing, fit a narrow screen, and can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.compare.ranking import rank
from replaylab.compare.regressions import regressions
from replaylab.report.regressions_page import regressions_page
from replaylab.report.simulators_page import simulators_page
from replaylab.schema.model import ModelSettings
from tests.compare.made import answer, study_of
from tests.playground import SHORT, record
from tests.report.browser import CONTRAST, NEEDS_BROWSER, OPEN_ALL, WIDER, Tab

pytestmark = NEEDS_BROWSER

LONG = "https://models.example/" + "a-very-long-name-" * 12 + '<b>"\u202e'
NAMES = ("cards", "many", "runs")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("compared")
    record(root / "library", tasks=(SHORT,), name="one")
    library, _ = record(root / "library", tasks=(SHORT,), simulators=("example",), name="two")
    long = [answer("a", f"s{at}", model=ModelSettings(alias=LONG, model="m")) for at in range(8)]
    made = {
        "cards": simulators_page(rank(study_of({"good": [0] * 8, "bad": [5] * 8}))),
        "many": simulators_page(rank([*study_of({f"sim {n}": [n % 4] * 8 for n in range(12)}), *long])),
        "runs": regressions_page(regressions(library, "one", "two")),
    }
    for name, page in made.items():
        (root / f"{name}.html").write_bytes(page)
    return root


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [320, 1280])
def test_it_opens_without_a_complaint_a_request_or_sideways_scrolling(
    tab: Tab, pages: Path, name: str, width: int
) -> None:
    tab.resize(width, 720)
    tab.open(pages / f"{name}.html")
    assert tab.run("innerWidth") == width
    assert tab.run(WIDER) == 0
    tab.run(OPEN_ALL)
    assert tab.run(WIDER) == 0
    assert tab.requests() == [(pages / f"{name}.html").as_uri()]
    assert tab.complaints() == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(tab: Tab, pages: Path, name: str, scheme: str) -> None:
    tab.resize(1280, 720)
    tab.scheme(scheme)
    tab.open(pages / f"{name}.html")
    tab.run(OPEN_ALL)
    assert tab.run(CONTRAST) >= 4.5


def test_what_differs_first_stands_on_the_first_screen(tab: Tab, pages: Path) -> None:
    tab.resize(1280, 720)
    tab.open(pages / "runs.html")
    at = "document.querySelector('details[open] summary').getBoundingClientRect()"
    assert tab.run(f"{at}.top >= 0 && {at}.bottom <= innerHeight") is True
    assert "passed, then failed" in tab.run("document.body.innerText")


def test_every_link_of_the_page_leads_to_what_is_in_sight_after_it(tab: Tab, pages: Path) -> None:
    tab.resize(1280, 720)
    tab.open(pages / "many.html")
    links = tab.run("[...document.querySelectorAll('a[href^=\"#\"]')].map((one) => one.getAttribute('href'))")
    assert links
    for link in links:
        tab.run(f"location.hash = {link!r}")
        at = "document.querySelector(location.hash).getBoundingClientRect()"
        assert tab.run(f"{at}.top < innerHeight && {at}.bottom > 0") is True, link
