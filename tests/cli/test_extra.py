from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from replaylab.cli.extra import require_extra
from tests.cli.conftest import Call


def test_without_the_package_it_is_said_how_to_get_it(
    call: Call, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_extra()
    assert study.is_dir()
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "cryptography" else real(name)
    )
    for words in (["sign", "study", "--key", "k"], ["verify", "--key", "k"]):
        ended = call(*words)
        assert (ended.code, "make sign" in ended.err) == (2, True)
