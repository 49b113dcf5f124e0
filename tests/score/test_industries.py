from replaylab.catalogue.index import read_index, shipped
from replaylab.score.industries import INDUSTRIES, abbreviation, in_order, industry_of, place, title

TITLES = ["Agri", "Biz", "Comm", "Edu", "Hlth", "Ind", "Pub", "Sci", "Tech", "Trans"]


def test_the_ten_are_those_of_the_shipped_index() -> None:
    published = {entry.industry for entry in read_index(shipped())}
    assert published == {industry.name for industry in INDUSTRIES}


def test_titles_stand_in_the_published_order_and_keys_are_their_small_letters() -> None:
    assert [industry.title for industry in INDUSTRIES] == TITLES
    assert [industry.key for industry in INDUSTRIES] == [text.lower() for text in TITLES]
    assert sorted(INDUSTRIES) == list(INDUSTRIES)


def test_an_industry_is_found_by_name_and_by_abbreviation() -> None:
    for industry in INDUSTRIES:
        assert industry_of(industry.name) == industry_of(industry.key) == industry
        assert abbreviation(industry.name) == industry.key
        assert title(industry.name) == industry.title


def test_an_unknown_industry_keeps_its_name_and_sorts_after_by_it() -> None:
    assert abbreviation("Space") == title("Space") == "Space"
    names = ["Space", "Transportation & Logistics", "Alchemy", "Agriculture & Environment", "Space"]
    expected = ("Agriculture & Environment", "Transportation & Logistics", "Alchemy", "Space")
    assert in_order(names) == expected
    assert place("Space") > place("Alchemy") > place("trans") > place("agri")


def test_the_place_of_an_abbreviation_is_that_of_its_name() -> None:
    assert [place(i.key) for i in INDUSTRIES] == [place(i.name) for i in INDUSTRIES]
