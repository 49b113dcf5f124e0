from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.cli.config import load
from tools.real import TASKS, options, settings, spread
from tools.real_model import MODELS


def written(tmp_path: Path, *arguments: str) -> Path:
    path = tmp_path / "replaylab.toml"
    path.write_text(settings(MODELS["1.5b"], options(arguments), "http://127.0.0.1:5"), encoding="utf-8")
    return path


def test_the_settings_are_a_configuration_that_says_what_the_model_is(tmp_path: Path) -> None:
    model = load(written(tmp_path)).models["qwen2.5-coder-1.5b"]
    said = model.settings
    assert (said.family, said.size, said.tools, said.observations) == (
        "Qwen2.5-Coder", 1.5, "json_schema", "json_schema",
    )  # fmt: skip
    assert "Q4_K_M" in said.generation
    assert said.player == "llm"
    assert said.sampling == {"max_tokens": 700, "seed": 1, "temperature": 0.8}
    assert (model.base_url, model.api_key_env) == ("http://127.0.0.1:5/v1", "REPLAYLAB_REAL_KEY")


def test_a_recording_without_the_prompt_cache_says_so_in_its_requests(tmp_path: Path) -> None:
    model = load(written(tmp_path, "--no-prompt-cache", "--seed", "9", "--temperature", "0")).models
    assert model["qwen2.5-coder-1.5b"].settings.sampling == {
        "cache_prompt": False, "max_tokens": 700, "seed": 9, "temperature": 0.0,
    }  # fmt: skip


def test_the_address_is_no_part_of_what_is_recorded(tmp_path: Path) -> None:
    one = load(written(tmp_path)).models["qwen2.5-coder-1.5b"].settings
    assert "127.0.0.1" not in str(one)


def test_the_tasks_that_are_recorded_are_of_different_shipped_scenarios() -> None:
    catalogue = Catalogue.load([shipped()])
    assert len({catalogue.task(task).scenario.id for task in TASKS}) == len(TASKS) >= 3


@pytest.mark.parametrize(
    ("count", "chosen"), [(0, []), (1, ["a"]), (2, ["a", "c"]), (3, ["a", "b", "d"]), (9, list("abcde"))]
)
def test_tasks_are_spread_evenly_and_none_is_taken_twice(count: int, chosen: list[str]) -> None:
    assert spread(list("abcde"), count) == chosen


def test_the_data_of_occubench_is_looked_for_where_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REPLAYLAB_OCCUBENCH", "elsewhere")
    assert options([]).occubench == Path("elsewhere")
    assert options(["--occubench", "here"]).occubench == Path("here")
