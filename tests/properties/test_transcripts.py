"""Whatever an observation is, it is read back as it was given, or wrapped and said so; and the cassette is sound."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from replaylab.cassette.stored import open_cassette
from replaylab.derive.verdict import derive
from replaylab.engine.replay import replay_cassette
from replaylab.engine.verify import deep_check
from replaylab.store.library import Library
from tests.interop.transcript.made import imported, line, step
from tests.strategies import json_values_of, texts

# A double from 2^53 on is written as an integer without an exact form; such lines are refused.
values = json_values_of(st.floats(-1e15, 1e15))


@settings(max_examples=40)
@given(
    st.lists(values, min_size=1, max_size=3),
    st.none() | texts,
)
def test_any_observation_comes_back(observations: list[Any], answer: str | None) -> None:
    steps = [{**step(), "observation": one} for one in observations]
    with tempfile.TemporaryDirectory() as folder:
        made = imported(Path(folder), json.dumps(line(steps=steps, final_answer=answer)).encode())
        library = Library(Path(folder) / "library")
        one = open_cassette(library, made.run.ledger[0].tries[0].cassette)
        found = [action.observation for action in derive(one.header, one.lanes).trajectory.actions]
        assert not list(deep_check(one))
        assert not replay_cassette(one).findings
    for given_, read in zip(observations, found, strict=True):
        if isinstance(given_, dict):
            assert read == given_
        elif not isinstance(given_, str):
            assert read == {"observation": given_}
        else:
            assert read == {"observation": given_} or isinstance(read, dict)
