"""Pages in a real browser: nothing is fetched, nothing complains, a phone needs no sideways scrolling."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from replaylab.report.page import run_page, trial_page
from replaylab.store.library import Library
from tests.report import recordings
from tests.report.browser import CONTRAST, NEEDS_BROWSER, OPEN_ALL, WIDER, Tab

pytestmark = NEEDS_BROWSER

PAGES = ("study", "hostile", "broken", "trial")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One page a name in PAGES."""
    root = tmp_path_factory.mktemp("pages")
    makers: dict[str, Callable[[Path], Library]] = {
        "study": recordings.plain,
        "hostile": recordings.hostile,
        "broken": recordings.broken,
    }
    for name, make in makers.items():
        library = make(root / name)
        (root / f"{name}.html").write_bytes(run_page(library, recordings.view(library, name)))
    hostile = recordings.trial(Library(root / "hostile"), "hostile")
    (root / "trial.html").write_bytes(trial_page(hostile))
    return root


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [360, 1280])
def test_it_opens_without_a_complaint_a_request_or_sideways_scrolling(
    tab: Tab, pages: Path, name: str, width: int
) -> None:
    tab.resize(width, 800)
    tab.open(pages / f"{name}.html")
    assert tab.run(WIDER) == 0
    tab.run(OPEN_ALL)
    assert tab.run(WIDER) == 0
    assert tab.run("innerWidth") == width
    assert tab.requests() == [(pages / f"{name}.html").as_uri()]
    assert tab.complaints() == []


@pytest.mark.parametrize("name", ["hostile", "trial"])
def test_a_hostile_text_makes_no_element_and_runs_nothing(tab: Tab, pages: Path, name: str) -> None:
    tab.open(pages / f"{name}.html")
    assert tab.run("document.images.length") == 0
    assert tab.run("document.scripts.length") == 1
    assert tab.run("document.title").endswith(" - replaylab")
    assert "<img src=x onerror=" in tab.run("document.body.textContent")
    assert tab.run("document.querySelector('main').contains(document.body.lastElementChild)") is False


def test_the_policy_stops_a_script_and_a_picture_that_got_in_anyway(tab: Tab, pages: Path) -> None:
    tab.open(pages / "study.html")
    tab.run(
        "document.body.insertAdjacentHTML('beforeend', "
        '\'<img src="x.png" onerror="document.title=1"><a id=e onclick="document.title=1">x</a>\')'
    )
    tab.run(
        "(async () => { document.getElementById('e').click(); await new Promise(r => setTimeout(r, 50)); })()"
    )
    assert tab.run("document.title") == "study - replaylab"
    assert any("Content Security Policy" in one for one in tab.complaints())


def test_the_filter_shows_what_is_asked_for_and_says_how_many(tab: Tab, pages: Path) -> None:
    tab.open(pages / "study.html")
    shown = "[...document.querySelectorAll('tr[data-verdict]')].filter((row) => row.offsetHeight > 0).length"
    assert (tab.run(shown), tab.run("document.getElementById('count').textContent")) == (4, "4 of 4 trials")
    fails = tab.run("document.querySelectorAll('tr[data-verdict=fail]').length")
    assert 0 < fails < 4
    tab.run("document.querySelector('input[value=fail]').click()")
    assert tab.run(shown) == fails
    assert tab.run("document.getElementById('count').textContent") == f"{fails} of 4 trials"
    tab.run("document.getElementById('find').focus()")
    for letter in "zz":
        tab.press(letter, ord("Z"), letter)
    assert tab.run(shown) == 0


def test_a_link_to_a_trial_opens_its_section_by_keyboard(tab: Tab, pages: Path) -> None:
    tab.open(pages / "study.html")
    tab.run("document.querySelector('.trials a').focus()")
    assert tab.run("document.getElementById('t0').open") is False
    tab.press("Enter", 13, "\r")
    until = time.monotonic() + 10
    while not tab.run("document.getElementById('t0').open"):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert tab.run("Math.abs(document.getElementById('t0').getBoundingClientRect().top) < innerHeight")


def test_an_address_that_names_a_call_unfolds_it(tab: Tab, pages: Path) -> None:
    tab.open(pages / "study.html", "#t1-c2")
    assert tab.run("document.getElementById('t1').open") is True
    assert tab.run("document.getElementById('t1-c2').getBoundingClientRect().height") > 0


def test_the_first_tab_stop_skips_to_the_content(tab: Tab, pages: Path) -> None:
    tab.open(pages / "study.html")
    tab.press("Tab", 9)
    assert tab.run("document.activeElement.className") == "skip"
    assert tab.run("document.activeElement.getBoundingClientRect().left >= 0") is True


def test_a_screen_reader_finds_headings_a_named_picture_and_a_table(tab: Tab, pages: Path) -> None:
    tab.resize(360, 800)
    tab.open(pages / "study.html")
    nodes = tab.send("Accessibility.getFullAXTree")["nodes"]
    found = [
        (str(one.get("role", {}).get("value")), str(one.get("name", {}).get("value", ""))) for one in nodes
    ]
    roles = [role for role, _ in found]
    assert ("heading", "study") in found
    assert roles.count("table") == 1  # also where the phone's style lays it out as blocks
    assert any(role in {"image", "img"} and "pass" in name for role, name in found)
    assert any(role == "searchbox" and name == "Find" for role, name in found)
    assert [name for role, name in found if role == "radio"][:1] == ["all"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(tab: Tab, pages: Path, scheme: str) -> None:
    tab.scheme(scheme)
    tab.open(pages / "study.html")
    tab.run(OPEN_ALL)
    assert tab.run(CONTRAST) >= 4.5
