from __future__ import annotations

from replaylab.builtin.seeded.draw import Draw
from replaylab.builtin.seeded.names import near_duplicate, sibling, strange
from tests.builtin.seeded.crafted import LIST, ground

WHERE = ground(LIST, heard="D-5 and D-6 were spoken of")


def test_a_sibling_is_of_the_family_and_new() -> None:
    names = {sibling(WHERE, Draw(number), ["D-1", "D-4"]) for number in range(30)}
    assert names == {"D-7"}
    words = {sibling(WHERE, Draw(number), ["k.osei"]) for number in range(30)}
    assert len(words) > 3
    assert all(name and name.startswith("k.") and name != "k.osei" for name in words)


def test_a_near_duplicate_keeps_most_of_a_name() -> None:
    names = {near_duplicate(WHERE, Draw(number), ["PX-118"]) for number in range(40)}
    assert names == {"PX-181", "PX-1188", "PX-118A"}


def test_a_name_that_has_been_said_is_never_taken() -> None:
    said = ground(LIST, heard="annex q overflow 2 temp-entry sector nine misc_extra")
    assert {strange(said, Draw(number)) for number in range(20)} == {"Zeta Reserve"}
    assert strange(ground(LIST, heard=said.heard + " zeta reserve"), Draw(1)) is None
