from __future__ import annotations

import base64

from replaylab.report.score_figure import SVG_LIMIT, figure_html
from tests.report.recordings import EVIL
from tests.report.scored import PNG, picture


def test_a_figure_lies_in_the_page_with_its_words_and_its_size() -> None:
    drawn = picture("Overall")
    made = figure_html("overall", drawn, "table-overall")
    assert f'src="data:image/svg+xml;base64,{base64.b64encode(drawn.svg).decode()}"' in made
    assert 'alt="Ten bars: Overall" width="768" height="427"' in made
    assert '<a href="#table-overall">the table that it is drawn from</a>' in made
    for ending in ("svg", "png", "pdf"):
        assert f'<a href="figures/overall.{ending}">' in made
    assert '<figure id="figure-overall">' in made


def test_a_large_drawing_goes_in_as_a_picture() -> None:
    drawn = picture("Overall")._replace(svg=b"<svg " + b" " * SVG_LIMIT)
    made = figure_html("overall", drawn, None)
    assert f'src="data:image/png;base64,{base64.b64encode(PNG).decode()}"' in made
    assert "width=" not in made
    assert "drawn from" not in made


def test_words_of_a_figure_are_escaped() -> None:
    drawn = picture("x")._replace(title=EVIL, alt=EVIL)
    made = figure_html("overall", drawn, None)
    assert "<script" not in made
    assert 'onerror="' not in made
