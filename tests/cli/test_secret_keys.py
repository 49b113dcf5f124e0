from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.cli.config import load
from replaylab.errors import UsageError

SECRET = "sk-Zq8vT3nB7mK1xW5y"
TABLE = '[models.mine]\nbase_url = "https://api.example.com/v1"\n'


@pytest.mark.parametrize(
    "text",
    [
        TABLE + f'api_key = "{SECRET}"\n',
        TABLE + 'api_key = "Zq8vT3nB7mK1xW5y"\n',
        TABLE + f'api_key_env = "{SECRET}"\n',
        TABLE + 'api_key_env = "Zq8vT3nB7mK1xW5y"\n',
        TABLE + f'model = "{SECRET}"\n',
        TABLE + f'sampling = {{ user = "Bearer {SECRET}" }}\n',
        TABLE + 'sampling = { extra = { access_token = "Zq8vT3nB7mK1xW5y" } }\n',
        '[models.mine]\nbase_url = "https://user:Zq8vT3nB7mK1xW5y@api.example.com/v1"\n',
        '[models.mine]\nbase_url = "https://api.example.com/v1?key=Zq8vT3nB7mK1xW5y"\n',
        f'scenarios = ["{SECRET}"]\n',
        f'[models."{SECRET}"]\nbase_url = "https://api.example.com/v1"\n',
    ],
)
def test_a_key_in_the_file_is_refused_and_never_repeated(tmp_path: Path, text: str) -> None:
    path = tmp_path / "replaylab.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load(path)
    assert "environment" in caught.value.fix
    assert "Zq8vT3nB7mK1xW5y" not in str(caught.value)
    assert str(path) in caught.value.where


def test_names_that_only_sound_like_keys_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "replaylab.toml"
    text = TABLE + 'api_key_env = "MY_KEY"\nsampling = { max_tokens = 5 }\ntokens_per_minute = 5\n'
    path.write_text(text + '[prices."task-key"]\ninput = 1\noutput = 2\n', encoding="utf-8")
    assert load(path).models["mine"].settings.sampling == {"max_tokens": 5}
