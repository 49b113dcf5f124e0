from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.cli.app import App
from replaylab.cli.config import load
from replaylab.cli.keys import key_of, key_state, known_keys, secrets_of
from replaylab.errors import UsageError

MODELS = load(None).models
SECRET = "Zq8vT3nB7mK1xW5y"


def test_a_key_comes_from_the_variable_that_the_model_names() -> None:
    assert key_of(MODELS["gemini"], {"GEMINI_API_KEY": f"{SECRET}\n", "OPENAI_API_KEY": "other"}) == SECRET


def test_a_model_that_needs_no_key_has_none() -> None:
    assert key_of(MODELS["local"], {}) == ""
    assert key_state(MODELS["local"], {}) == "not needed"


def test_a_key_that_is_not_set_is_empty() -> None:
    assert [key_of(MODELS["gemini"], env) for env in ({}, {"GEMINI_API_KEY": " "})] == ["", ""]
    assert key_state(MODELS["gemini"], {"GEMINI_API_KEY": " "}) == "GEMINI_API_KEY missing"


@pytest.mark.parametrize("value", [f"{SECRET} {SECRET}", f"{SECRET}\n{SECRET}", f"{SECRET}ü"])
def test_a_key_that_no_header_can_carry_is_refused_by_name_and_not_shown(value: str) -> None:
    with pytest.raises(UsageError) as caught:
        key_of(MODELS["gemini"], {"GEMINI_API_KEY": value})
    assert "GEMINI_API_KEY" in str(caught.value)
    assert SECRET not in str(caught.value)


def test_all_keys_that_are_set_are_known_to_the_redactor() -> None:
    env = {"GEMINI_API_KEY": "b", "OPENAI_API_KEY": " a ", "DEEPSEEK_API_KEY": "", "UNRELATED": "c"}
    assert known_keys(MODELS.values(), env) == ("a", "b")


def test_secrets_are_the_keys_of_models_of_known_apis_and_of_variables_that_are_named(tmp_path: Path) -> None:
    (tmp_path / "replaylab.toml").write_text(
        '[capture]\nsecret_env = ["LAB_KEY", "UNSET"]\n[models.m]\nbase_url = "http://h/v1"\napi_key_env = "M_KEY"\n',
        encoding="utf-8",
    )
    env = {"LAB_KEY": " a ", "GROQ_API_KEY": "b", "M_KEY": "c", "OTHER_KEY": "d"}
    assert secrets_of(App(env, tmp_path)) == ("a", "b", "c")
    assert secrets_of(App(env, tmp_path.parent)) == ("b",)
