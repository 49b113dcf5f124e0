"""The page of a comparison in a real browser: filters, links that last, the keyboard alone, a narrow screen."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from replaylab.report.diff_page import check_page, diff_page
from tests.report.browser import CONTRAST, NEEDS_BROWSER, OPEN_ALL, WIDER, Tab
from tests.report.compared import hostile, large, shipped, small

pytestmark = NEEDS_BROWSER

SHOWN = "[...document.querySelectorAll('.finding')].filter((one) => !one.hidden).length"
COUNT = "document.getElementById('count').textContent"
FOCUS = "document.activeElement"
IN_SIGHT = (
    "(() => {{ const at = {}.getBoundingClientRect(); return at.top >= -1 && at.bottom <= innerHeight; }})()"
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("pages")
    trials, contract = shipped("real-qwen2.5-coder-1.5b")
    made = {
        "small": diff_page(*small()),
        "hostile": diff_page(hostile()),
        "check": check_page(trials, contract),
        "large": diff_page(large(382, 16, found=4, words=80)),
    }
    for name, page in made.items():
        (root / f"{name}.html").write_bytes(page)
    return root


@pytest.fixture(autouse=True)
def _desktop(tab: Tab) -> None:
    tab.resize(1280, 720)
    tab.scheme("light")


def choose(tab: Tab, field: str, value: str) -> None:
    """Sets a filter as a reader would."""
    tab.run(
        f"(() => {{ const one = document.getElementById('filter').elements['{field}']; one.value = '{value}';"
        " one.dispatchEvent(new Event('input', { bubbles: true })); })()"
    )


def ids(tab: Tab) -> list[str]:
    """The ids of all findings, top to bottom."""
    found: list[str] = tab.run(
        "[...document.querySelectorAll('.finding .body, .finding.short')].map((o) => o.id)"
    )
    return found


@pytest.mark.parametrize("name", ["small", "hostile", "check"])
@pytest.mark.parametrize("width", [320, 1280])
def test_it_opens_without_a_complaint_a_request_or_sideways_scrolling(
    tab: Tab, pages: Path, name: str, width: int
) -> None:
    tab.resize(width, 720)
    tab.open(pages / f"{name}.html")
    assert tab.run(WIDER) == 0
    tab.run(OPEN_ALL)
    assert tab.run(WIDER) == 0
    assert tab.run("innerWidth") == width
    # Nothing is wider than what holds it: no text is cut at an edge.
    cut = "[...document.querySelectorAll('main *')].filter((o) => o.scrollWidth > o.clientWidth + 1 && o.clientWidth)"
    assert tab.run(f"{cut}.map((o) => o.outerHTML.slice(0, 200))") == []
    assert tab.requests() == [(pages / f"{name}.html").as_uri()]
    assert tab.complaints() == []
    assert tab.run("document.title").endswith(" - replaylab")


def test_the_first_finding_says_what_where_and_what_the_contract_says_on_one_screen(
    tab: Tab, pages: Path
) -> None:
    for name in ("small", "check"):
        tab.open(pages / f"{name}.html")
        for part in (
            "h3",
            ".place",
            ".message",
            ".contract",
            ".side.accused mark",
            ".side.accused .at, .gone",
        ):
            one = f"document.querySelector('.finding[open]').querySelector('{part}')"
            assert tab.run(IN_SIGHT.format(one)) is True, (name, part)
        assert "simulator#" in tab.run("document.querySelector('.finding[open] .place').textContent")


def test_sides_stand_beside_each_other_and_stack_on_a_narrow_screen(tab: Tab, pages: Path) -> None:
    tops = "[...document.querySelectorAll('.finding[open] .side')].map((o) => o.getBoundingClientRect().top)"
    tab.open(pages / "small.html")
    first, second = tab.run(tops)
    assert first == second
    tab.resize(320, 720)
    tab.open(pages / "small.html")
    first, second = tab.run(tops)
    assert first < second


def test_each_filter_leaves_what_it_names(tab: Tab, pages: Path) -> None:
    tab.open(pages / "small.html")
    everything = tab.run(SHOWN)
    assert everything == 6
    for field, value, left in (
        ("kind", "omission", 1),
        ("subkind", "unknown", 2),
        ("simulator", "gpt", 1),
        ("task", "second", 2),
        ("against", "instruction", 1),
        ("confidence", "0.9", 2),
        ("find", "raj", 1),
    ):
        choose(tab, field, value)
        assert tab.run(SHOWN) == left, field
        assert " shown" in tab.run(COUNT)
        choose(tab, field, "")
        assert tab.run(SHOWN) == everything, field
    tab.run("document.getElementById('filter').elements.depends.click()")
    assert tab.run(SHOWN) == 1
    assert tab.run(COUNT) == "1 of 4 findings shown."
    choose(tab, "kind", "fabrication")
    assert tab.run(SHOWN) == 0
    tab.run("document.querySelector('#filter button').click()")
    tab.until(f"{SHOWN} === {everything}")


def test_what_is_shown_is_counted_apart_from_candidates_and_faults(tab: Tab, pages: Path) -> None:
    tab.open(pages / "small.html")
    choose(tab, "subkind", "unknown")
    assert tab.run(COUNT) == "1 of 4 findings shown, and 1 below that are none."


def test_a_link_opens_its_finding_and_scrolls_to_it_also_after_a_reload(tab: Tab, pages: Path) -> None:
    for name in ("small", "check"):
        tab.open(pages / f"{name}.html")
        for one in ids(tab)[-2:]:
            tab.open(pages / f"{name}.html", f"#{one}")
            for _ in range(3):
                finding = f"document.getElementById('{one}').closest('details')"
                tab.until(f"{finding}?.open === true")
                tab.until(IN_SIGHT.format(f"{finding}.querySelector('summary')"))
                tab.until(f"{FOCUS}.closest('details') === {finding}")
                tab.send("Page.reload")
                tab.until("document.readyState === 'complete'")


def test_a_link_opens_its_finding_without_the_script(tab: Tab, pages: Path) -> None:
    tab.open(pages / "small.html")
    last = ids(tab)[-1]
    tab.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        tab.open(pages / "small.html", f"#{last}")
        tab.until(f"document.getElementById('{last}').closest('details').open")
        assert tab.run(
            IN_SIGHT.format(f"document.getElementById('{last}').closest('details').firstElementChild")
        )
        assert tab.run("document.getElementById('filter').hidden") is True
    finally:
        tab.send("Emulation.setScriptExecutionDisabled", value=False)


def test_a_link_to_what_a_filter_hides_shows_it(tab: Tab, pages: Path) -> None:
    tab.open(pages / "small.html")
    first = ids(tab)[0]
    choose(tab, "kind", "possible_fault")
    hidden = f"document.getElementById('{first}').closest('.finding').hidden"
    assert tab.run(hidden) is True
    tab.run(f"location.hash = '{first}'")
    tab.until(f"!{hidden}")


def test_the_address_names_what_was_opened_last(tab: Tab, pages: Path) -> None:
    tab.open(pages / "small.html")
    second = ids(tab)[1]
    tab.run("document.querySelectorAll('.finding > summary')[1].focus()")
    tab.press("Enter", 13, "\r")
    tab.until(f"location.hash === '#{second}'")
    assert tab.run("document.querySelectorAll('.finding')[1].open") is True


def test_a_strange_address_is_no_error(tab: Tab, pages: Path) -> None:
    for address in ("#%E0%A4%A", "#nothing", "#main"):
        tab.open(pages / "small.html", address)
        assert tab.complaints() == []


def test_findings_are_walked_through_by_keys_that_can_be_switched_off(tab: Tab, pages: Path) -> None:
    tab.open(pages / "small.html")
    at = f"[...document.querySelectorAll('.finding')].indexOf({FOCUS}.closest('.finding'))"
    for key, wanted in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
        tab.press(key, ord(key.upper()), key)
        assert tab.run(at) == wanted
        assert tab.run(f"getComputedStyle({FOCUS}).outlineStyle") == "solid"
    choose(tab, "kind", "possible_fault")
    tab.press("j", 74, "j")
    assert tab.run(f"{FOCUS}.closest('.finding').dataset.kind") == "possible_fault"
    # A letter that is being typed is a letter.
    tab.run("document.getElementById('filter').elements.find.focus()")
    tab.press("j", 74, "j")
    assert tab.run("document.getElementById('filter').elements.find.value") == "j"
    tab.open(pages / "small.html")
    tab.run("document.getElementById('filter').elements.keys.click()")
    tab.press("j", 74, "j")
    assert tab.run(at) == -1


def test_everything_is_reached_by_tab_and_the_first_stop_skips_to_the_content(tab: Tab, pages: Path) -> None:
    tab.open(pages / "small.html")
    tab.press("Tab", 9)
    assert tab.run(f"{FOCUS}.className") == "skip"
    seen = set()
    for _ in range(60):
        tab.press("Tab", 9)
        kind = tab.run(f"{FOCUS}.matches('.finding > summary') ? 'finding' : {FOCUS}.tagName")
        if kind not in ("BODY", "HTML"):
            assert tab.run(f"getComputedStyle({FOCUS}).outlineStyle") != "none", kind
        seen.add(kind)
    assert {"finding", "SELECT", "INPUT", "BUTTON", "A", "SUMMARY"} <= seen


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(tab: Tab, pages: Path, scheme: str) -> None:
    tab.scheme(scheme)
    tab.open(pages / "small.html")
    tab.run(OPEN_ALL)
    assert tab.run(CONTRAST) >= 4.5


def test_landmarks_and_names_of_fields(tab: Tab, pages: Path) -> None:
    tab.open(pages / "small.html")
    for one in ("header", "nav[aria-label]", "main", "footer", "form[aria-label]", "[role=status]"):
        assert tab.run(f"document.querySelectorAll('{one}').length") == 1, one
    assert tab.run("[...document.querySelectorAll('select, input')].every((one) => one.labels.length === 1)")
    levels = tab.run("[...document.querySelectorAll('h1, h2, h3')].map((one) => Number(one.tagName[1]))")
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_on_paper_what_the_filters_leave_is_open_and_is_folded_again_afterwards(
    tab: Tab, pages: Path
) -> None:
    tab.open(pages / "small.html")
    choose(tab, "kind", "fabrication")
    opened = "document.querySelectorAll('.finding[open]:not([hidden])').length"
    assert tab.run(opened) == 0
    tab.run("dispatchEvent(new Event('beforeprint'))")
    assert tab.run(opened) == 2
    tab.run("dispatchEvent(new Event('afterprint'))")
    assert tab.run(opened) == 0


def test_hostile_texts_run_nothing(tab: Tab, pages: Path) -> None:
    tab.open(pages / "hostile.html")
    tab.run(OPEN_ALL)
    assert tab.run("document.title").endswith(" part - replaylab")
    assert tab.run("document.images.length + document.querySelectorAll('main script, iframe').length") == 0
    for one in ids(tab):
        assert one.replace("-", "").isalnum()
    choose(tab, "find", "x")
    assert tab.complaints() == []


def test_a_large_page_opens_and_filters_at_once(tab: Tab, pages: Path) -> None:
    tab.open(pages / "large.html")
    loaded = tab.run("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    assert loaded < 10_000
    for field, value in (("kind", "omission"), ("task", "task-7"), ("find", "item-9-")):
        took = tab.run(
            f"(() => {{ const start = performance.now(); const one = document.getElementById('filter').elements['{field}'];"
            f" one.value = '{value}'; one.dispatchEvent(new Event('input', {{ bubbles: true }}));"
            " document.body.offsetHeight; return performance.now() - start; })()"
        )
        assert took < 5_000, field
        assert 0 < tab.run(SHOWN) < 1_000
        choose(tab, field, "")
