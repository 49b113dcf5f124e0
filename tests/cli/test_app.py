from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.cli.app import App
from replaylab.errors import UsageError


def test_a_command_line_to_copy_repeats_the_global_options_that_were_given() -> None:
    app = App({}, Path("/here"))
    assert app.again("runs") == "replaylab runs"
    app.library_option, app.config_option = Path("my lib"), Path("c.toml")
    assert app.again("runs") == "replaylab --library 'my lib' --config c.toml runs"


def test_what_the_environment_says_is_not_repeated() -> None:
    app = App({"REPLAYLAB_LIBRARY": "lib", "REPLAYLAB_CONFIG": "a.toml"}, Path("/here"))
    app.library_option, app.config_option = Path("lib"), Path("b.toml")
    assert app.again("runs") == "replaylab --config b.toml runs"


def test_a_command_without_need_of_the_configuration_does_not_read_it(tmp_path: Path) -> None:
    (tmp_path / "replaylab.toml").write_text("no toml", encoding="utf-8")
    app = App({}, tmp_path)
    assert app.library == tmp_path / "cassettes"
    with pytest.raises(UsageError):
        _ = app.config


def test_a_relative_library_is_meant_from_the_current_folder(tmp_path: Path) -> None:
    app = App({}, tmp_path)
    app.library_option = Path("lib")
    assert app.library == tmp_path / "lib"
