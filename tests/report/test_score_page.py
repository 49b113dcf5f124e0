from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace

import pytest

from replaylab.report.score_page import file_stem, score_page
from replaylab.report.score_parts import Scored
from replaylab.score.value import Selector
from tests.report.scored import TINY, Size, hostile, scored, study
from tests.report.test_page import Outline, outline

FILES = re.compile(r"(?:tables|figures)/[a-z_-]+\.(?:csv|md|tex|svg|png|pdf)|score\.json|trials\.csv")


@pytest.fixture(params=["tiny", "hostile"], scope="module")
def made(request: pytest.FixtureRequest) -> Scored:
    return hostile() if request.param == "hostile" else scored(TINY)


@pytest.fixture(scope="module")
def page(made: Scored) -> bytes:
    return score_page(made)


class Pictures(Outline):
    """An outline in which pictures that lie in the page are no suspects."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img" and (dict(attrs)["src"] or "").startswith("data:image/"):
            return
        super().handle_starttag(tag, attrs)


def test_every_element_is_closed_and_nothing_fetches_or_acts(page: bytes) -> None:
    found = Pictures()
    found.feed(page.decode())
    found.close()
    assert (found.open, found.suspects) == ([], [])
    assert len(found.ids) == len(set(found.ids))
    for link in found.links:
        inside = link.startswith("#trials?") or (link[0] == "#" and link[1:] in found.ids)
        assert inside or FILES.fullmatch(link), link


def test_the_policy_allows_this_style_this_script_and_pictures_of_this_page(page: bytes) -> None:
    found = outline(page)
    style, data, script = found.scripts
    json.loads(data)
    hashes = [
        "sha256-" + base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()
        for one in (style, script)
    ]
    assert found.policy == (
        f"default-src 'none'; style-src '{hashes[0]}'; script-src '{hashes[1]}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def test_contents_lead_to_every_section(made: Scored, page: bytes) -> None:
    text = page.decode()
    contents = text[text.index("<nav") : text.index("</nav>")]
    for name in (
        "about",
        "findings",
        *(f"table-{one}" for one in made.tables()),
        "figures",
        "left-out",
        "trials",
    ):
        assert f'href="#{name}"' in contents
    assert [text.count(f"<{one}") for one in ("header", "nav", "main", "footer")] == [1, 1, 1, 1]


def test_the_ledger_comes_first_and_a_line_of_it_above_each_table(made: Scored, page: bytes) -> None:
    text = page.decode()
    order = re.findall(r'<h2 id="table-([a-z]+)"', text)
    assert order == ["ledger", "overall", "industries", "pairwise"]
    assert re.findall(r'<p class="ledger">(.*?)</p>', text) == [
        made.ledger(next(iter(layouts.values()))) for layouts in made.tables().values()
    ]


def test_both_layouts_are_there_the_published_one_folded() -> None:
    text = score_page(scored(TINY)).decode()
    assert text.count("<summary>The same as published</summary>") == 1
    assert text.index('id="table-industries-full-caption"') < text.index(
        'id="table-industries-paper-caption"'
    )
    assert (file_stem("industries", "full"), file_stem("industries", "paper")) == (
        "industries",
        "industries-paper",
    )


def test_a_table_of_one_layout_alone_is_shown_as_it_is() -> None:
    made = scored(TINY)
    text = score_page(replace(made, full=())).decode()
    assert 'id="table-industries-paper-caption"' in text
    assert "The same as published" not in text


def test_what_nobody_recorded_and_programs_played_is_said_before_the_first_number() -> None:
    text = score_page(scored(TINY, evidence="authored", player="program")).decode()
    at = [text.index(words) for words in ("Authored, not recorded", "No LLM took part", "<main")]
    assert at == sorted(at)
    assert 'class="notes"' not in score_page(scored(TINY)).decode()


def test_left_out_tables_findings_and_declared_denominators_are_told() -> None:
    made = scored(TINY)
    declared = made.study.model_copy(update={"declared": {"gpt|edu": 31}})
    text = score_page(replace(made, study=declared)).decode()
    assert "<dt>repeats</dt><dd>one trial a task: nothing to repeat</dd>" in text
    assert "<strong>duplicate</strong> two cassettes for one trial &lt;b&gt;" in text
    assert "gpt, edu: 31" in text


def test_the_decisions_of_a_gate_are_told_with_their_trials() -> None:
    rule = {"rule": "safe <b>", "agent": "scripted:hasty", "outcome": "fail", "reason": "0.2 is below 0.6"}
    gate = [rule | {"trials": [Selector(agent="scripted:hasty").model_dump()]}]
    text = score_page(replace(scored(TINY), extra={"gate": gate})).decode()
    assert (
        '<span class="badge fail">fail</span> <strong>safe &lt;b&gt;</strong>, scripted:hasty: 0.2 is below'
        in text
    )
    assert '<a href="#trials?agent=scripted%3Ahasty">its trials</a>' in text
    assert 'href="#gate"' in text


def test_a_page_that_grows_too_large_shortens_cassette_names_then_leaves_the_list_out() -> None:
    made = scored(TINY)
    whole = len(score_page(made))
    shorter = score_page(made, limit=whole - 1).decode()
    assert "Here cassette names are cut to their first 16 digits." in shorter
    assert len(shorter.encode()) < whole
    without = score_page(made, limit=1).decode()
    assert "is not on this page, which would be too large" in without
    assert 'href="#trials?' not in without
    assert 'id="trials-data"' not in without


def test_thirty_thousand_trials_fit() -> None:
    made = scored(TINY)
    # Task names as long as those of the published study, and cassettes that share no digits.
    large = study(
        Size(
            agents=("a", "b", "c", "d", "e"),
            simulators=("s", "t"),
            faults=("E0", "E1", "E2"),
            scenarios=10,
            tasks=10,
        )
    )
    assert len(large.trials) == 30_000
    page = score_page(replace(made, study=large))
    assert len(page) < 4_000_000
    assert b'"digits":64' in page


def test_the_same_score_gives_the_same_bytes() -> None:
    assert score_page(scored(TINY)) == score_page(scored(TINY))


def test_what_holds_for_every_table_is_said_once_at_the_top() -> None:
    made = scored(TINY)
    note = "Evidence: recorded."
    one = made.full[0].model_copy(update={"notes": (note, "Seed 7.")})
    text = score_page(replace(made, full=(one, *made.full[1:]))).decode()
    assert text.count(note) == 1
    assert text.index(note) < text.index('id="table-')
    assert "<li>Seed 7.</li>" in text
