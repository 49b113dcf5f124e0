from __future__ import annotations

import re

from replaylab.report.score_table import table_html
from replaylab.report.score_trials import Names
from replaylab.score.value import Cell, Table
from tests.report.scored import TINY, hostile, scored
from tests.report.test_page import outline

MADE = scored(TINY)
NAMES = Names.of(MADE.study.trials)


def table(name: str) -> Table:
    return next(one for one in MADE.full if one.id == name)


def html(one: Table) -> str:
    return table_html(one, MADE.around(one), NAMES, "t")


def test_heads_and_rows_are_named_for_screen_readers() -> None:
    made = html(table("industries"))
    assert '<caption id="t-caption"><span>Completion by industry, full layout</span></caption>' in made
    assert 'role="region" tabindex="0" aria-labelledby="t-caption"' in made
    assert made.count('<th scope="col"') == 4
    assert made.count('<th scope="row"') == 3


def test_each_number_with_trials_links_to_them_and_sorts_by_its_value() -> None:
    one = table("overall")
    made = html(one)
    cell = one.rows[0][2]
    assert f'data-value="{float(cell.value)!r}"' in made
    assert (
        f'<a href="{NAMES.link(cell.trials).replace("&", "&amp;")}"><bdi class="short">{cell.text}</bdi></a>'
        in made
    )
    assert made.count("<a ") == sum(bool(cell.trials) for row in one.rows for cell in row)


def test_without_a_list_of_trials_there_are_no_links() -> None:
    one = table("overall")
    assert "<a " not in table_html(one, MADE.around(one), None, "t")


def test_rows_that_sum_up_stand_in_the_foot() -> None:
    made = html(table("industries"))
    assert made.index("<tfoot>") < made.index('<bdi class="short">tasks</bdi>') < made.index("</tfoot>")
    assert "<tfoot>" not in html(table("overall"))


def test_the_best_is_strong_and_notes_are_explained() -> None:
    one = table("pairwise")
    marked = (
        Cell(text="x"),
        Cell(text="y"),
        Cell(text="1", value=1, best=True, note="so few"),
        Cell(text=""),
    )
    made = html(one.model_copy(update={"rows": (marked,)}))
    assert '<strong><bdi class="short">1</bdi></strong><sup>a</sup>' in made
    assert "<li><sup>a</sup> so few</li>" in made


def test_many_notes_and_long_notes_are_folded() -> None:
    one = table("pairwise")
    rows = tuple(
        (Cell(text="x"), Cell(text="y"), Cell(text="1", note=f"note {at}"), Cell(text="")) for at in range(13)
    )
    assert "<summary>13 notes about single cells</summary>" in html(one.model_copy(update={"rows": rows}))
    assert "<details" in html(one.model_copy(update={"notes": ("x" * 5_000,)}))
    assert "<details" not in html(one)


def test_a_hostile_table_is_closed_and_links_only_inside_the_page() -> None:
    made = hostile()
    names = Names.of(made.study.trials)
    for one in (*made.full, *made.paper):
        text = table_html(one, made.around(one), names, "t")
        found = outline(text.encode())
        assert (found.open, found.suspects, found.scripts) == ([], [], [])
        assert all(link.startswith("#trials?") for link in found.links)
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", text)


def test_a_table_of_many_columns_is_set_tight_and_long_names_break_between_words() -> None:
    one = table("pairwise")
    row = (Cell(text="scripted:careful-and-slow"), *one.rows[0][1:])
    crowded = one.model_copy(update={"columns": one.columns * 3, "rows": (row * 3,)})
    made = html(crowded)
    assert 'class="sorted dense crowded"' in made
    assert '<bdi>scripted:<span class="part">careful-</span><span class="part">and-</span>' in made
    assert "crowded" not in html(one)
