"""The page of a score in a real browser: it sorts, lists the trials behind a number, and can be used by keyboard."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from replaylab.report.score_page import score_page
from replaylab.report.score_parts import Scored
from replaylab.report.score_trials import FIELDS, place
from replaylab.schema.callpath import TrialKey
from replaylab.score.value import Table
from tests.report.browser import CONTRAST, NEEDS_BROWSER, OPEN_ALL, WIDER, Tab
from tests.report.scored import HOSTILE, TINY, Size, hostile, scored, study

pytestmark = NEEDS_BROWSER

COUNT = "document.getElementById('trials-count').textContent"
LISTED = "document.querySelectorAll('#trials-list > li').length"
WHOLE = Size()  # 15 agents, 10 industries


@pytest.fixture(scope="module")
def made() -> dict[str, Scored]:
    return {
        "whole": scored(WHOLE),
        "tiny": scored(TINY, evidence="authored", player="program"),
        "hostile": hostile(),
        "large": replace(
            scored(TINY), study=study(Size(faults=("E0", "E1", "E2", "E3"), scenarios=10, tasks=5))
        ),
    }


@pytest.fixture(scope="module")
def pages(made: dict[str, Scored], tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("scores")
    for name, one in made.items():
        (root / f"{name}.html").write_bytes(score_page(one))
    return root


@pytest.fixture(autouse=True)
def _desktop(tab: Tab) -> None:
    tab.resize(1280, 800)
    tab.scheme("light")


@pytest.mark.parametrize("name", ["whole", "tiny", "hostile"])
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
    assert tab.run("[...document.images].every((one) => one.complete && one.naturalWidth > 0)") is True


def test_a_wide_table_scrolls_inside_its_frame_by_keyboard(tab: Tab, pages: Path) -> None:
    tab.resize(360, 800)
    tab.open(pages / "whole.html", "#table-industries")
    frame = "document.querySelector('[aria-labelledby=table-industries-full-caption]')"
    assert tab.run(f"{frame}.scrollWidth > {frame}.clientWidth + 300") is True
    tab.run(f"{frame}.focus()")
    tab.press("ArrowRight", 39)
    tab.until(f"{frame}.scrollLeft > 0")
    # The names of the rows stay in sight.
    assert tab.run(f"{frame}.querySelector('tbody th').getBoundingClientRect().left >= 0") is True


def rows(tab: Tab, table: str, column: int) -> list[str]:
    """The texts of a column of a full table, top to bottom."""
    path = f"#{table}-caption"
    found = tab.run(
        f"[...document.querySelector('{path}').parentElement.tBodies[0].rows]"
        f".map((row) => row.cells[{column}].querySelector('bdi').textContent)"
    )
    return [str(one) for one in found]


def press_head(tab: Tab, table: str, column: int) -> str | None:
    """Sorts by the keyboard; what the head says then."""
    head = f"document.querySelector('#{table}-caption').parentElement.tHead.rows[0].cells[{column}]"
    tab.run(f"{head}.querySelector('button').focus()")
    tab.press("Enter", 13, "\r")
    said: str | None = tab.run(f"{head}.getAttribute('aria-sort')")
    return said


def table_of(made: Scored, name: str) -> Table:
    return next(one for one in made.full if one.id == name)


def test_a_head_sorts_by_value_and_then_back_to_what_was_written(
    tab: Tab, pages: Path, made: dict[str, Scored]
) -> None:
    tab.open(pages / "whole.html")
    table = table_of(made["whole"], "overall")
    written = [row[0].text for row in table.rows]
    assert rows(tab, "table-overall-full", 0) == written
    # Names come first upwards, and numbers in them count as numbers.
    assert press_head(tab, "table-overall-full", 0) == "ascending"
    names = rows(tab, "table-overall-full", 0)
    assert names == sorted(
        written, key=lambda one: [int(p) if p.isdigit() else p.lower() for p in re.split(r"(\d+)", one)]
    )
    assert press_head(tab, "table-overall-full", 0) == "descending"
    assert rows(tab, "table-overall-full", 0) == names[::-1]
    assert press_head(tab, "table-overall-full", 0) is None
    assert rows(tab, "table-overall-full", 0) == written


def test_numbers_sort_by_what_is_behind_the_text_and_ties_keep_their_order(
    tab: Tab, pages: Path, made: dict[str, Scored]
) -> None:
    tab.open(pages / "whole.html")
    table = table_of(made["whole"], "pairwise")
    values = [(float(row[2].value), row[0].text, row[1].text) for row in table.rows]
    assert any(one[0] < 0 for one in values)
    assert press_head(tab, "table-pairwise-full", 2) == "descending"
    found = list(zip(rows(tab, "table-pairwise-full", 0), rows(tab, "table-pairwise-full", 1), strict=True))
    assert found == [(a, b) for _, a, b in sorted(values, key=lambda one: -one[0])]
    assert press_head(tab, "table-pairwise-full", 2) == "ascending"
    found = list(zip(rows(tab, "table-pairwise-full", 0), rows(tab, "table-pairwise-full", 1), strict=True))
    assert found == [(a, b) for _, a, b in sorted(values, key=lambda one: one[0])]
    marked = "document.querySelectorAll('#table-pairwise-full-caption ~ thead [aria-sort]').length"
    assert press_head(tab, "table-pairwise-full", 0) == "ascending"
    assert tab.run(marked) == 1


def test_cells_without_a_value_stay_last_either_way(tab: Tab, pages: Path, made: dict[str, Scored]) -> None:
    tab.open(pages / "whole.html")
    without = sum(row[3].value is None for row in table_of(made["whole"], "pairwise").rows)
    assert without
    for _ in range(2):
        press_head(tab, "table-pairwise-full", 3)
        assert rows(tab, "table-pairwise-full", 3)[-without:] == ["not testable"] * without


def test_a_row_that_sums_up_stays_last(tab: Tab, pages: Path) -> None:
    tab.open(pages / "whole.html")
    press_head(tab, "table-industries-full", 1)
    last = "document.querySelector('#table-industries-full-caption').parentElement.tFoot.textContent"
    assert tab.run(last).startswith("tasks")
    assert "tasks" not in rows(tab, "table-industries-full", 0)


CLICKED = """(async () => {
  const said = [];
  const links = [...document.querySelectorAll('%s a[href^="#trials?"]')].filter((_, at) => at %% %d === 0);
  for (const link of links) {
    const heard = link.hash === location.hash || new Promise((r) => addEventListener("hashchange", r, { once: true }));
    link.click();
    await heard;
    said.push([link.textContent, document.getElementById("trials-count").textContent.split(" ")[0]]);
  }
  return said;
})()"""


@pytest.mark.parametrize("name", ["whole", "tiny", "hostile"])
def test_every_link_of_a_rate_lists_as_many_trials_as_its_cell_counts(
    tab: Tab, pages: Path, made: dict[str, Scored], name: str
) -> None:
    tab.open(pages / f"{name}.html")
    one = made[name]
    for table in (table_of(one, "overall"), table_of(one, "industries"), table_of(one, "ledger")):
        wanted = [
            [cell.text, f"{one.behind.mask(cell.trials).bit_count():,}"]
            for row in table.rows
            for cell in row
            if cell.trials
        ]
        for row in table.rows:
            for cell in row:
                if cell.count:
                    assert one.behind.mask(cell.trials).bit_count() == cell.count.planned
        step = 1 if name == "tiny" else 11  # some of every row and column
        said = tab.run(CLICKED % (f"[aria-labelledby=table-{table.id}-full-caption]", step))
        assert said == wanted[::step]


def test_a_list_names_each_trial_its_outcome_its_cassette_and_the_command(
    tab: Tab, pages: Path, made: dict[str, Scored]
) -> None:
    one = made["whole"]
    tab.open(
        pages / "whole.html",
        "#trials?agent=org%2FClaude-Sonnet_4&industry=Science%20%26%20Research&faults=E2",
    )
    trials = [
        trial
        for trial in one.study.trials
        if (trial.agent, trial.scenario.industry, trial.faults)
        == ("org/Claude-Sonnet_4", "Science & Research", "E2")
    ]
    assert tab.run(COUNT).startswith(f"{len(trials)} trials: ")
    assert tab.run(LISTED) == len(trials)
    for number, trial in enumerate(trials):
        said = tab.run(
            f"[...document.querySelectorAll('#trials-list > li')[{number}].children].map((o) => o.textContent)"
        )
        assert said[0] == trial.outcome
        assert said[1] == trial.key == str(TrialKey.parse(trial.key))
        assert said[2] == f"Science & Research · {trial.scenario.id} · run study"
        if trial.facts:
            assert said[3] == f"{trial.facts.cassette}.cassette"
            assert said[4] == f"replaylab show {trial.key} --run {trial.run[:12]}"
        else:
            assert said[3:] == ["Not recorded: there is no cassette."]


def test_names_of_every_kind_come_back_from_their_links(
    tab: Tab, pages: Path, made: dict[str, Scored]
) -> None:
    one = made["hostile"]
    tab.open(pages / "hostile.html")
    keys = tab.run(
        "(async () => { const found = []; for (let at = 0; at < 6; at++) { location.hash = `#trials?agent=~${at}`;"
        "await new Promise((r) => addEventListener('hashchange', r, { once: true }));"
        "found.push(document.querySelector('#trials-list code').textContent,"
        " document.querySelectorAll('#trials-list details code')[0]?.textContent); } return found; })()"
    )
    for at, agent in enumerate(HOSTILE):
        first = next(trial for trial in one.study.trials if trial.agent == agent)
        assert first.key in keys[2 * at : 2 * at + 2]


def test_an_agent_that_nobody_has_gives_an_empty_list_and_a_strange_address_all_trials(
    tab: Tab, pages: Path, made: dict[str, Scored]
) -> None:
    tab.open(pages / "tiny.html", "#trials?agent=nobody")
    assert tab.run(COUNT) == "0 trials"
    assert "nobody" in tab.run("document.getElementById('trials-groups').textContent")
    for address in ("#trials?planet=x", "#trials?agent=%E0%A4%A"):
        tab.open(pages / "tiny.html", address)
        assert tab.run(COUNT).startswith("This address can't be read. All trials: 8 trials: ")
    assert tab.complaints() == []


def test_two_groups_are_listed_together_and_told_apart(
    tab: Tab, pages: Path, made: dict[str, Scored]
) -> None:
    tab.open(pages / "whole.html")
    one = made["whole"]
    cell = table_of(one, "pairwise").rows[0][2]
    tab.run("document.querySelector('[aria-labelledby=table-pairwise-full-caption] tbody a').click()")
    tab.until("location.hash.startsWith('#trials?')")
    number = one.behind.mask(cell.trials).bit_count()
    tab.until(f"{COUNT}.startsWith('{number} trials')")
    assert tab.run("document.getElementById('trials-groups').textContent").count(" or ") == 1


def test_groups_of_different_conditions_are_listed_together(
    tab: Tab, pages: Path, made: dict[str, Scored]
) -> None:
    tab.open(pages / "whole.html", "#trials?agent=GPT-5.2&faults=E0;agent=Kimi%20K2.5&faults=E2&outcome=fail")
    wanted = [
        one
        for one in made["whole"].study.trials
        if (one.agent, one.faults) == ("GPT-5.2", "E0")
        or (one.agent, one.faults, one.outcome) == ("Kimi K2.5", "E2", "fail")
    ]
    assert tab.run(LISTED) == len(wanted)
    assert tab.run(COUNT).startswith(f"{len(wanted)} trials: ")
    assert tab.run("document.querySelectorAll('#trials-groups .group').length") == 2


def test_the_list_is_drawn_in_pieces(tab: Tab, pages: Path, made: dict[str, Scored]) -> None:
    tab.open(pages / "large.html", "#trials")
    assert tab.run(COUNT).startswith("30,000 trials: ")
    assert tab.run(LISTED) == 100
    tab.run("document.getElementById('trials-more').focus()")
    tab.press("Enter", 13, "\r")
    assert tab.run(LISTED) == 200
    first_new = "document.querySelectorAll('#trials-list > li')[100]"
    assert tab.run(f"document.activeElement === {first_new}") is True
    took = tab.run(
        "(async () => { const start = performance.now(); location.hash = '#trials?faults=E2&outcome=pass';"
        "await new Promise((r) => addEventListener('hashchange', r, { once: true }));"
        "return performance.now() - start; })()"
    )
    assert took < 5_000
    passed = sum(one.faults == "E2" and one.outcome == "pass" for one in made["large"].study.trials)
    assert tab.run(COUNT).startswith(f"{passed:,} trials: ")


def test_a_list_can_be_narrowed_and_widened(tab: Tab, pages: Path, made: dict[str, Scored]) -> None:
    tab.open(pages / "whole.html", "#trials?agent=GPT-5.2&faults=E0")
    trials = [one for one in made["whole"].study.trials if (one.agent, one.faults) == ("GPT-5.2", "E0")]
    failed = sum(one.outcome == "fail" for one in trials)
    tab.run(
        "[...document.querySelectorAll('#trials-count a')].find((o) => o.textContent.endsWith('failed')).click()"
    )
    tab.until(f"{COUNT}.startsWith('{failed} trials')")
    tab.run("document.querySelector('.chip a[aria-label=\"any agent\"]').click()")
    everybody = sum((one.outcome, one.faults) == ("fail", "E0") for one in made["whole"].study.trials)
    tab.until(f"{COUNT}.startsWith('{everybody} trials')")


def test_back_returns_to_the_number_and_forward_to_its_list(tab: Tab, pages: Path) -> None:
    tab.open(pages / "whole.html")
    link = "document.querySelector('[aria-labelledby=table-pairwise-full-caption] tbody tr:nth-child(3) a')"
    tab.run(f"{link}.scrollIntoView(); {link}.focus()")
    before = tab.run("scrollY")
    tab.press("Enter", 13, "\r")
    tab.until("document.activeElement.id === 'trials'")
    assert tab.run("scrollY") > before
    count = tab.run(COUNT)
    tab.run("history.back()")
    tab.until(f"document.activeElement === {link}")
    tab.until(f"Math.abs(scrollY - {before}) < 5")
    tab.run("history.forward()")
    tab.until("document.activeElement.id === 'trials'")
    assert tab.run(COUNT) == count


def test_the_first_tab_stop_skips_to_the_content(tab: Tab, pages: Path) -> None:
    tab.open(pages / "whole.html")
    tab.press("Tab", 9)
    assert tab.run("document.activeElement.className") == "skip"
    tab.press("Enter", 13, "\r")
    tab.until("document.activeElement.id === 'main'")


def test_what_has_the_focus_shows_it(tab: Tab, pages: Path) -> None:
    tab.open(pages / "tiny.html")
    for kind in ("nav a", "thead button", "tbody a", ".scroll", "summary", "#trials-list + p button"):
        one = f"document.querySelector('{kind}')"
        tab.run(f"{one}.hidden = false; {one}.focus({{ focusVisible: true }})")
        style = tab.run(f"getComputedStyle({one}).outlineStyle + getComputedStyle({one}).outlineWidth")
        assert style == "solid2px", kind


def test_a_screen_reader_finds_landmarks_tables_heads_and_named_figures(tab: Tab, pages: Path) -> None:
    tab.open(pages / "tiny.html")
    nodes = tab.send("Accessibility.getFullAXTree")["nodes"]
    found = [
        (str(one.get("role", {}).get("value")), str(one.get("name", {}).get("value", ""))) for one in nodes
    ]
    roles = [role for role, _ in found]
    for role in ("banner", "navigation", "main", "contentinfo"):
        assert roles.count(role) == 1, role
    assert ("table", "Overall completion, full layout") in found
    assert ("columnheader", "Rate (%)") in found
    assert ("button", "Rate (%)") in found
    assert ("rowheader", "scripted:careful") in found
    assert any(role in {"image", "img"} and name == "Ten bars: Overall completion" for role, name in found)
    assert ("region", "Pairs of agents") in found
    assert any(role == "note" for role in roles)
    assert roles.count("status") == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["whole", "hostile", "tiny"])
def test_text_stands_out_from_its_ground(tab: Tab, pages: Path, scheme: str, name: str) -> None:
    tab.scheme(scheme)
    tab.open(pages / f"{name}.html", "#trials?outcome=error")
    tab.run(OPEN_ALL)
    assert tab.run(CONTRAST) >= 4.5


def test_a_hostile_text_makes_no_element_and_runs_nothing(tab: Tab, pages: Path) -> None:
    tab.open(pages / "hostile.html")
    tab.run(OPEN_ALL)
    assert tab.run("document.scripts.length") == 2
    assert tab.run("document.images.length") == 3
    assert tab.run("document.title").endswith(": score - replaylab")
    assert tab.run("document.querySelectorAll('main b, main input, main iframe').length") == 0
    for hidden in ("\u202e", "\u2066", "\x1b"):
        assert hidden not in tab.run("document.body.innerText")
    assert tab.complaints() == []


def test_without_the_script_the_tables_are_there_and_a_note_points_to_the_file(tab: Tab, pages: Path) -> None:
    tab.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        tab.open(pages / "whole.html")
        text = tab.run("document.body.innerText")
        assert "The list of the 1,200 trials needs JavaScript; trials.csv has it too." in text
        assert "GPT-5.2" in text
        assert tab.run("document.querySelectorAll('thead button').length") == 0
        assert tab.run("document.getElementById('trials-view').hidden") is True
    finally:
        tab.send("Emulation.setScriptExecutionDisabled", value=False)


def test_on_a_phone_the_contents_are_folded(tab: Tab, pages: Path) -> None:
    tab.resize(360, 800)
    tab.open(pages / "whole.html")
    assert tab.run("document.getElementById('contents').open") is False
    tab.resize(1280, 800)
    tab.open(pages / "whole.html")
    assert tab.run("document.getElementById('contents').open") is True


def test_the_ledger_in_the_page_is_the_study(tab: Tab, pages: Path, made: dict[str, Scored]) -> None:
    tab.open(pages / "hostile.html")
    data: dict[str, Any] = tab.run("JSON.parse(document.getElementById('trials-data').textContent)")
    first = place(made["hostile"].study.trials[0])
    assert [data["names"][name][0] for name in FIELDS[:4]] == list(first[:4])
