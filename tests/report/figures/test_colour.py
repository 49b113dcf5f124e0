from __future__ import annotations

from itertools import combinations

import pytest

from replaylab.report.figures.colour import _luminance, diverging, ink_on, mixed
from replaylab.report.figures.value import BLUE, FILLS, GREEN, HATCHES, INK, ORANGE, RED, SHAPES, WHITE


def test_mixing_ends_at_both_colours_and_goes_no_further() -> None:
    assert (mixed(WHITE, BLUE, 0), mixed(WHITE, BLUE, 1)) == (WHITE, BLUE)
    assert (mixed(WHITE, BLUE, -1), mixed(WHITE, BLUE, 7)) == (WHITE, BLUE)
    assert mixed("#000000", "#102030", 0.5) == "#081018"


def test_the_sign_of_a_deviation_can_be_seen() -> None:
    assert (diverging(20, 20), diverging(-20, 20), diverging(0, 20)) == (BLUE, RED, WHITE)
    assert diverging(3, 0) == WHITE


@pytest.mark.parametrize("step", range(21))
@pytest.mark.parametrize("sign", [1, -1])
def test_text_on_every_tile_has_the_contrast_that_guidelines_ask_for(step: int, sign: int) -> None:
    fill = diverging(sign * step, 20)
    light, dark = sorted((_luminance(fill), _luminance(ink_on(fill))), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_the_three_bands_differ_in_brightness_or_hatch_and_everything_else_in_shape() -> None:
    assert len(set(HATCHES)) == len(set(SHAPES)) == len(set(FILLS)) == 8
    assert all(
        abs(_luminance(a) - _luminance(b)) > 0.01 for a, b in combinations((GREEN, ORANGE, RED, INK), 2)
    )
