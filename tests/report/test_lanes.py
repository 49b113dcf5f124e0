from __future__ import annotations

import re

from replaylab.report.lanes import Shown, lanes_html
from replaylab.store.library import Library
from tests.report.recordings import EVIL, JUDGED, trial


def test_every_interaction_is_there_with_its_path_and_digest(study: Library) -> None:
    shown = trial(study, "study", lambda key: key == JUDGED)
    made = lanes_html(shown, "t0", Shown())
    for lane in shown.cassette.lanes.values():
        for row in lane:
            assert f"<code>{row.path}</code>" in made
            assert row.request.digest in made


def test_a_blob_is_written_once_and_linked_to_from_then_on(study: Library) -> None:
    shown = trial(study, "study", lambda key: key == JUDGED)
    made = lanes_html(shown, "t0", Shown())
    anchors = re.findall(r'id="(b-[0-9a-f]+)"', made)
    links = re.findall(r'href="#(b-[0-9a-f]+)"', made)
    assert len(anchors) == len(set(anchors)) > 0
    assert set(links) <= set(anchors)
    tools = shown.cassette.lanes["agent"][0].request.tools
    assert tools is not None
    assert links.count(f"b-{tools[:16]}") == len(shown.cassette.lanes["agent"]) - 1


def test_a_request_says_what_it_continues(study: Library) -> None:
    made = lanes_html(trial(study, "study"), "t0", Shown())
    assert "The first 2 messages of #0, and then:" in made


def test_a_failed_attempt_says_what_failed(broken: Library) -> None:
    made = lanes_html(trial(broken, "broken"), "t0", Shown())
    assert "Attempt 0: 400" in made
    assert "the engine is on fire" in made


def test_raw_bodies_are_escaped(hostile: Library) -> None:
    made = lanes_html(trial(hostile, "hostile"), "t0", Shown())
    assert EVIL not in made
    assert "<img" not in made
    assert "<script" not in made
