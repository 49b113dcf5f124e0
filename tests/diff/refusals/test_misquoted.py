"""Sentences of the contract with another number in them."""

from __future__ import annotations

from replaylab.diff.refusals.misquoted import misquoted_sentence
from replaylab.diff.words.sentences import Sentence
from tests.diff.kiln import pottery
from tests.diff.ward import call, found

RULE = Sentence("A sample has to have at least `20` ml left in it.", "/system_prompt")


def test_a_repeated_sentence_has_its_own_numbers() -> None:
    assert misquoted_sentence("refused: a sample has to have at least 20 ml left in it", [RULE]) == ""
    assert misquoted_sentence("refused: a sample has to have at least 35 ml left in it", [RULE]) == RULE.text


def test_other_words_are_no_quotation() -> None:
    assert misquoted_sentence("a sample has less than 35 ml", [RULE]) == ""
    short = Sentence("At most 20 ml.", "/system_prompt")
    assert misquoted_sentence("at most 35 ml", [short]) == ""


def test_a_sentence_that_stands_there_as_it_is_may_be_like_another() -> None:
    other = Sentence("A sample has to have at least 35 ml left in it.", "/tools/0/description")
    assert misquoted_sentence("a sample has to have at least 35 ml left in it", [RULE, other]) == ""


def test_numbers_before_the_sentence_do_not_count() -> None:
    assert misquoted_sentence("rule 7: a sample has to have at least 20 ml left in it", [RULE]) == ""


def test_a_refusal_that_changes_the_number_of_a_rule_does_not_hold() -> None:
    def said(minutes: int) -> list[tuple[str, ...]]:
        text = f"A day shift lasts at most {minutes} minutes."
        return found(call("fire_kiln", {"error": text}, kiln_id="K-1", minutes=200), of=pottery())

    assert said(180) == []
    assert said(900) == [("rule_invention", "untrue_reason", "")]  # 900 is the temperature of K-1


def test_a_part_of_a_sentence_is_repeated_too() -> None:
    whole = Sentence(
        "Does it dry? Only by time: `wait` lets 5 to 180 minutes go by, within the day.", "/system_prompt"
    )
    assert misquoted_sentence("refused: only by time: wait lets 5 to 180 minutes go by", [whole]) == ""
    assert (
        misquoted_sentence("refused: only by time: wait lets 5 to 420 minutes go by", [whole]) == whole.text
    )
    assert misquoted_sentence("wait lets 5 to 420 minutes pass", [whole]) == ""  # its own words
