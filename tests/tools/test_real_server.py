from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tools import real_server
from tools.real_server import options, parameters


def made(*arguments: str) -> Any:
    """The parameters that a stand-in for xllamacpp is given."""

    def common() -> SimpleNamespace:
        return SimpleNamespace(
            model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace()
        )

    return parameters(
        SimpleNamespace(CommonParams=common), options(["w.gguf", "--name", "Tiny-1", *arguments]), "k-1"
    )


def test_the_server_listens_on_loopback_only_and_wants_the_key() -> None:
    one = made()
    assert (one.hostnames, one.port, one.api_keys) == (["127.0.0.1"], 0, ["k-1"])


def test_answers_name_the_model_and_not_the_path_of_its_file() -> None:
    assert made().model_alias == {"Tiny-1"}


def test_the_context_holds_for_each_slot() -> None:
    one = made("--context", "4096", "--slots", "3", "--threads", "2")
    assert (one.n_ctx, one.n_parallel) == (3 * 4096, 3)
    assert (one.cpuparams.n_threads, one.cpuparams_batch.n_threads) == (2, 2)


def test_the_prompt_cache_is_on_unless_it_is_refused() -> None:
    assert made().cache_prompt is True
    assert made("--no-prompt-cache").cache_prompt is False


def test_without_a_key_nothing_is_served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(real_server.KEY_ENV, raising=False)
    monkeypatch.setattr("sys.argv", ["real_server.py", str(tmp_path / "w.gguf"), "--name", "Tiny-1"])
    with pytest.raises(SystemExit, match=real_server.KEY_ENV):
        real_server.main()
