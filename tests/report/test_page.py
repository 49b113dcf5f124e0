from __future__ import annotations

import base64
import hashlib
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from replaylab.report.page import _task, run_page, trial_page
from replaylab.store.library import Library
from tests.playground import only_cassette, record
from tests.report.recordings import JUDGED, trial, view

VOID = {"meta", "link", "input", "br", "rect", "img"}


class Outline(HTMLParser):
    """Checks that every element is closed where it should be, and collects what could act or fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.suspects: list[str] = []
        self.scripts: list[str] = []
        self.policy = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []
        self.suspects += [
            f"{tag} {name}" for name in given if name.startswith("on") or name in {"src", "style"}
        ]
        self.suspects += [tag] if tag in {"img", "iframe", "object", "embed", "base", "link"} else []
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in {"script", "style"}:
            self.scripts.append(data)


def outline(page: bytes) -> Outline:
    found = Outline()
    found.feed(page.decode())
    found.close()
    return found


@pytest.fixture(params=["study", "hostile", "broken", "trial"])
def page(request: pytest.FixtureRequest, study: Library, hostile: Library, broken: Library) -> bytes:
    name = str(request.param)
    if name == "trial":
        return trial_page(trial(hostile, "hostile"))
    library = {"study": study, "hostile": hostile, "broken": broken}[name]
    return run_page(library, view(library, name))


def test_every_element_is_closed_in_its_place(page: bytes) -> None:
    assert outline(page).open == []


def test_nothing_on_the_page_fetches_or_acts_but_its_own_script(page: bytes) -> None:
    found = outline(page)
    assert found.suspects == []
    assert len(found.scripts) == 2
    assert all(link.startswith("#") for link in found.links)


def test_the_policy_allows_this_style_and_this_script_alone(page: bytes) -> None:
    found = outline(page)
    hashes = [
        "sha256-" + base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in found.scripts
    ]
    assert found.policy == (
        f"default-src 'none'; style-src '{hashes[0]}'; script-src '{hashes[1]}'; base-uri 'none'; form-action 'none'"
    )


def test_ids_are_unique_and_links_lead_somewhere(page: bytes) -> None:
    found = outline(page)
    assert len(found.ids) == len(set(found.ids))
    assert {link[1:] for link in found.links} <= set(found.ids)


def test_the_same_recording_gives_the_same_bytes(study: Library) -> None:
    assert run_page(study, view(study, "study")) == run_page(Library(study.root), view(study, "study"))


def test_it_does_so_wherever_its_library_lies_and_says_how_to_name_that(
    study: Library, tmp_path: Path
) -> None:
    moved = Library(shutil.copytree(study.root, tmp_path / "of another name"))
    page = run_page(moved, view(moved, "study"))
    assert page == run_page(study, view(study, "study"))
    assert page.decode().count("--library DIR") == 1


def test_a_run_links_each_trial_to_its_section(study: Library) -> None:
    page = run_page(study, view(study, "study")).decode()
    for number in range(4):
        assert f'<a href="#t{number}">' in page
        assert f'<details class="trial" id="t{number}"' in page


def test_missing_trials_are_listed_apart(broken: Library) -> None:
    page = run_page(broken, view(broken, "broken")).decode()
    assert "Planned and not recorded: 4" in page
    assert page.count('<tr role="row" data-verdict') == 2


def test_a_run_of_programs_says_that_no_llm_took_part(study: Library) -> None:
    assert "No LLM took part" in run_page(study, view(study, "study")).decode()


def test_a_large_run_leaves_out_the_raw_interactions_first_and_says_so(study: Library) -> None:
    whole = run_page(study, view(study, "study"))
    page = run_page(study, view(study, "study"), limit=len(whole) // 2).decode()
    assert "Raw interactions" in whole.decode()
    assert "The raw interactions are not on this page" in page
    assert page.count('<details class="trial"') == 4
    assert len(page) < len(whole) * 0.7


def test_a_still_larger_run_leaves_out_the_last_trials_and_says_how_many(study: Library) -> None:
    page = run_page(study, view(study, "study"), limit=35_000).decode()
    kept = page.count('<details class="trial"')
    assert 0 < kept < 4
    assert f"The last {4 - kept} trials are in the table only" in page
    assert page.count('<a href="#t') - page.count('<a href="#t0-') >= kept
    assert {link[1:] for link in outline(page.encode()).links} <= set(outline(page.encode()).ids)


def test_a_damaged_cassette_is_named_and_the_rest_is_shown(tmp_path: Path) -> None:
    library, _ = record(tmp_path)
    path = only_cassette(library)
    path.write_bytes(path.read_bytes()[:-1])
    page = run_page(library, view(library, "run")).decode()
    assert "Damaged: 1" in page
    assert path.name in page


def test_a_trial_has_a_page_of_its_own(study: Library) -> None:
    page = trial_page(trial(study, "study", lambda key: key == JUDGED)).decode()
    assert f"<title>{JUDGED} - replaylab</title>" in page
    assert len(re.findall("<h1>", page)) == 1


@pytest.mark.parametrize("key", ["../../etc/passwd", "", "a/b", "a/b/c/d"])
def test_a_forged_key_is_shown_as_it_is(key: str) -> None:
    assert " / " in _task(key)
