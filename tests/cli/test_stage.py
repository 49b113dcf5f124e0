from __future__ import annotations

import threading
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from replaylab.cli.app import App
from replaylab.cli.stage import (
    built_in,
    catalogue_of,
    check_twins,
    live_chats,
    models_of,
    price_table,
    redactor_of,
    trusted_folders,
)
from replaylab.engine.gate import Gate, Stopped
from replaylab.errors import UsageError
from replaylab.schema.interaction import Usage
from tests.catalogue.folders import TWIN, put, scenario

AWAY = '[models.away]\nbase_url = "http://127.0.0.1:9/v1"\nprice = { input = 2, output = 4 }\n'


@pytest.fixture
def app(tmp_path: Path) -> App:
    folder = scenario(tmp_path / "own")
    put(folder / "environments" / "yard" / "twin.py", TWIN)
    (tmp_path / "replaylab.toml").write_text('scenarios = ["own"]\n' + AWAY, encoding="utf-8")
    return App({}, tmp_path)


def test_the_catalogue_holds_the_shipped_the_configured_and_the_named_scenarios(
    app: App, tmp_path: Path
) -> None:
    scenario(tmp_path / "more", name="doors", environment="house", task="doors-1")
    ids = {one.id for one in catalogue_of(app, [Path("more")]).scenarios}
    assert {"emergency-department-triage", "gates", "doors"} <= ids


def test_the_same_folder_by_two_names_is_read_once(app: App, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "own")
    assert [one.id for one in catalogue_of(app, [Path("own"), Path("link")]).scenarios].count("gates") == 1


def test_only_ones_own_folders_are_trusted_by_the_option(app: App, tmp_path: Path) -> None:
    assert trusted_folders(app, [Path("more")]) == [tmp_path / "own", tmp_path / "more"]


def test_a_twin_that_is_not_trusted_is_refused_only_when_it_is_to_play(app: App, tmp_path: Path) -> None:
    catalogue, twin = catalogue_of(app), models_of(app, ["twin"], "simulator")
    with pytest.raises(UsageError, match="not trusted") as refused:
        check_twins(catalogue, ["gates-1"], twin, [])
    assert "--trust-twins" in refused.value.fix
    check_twins(catalogue, ["gates-1"], twin, [tmp_path / "own"])
    check_twins(catalogue, ["gates-1"], models_of(app, ["example"], "simulator"), [])
    for name in ("twin+fabricate", "twin+omit", "twin+invent", "twin+contradict"):
        with pytest.raises(UsageError) as same:
            check_twins(catalogue, ["gates-1"], models_of(app, [name], "simulator"), [])
        assert (same.value.what, same.value.fix) == (refused.value.what, refused.value.fix)
    check_twins(catalogue, ["ed-sepsis-room"], twin, [])


def test_a_model_of_the_configuration_may_play_any_role(app: App) -> None:
    for role in ("agent", "simulator", "verifier"):
        assert models_of(app, ["away"], role)[0].alias == "away"
    with pytest.raises(UsageError, match="plays the verifier, not the agent"):
        models_of(app, ["coin"], "agent")


def test_a_price_of_the_configuration_counts_and_an_unknown_one_is_none(app: App) -> None:
    cost = price_table(app, models_of(app, ["away"], "agent"))
    usage = Usage(prompt_tokens=1_000_000, completion_tokens=500_000)
    assert cost("away", usage) == Decimal(4)
    assert cost("somebody", usage) is None


def test_the_redactor_knows_every_key_that_is_set(tmp_path: Path) -> None:
    key = "zzqqyy-not-like-any-vendors-key-31"
    app = App({"OPENAI_API_KEY": key}, tmp_path)
    assert key not in str(redactor_of(app).value({"a": f"it is {key}"}))


def test_a_missing_key_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    app = App({}, tmp_path)
    with pytest.raises(UsageError, match="needs an API key"):
        live_chats(
            app,
            models_of(app, ["gpt"], "agent"),
            built_in(catalogue_of(app)),
            jobs=1,
            gate=Gate(1),
            redactor=redactor_of(app),
        )


def test_a_wait_of_the_wire_ends_as_soon_as_the_run_is_stopped(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside: list[Any] = []

    class Seen:
        def __init__(self, endpoints: Any, given: Any, inners: Any) -> None:
            outside.append(given)

    monkeypatch.setattr("replaylab.wire.client.Chats", Seen)
    gate = Gate(1)
    models = models_of(app, ["away"], "agent")
    live_chats(app, models, built_in(catalogue_of(app)), jobs=1, gate=gate, redactor=redactor_of(app))
    threading.Timer(0.05, gate.stop).start()
    begun = time.monotonic()
    with pytest.raises(Stopped):
        outside[0].sleep(60)
    assert time.monotonic() - begun < 30
