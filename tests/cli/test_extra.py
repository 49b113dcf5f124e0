from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

from replaylab.cli.extra import how_to_get, require_extra
from tests.cli.conftest import Call

REPO = Path(__file__).parents[2]


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


def test_every_extra_has_a_target_that_installs_it_and_stands_in_the_help() -> None:
    extras = set(
        tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"][
            "optional-dependencies"
        ]
    )
    makefile = (REPO / "Makefile").read_text(encoding="utf-8")
    listed = re.search(r"^EXTRAS := (.+)$", makefile, re.MULTILINE)
    assert listed is not None
    assert set(listed[1].split()) == extras - {"test"}
    readme = (REPO / "README.md").read_text(encoding="utf-8")
    for extra in extras:
        assert f"make {extra} " in makefile
        assert f"`make {extra}`" in how_to_get(extra)
        assert f"`make {extra}`" in readme or f"make {extra}  " in readme
