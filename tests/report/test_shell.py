from __future__ import annotations

import json
import re

from replaylab.report.markup import Html
from replaylab.report.shell import frame, main
from tests.report.test_page import outline


def test_pictures_are_allowed_only_where_they_are_wanted_and_only_from_the_page_itself() -> None:
    plain = outline(frame("t", main("x"), ("base.css", "page.js"))).policy
    with_images = outline(frame("t", main("x"), ("base.css", "page.js"), images=True)).policy
    assert "img-src" not in plain
    assert with_images == plain.replace(" base-uri", " img-src data:; base-uri")


def test_styles_and_scripts_are_joined_in_order() -> None:
    page = frame("t", Html(""), ("base.css", "page.css", "page.js")).decode()
    assert page.index("--page:") < page.index(".turns {")
    assert page.count("<style>") == 1


def test_data_can_end_no_script() -> None:
    value = {"a": "</script><!-- <script>", "b": ["\u2028", "é"]}
    page = frame("t", Html(""), ("base.css", "page.js"), data={"d": value}).decode()
    found = re.search(r'<script type="application/json" id="d">(.*?)</script>', page)
    assert found is not None
    assert "<" not in found[1]
    assert json.loads(found[1]) == value


def test_the_title_is_escaped() -> None:
    assert b"<title>&lt;b&gt;</title>" in frame("<b>", Html(""), ("base.css", "page.js"))


def test_what_is_hidden_in_a_title_is_told_without_an_element() -> None:
    assert b"<title>a U+202Eb</title>" in frame("a \u202eb", Html(""), ("base.css", "page.js"))
