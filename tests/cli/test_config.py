from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.builtin.models import Models
from replaylab.catalogue.loader import Catalogue
from replaylab.cli.config import BUILT_IN, Config, load, resolve
from replaylab.errors import UsageError

MINE = '[models.mine]\nbase_url = "https://api.example.com/v1"\n'


def config(tmp_path: Path, text: str) -> Config:
    path = tmp_path / "replaylab.toml"
    path.write_text(text, encoding="utf-8")
    return load(path)


def refused(tmp_path: Path, text: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        config(tmp_path, text)
    return caught.value


def test_the_shipped_models_need_only_a_key() -> None:
    models = load(None).models
    for name in ("gemini", "gpt", "qwen", "claude", "deepseek"):
        assert models[name].base_url.startswith("https://")
        assert models[name].api_key_env.endswith("_API_KEY")
        assert models[name].settings.family == name
    assert models["local"].api_key_env == ""
    assert models["local"].base_url == "http://127.0.0.1:8080/v1"


def test_built_in_models_are_programs() -> None:
    models = load(None).models
    assert {models[name].settings.player for name in BUILT_IN} == {"program"}
    assert {"twin", "example", "scripted:careful", "rubric", "coin"} <= BUILT_IN.keys()


def test_the_list_of_built_in_models_is_that_of_the_programs() -> None:
    assert set(BUILT_IN) == set(Models(Catalogue.load([]), ()).programs)


def test_a_built_in_name_is_taken(tmp_path: Path) -> None:
    assert "built-in" in refused(tmp_path, '[models.twin]\nbase_url = "https://a.example/v1"\n').what


def test_every_setting_of_a_model_arrives(tmp_path: Path) -> None:
    text = MINE + (
        'model = "m"\napi_key_env = "MY_KEY"\nsampling = { temperature = 0.5, seed = 7 }\ntools = "json_schema"\n'
        'observations = "json_schema"\nstream = true\nrequests_per_minute = 6\ntokens_per_minute = 7\ntimeout_s = 8\n'
        'max_attempts = 9\nfamily = "f"\nsize = 1.5\ngeneration = "g"\neffort = "e"\nplayer = "human"\n'
        "price = { input = 0.1, output = 0.2, cached = 0.05 }\n"
    )
    mine = config(tmp_path, text).models["mine"]
    assert mine.settings.model_dump() == {
        "alias": "mine", "model": "m", "player": "human", "tools": "json_schema", "observations": "json_schema",
        "stream": True, "sampling": {"temperature": 0.5, "seed": 7}, "family": "f", "size": 1.5, "generation": "g",
        "effort": "e",
    }  # fmt: skip
    assert (mine.api_key_env, mine.requests_per_minute, mine.tokens_per_minute) == ("MY_KEY", 6, 7)
    assert (mine.timeout_s, mine.max_attempts, mine.source) == (8, 9, "config")
    assert mine.price is not None
    assert str(mine.price.input) == "0.1"


def test_a_model_without_a_model_name_is_asked_for_by_its_alias(tmp_path: Path) -> None:
    assert config(tmp_path, MINE).models["mine"].settings.model == "mine"


def test_a_table_over_a_shipped_model_keeps_the_rest(tmp_path: Path) -> None:
    gemini = config(tmp_path, "[models.gemini]\nrequests_per_minute = 5\n").models["gemini"]
    assert gemini.requests_per_minute == 5
    assert gemini.settings == load(None).models["gemini"].settings


def test_another_model_name_drops_the_facts_about_the_shipped_one(tmp_path: Path) -> None:
    gpt = config(tmp_path, '[models.gpt]\nmodel = "other"\n').models["gpt"]
    assert (gpt.settings.family, gpt.settings.generation, gpt.settings.effort) == ("", "", "")
    assert gpt.settings.sampling == {}
    assert gpt.api_key_env == "OPENAI_API_KEY"


def test_another_address_never_gets_the_key_of_the_shipped_one(tmp_path: Path) -> None:
    gpt = config(tmp_path, '[models.gpt]\nbase_url = "https://elsewhere.example/v1"\n').models["gpt"]
    assert gpt.api_key_env == ""


@pytest.mark.parametrize(
    ("text", "line", "near"),
    [
        (MINE + 'modle = "x"\n', 3, "model"),
        (MINE + "price = { input = 1, outptu = 2 }\n", 3, "output"),
        (MINE + "[models.mine.price]\ninput = 1\noutptu = 2\n", 5, "output"),
        ('[record]\n\nagnet = "x"\n', 3, "agent"),
        ("# comment\n[modles.x]\na = 1\n", 2, "models"),
        ('senarios = ["x"]\n', 1, "scenarios"),
        ('[prices."a.b"]\ninput = 1\noutput = 1\ncahced = 1\n', 4, "cached"),
    ],
)
def test_an_unknown_key_is_refused_with_its_line_and_the_closest(
    tmp_path: Path, text: str, line: int, near: str
) -> None:
    error = refused(tmp_path, text)
    assert error.where == f"{tmp_path / 'replaylab.toml'}:{line}"
    assert error.closest == near


@pytest.mark.parametrize(
    "text",
    [
        MINE + 'tools = "natve"\n',
        MINE + "timeout_s = 0\n",
        MINE + "max_attempts = 0\n",
        MINE + "requests_per_minute = -1\n",
        MINE + "price = { input = -1, output = 1 }\n",
        MINE + "sampling = { temperature = nan }\n",
        MINE + "sampling = { since = 2020-01-01 }\n",
        MINE + 'sampling = { model = "other" }\n',
        '[models.mine]\nbase_url = "ftp://x"\n',
        '[models.mine]\nmodel = "x"\n',
        "[record]\nagent = 5\n",
        "[record]\ntrials = 0\n",
        "models = 3\n",
    ],
)
def test_a_wrong_value_is_refused_with_file_and_line(tmp_path: Path, text: str) -> None:
    error = refused(tmp_path, text)
    assert error.where.startswith(f"{tmp_path / 'replaylab.toml'}:")


def test_a_message_names_the_key_as_it_stands_in_the_file(tmp_path: Path) -> None:
    assert refused(tmp_path, "[record]\nagent = 5\n").what.startswith("record.agent: ")


def test_what_is_not_toml_or_not_utf8_is_refused_with_the_file(tmp_path: Path) -> None:
    assert "line 1" in refused(tmp_path, "a = \nb = 1").what
    path = tmp_path / "replaylab.toml"
    path.write_bytes(b"# \xff\n")
    with pytest.raises(UsageError) as caught:
        load(path)
    assert caught.value.where == str(path)


def test_scenario_folders_are_relative_to_the_file(tmp_path: Path) -> None:
    assert config(tmp_path, 'scenarios = ["a", "/b"]\n').scenarios == (tmp_path / "a", Path("/b"))


def test_a_default_of_record_is_one_name_or_several(tmp_path: Path) -> None:
    record = config(tmp_path, '[record]\nagent = "a"\nsim = ["b", "c"]\n').record
    assert (record.names("agent"), record.names("sim"), record.names("verifier")) == (("a",), ("b", "c"), ())


def test_an_unknown_model_gets_the_closest_name() -> None:
    with pytest.raises(UsageError) as caught:
        resolve("gemni", load(None))
    assert caught.value.closest == "gemini"
    assert resolve("gemini", load(None)).alias == "gemini"


@pytest.mark.parametrize("url", ["127.0.0.1:8080/v1", "localhost/v1", "ftp://host/v1"])
def test_an_address_without_a_scheme_is_told_which_to_write(tmp_path: Path, url: str) -> None:
    error = refused(tmp_path, f'[models.mine]\nbase_url = "{url}"\n')
    assert error.what == "models.mine.base_url: must begin with http:// or https://"
    assert error.where.endswith("replaylab.toml:2")


def test_a_value_that_is_none_of_those_allowed_is_told_them(tmp_path: Path) -> None:
    error = refused(tmp_path, MINE + 'player = "robot"\n')
    assert error.what == 'models.mine.player: must be "llm", "program" or "human"'


def test_a_file_that_is_not_toml_says_on_which_line_and_what_to_write(tmp_path: Path) -> None:
    error = refused(tmp_path, MINE + "model = gpt-5\n")
    assert error.where.endswith("replaylab.toml:3")
    assert 'name = "text"' in error.fix


@pytest.mark.parametrize(
    "text",
    [
        MINE + "timeout_s = inf",
        MINE + "timeout_s = 1e300",
        MINE + "size = inf",
        "[record]\nmax_cost = inf",
        "[record]\ntrials = 99999999999",
        "[record]\njobs = 99999999999",
    ],
)
def test_a_number_that_nobody_means_is_refused_at_its_line(tmp_path: Path, text: str) -> None:
    assert "replaylab.toml:" in refused(tmp_path, text).where


def capture_error(tmp_path: Path, text: str) -> UsageError:
    path = tmp_path / "replaylab.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load(path)
    return caught.value


RULES = "[[capture.normalise]]\npattern = '[0-9]+'\n\n[[capture.normalise]]\n"


@pytest.mark.parametrize(
    ("rest", "line", "message"),
    [
        ("patern = 'x'\n", 5, "unknown key 'capture.normalise.1.patern'"),
        ("pointer = '/a'\npattern = 3\n", 6, "capture.normalise.1.pattern"),
        ("endpoint = 'openai'\n", 4, "names nothing"),
        ("pattern = '(a+)+'\n", 4, "run away"),
        ("pointer = 'messages'\n", 4, "not a JSON pointer"),
    ],
)
def test_a_rule_that_is_no_good_is_named_by_its_own_line(
    tmp_path: Path, rest: str, line: int, message: str
) -> None:
    error = capture_error(tmp_path, RULES + rest)
    assert message in error.what
    assert error.where.endswith(f"replaylab.toml:{line}")


@pytest.mark.parametrize("value", ['"Qz8vT3nB7mK1xW5y"', '["A_KEY", "not a name"]'])
def test_a_secret_in_place_of_a_variables_name_is_refused_and_not_shown(tmp_path: Path, value: str) -> None:
    error = capture_error(tmp_path, f"[capture]\nsecret_env = {value}\n")
    assert "names of environment variables" in error.what
    assert "Qz8vT3nB7mK1xW5y" not in str(error)


def test_rules_of_captures_are_read_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "replaylab.toml"
    path.write_text(RULES + "pointer = '/metadata'\nreplace = 'X'\n", encoding="utf-8")
    first, second = load(path).capture.normalise
    assert (first.pattern, second.pointer, second.replace) == ("[0-9]+", "/metadata", "X")
    assert capture_error(tmp_path, "[capture]\nnormalize = []\n").closest == "normalise"
