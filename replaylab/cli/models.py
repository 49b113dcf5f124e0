"""`replaylab models`: who can play."""

from __future__ import annotations

import click

from replaylab.cli.app import App, json_option, pass_app
from replaylab.cli.config import BUILT_IN, ModelConfig
from replaylab.cli.help import Command
from replaylab.cli.keys import key_state


@click.command(
    cls=Command,
    examples=(
        ("replaylab models", "lists every model that --agent, --sim and --verifier take"),
        (
            "replaylab models --json | jq -r '.models[] | select(.ready) | .alias'",
            "those that can play right now",
        ),
    ),
)
@json_option
@pass_app
def command(app: App) -> None:
    """List the models that can play a role: built-in programs, ready-made ones, and those of replaylab.toml.

    A key is looked for in the environment, under the variable that the list names; its value is never shown.
    """
    models = sorted(app.config.models.values(), key=lambda model: (_ORDER[model.source], model.alias))
    app.output.table(
        ("alias", "played by", "model", "endpoint", "key"),
        [
            (one.alias, _player(one), one.settings.model, one.base_url, key_state(one, app.env))
            for one in models
        ],
    )
    app.output.document(ok=True, models=[_described(one, app) for one in models])


_ORDER = {"config": 0, "shipped": 1, "built-in": 2}


def _player(model: ModelConfig) -> str:
    role = BUILT_IN[model.alias][0] if model.source == "built-in" else ""
    return f"{model.settings.player} ({role})" if role else model.settings.player


def _described(model: ModelConfig, app: App) -> dict[str, object]:
    role, summary = BUILT_IN[model.alias] if model.source == "built-in" else ("", "")
    has_key = bool(app.env.get(model.api_key_env, "").strip()) if model.api_key_env else None
    return {
        "alias": model.alias,
        "source": model.source,
        "role": role or None,
        "summary": summary or None,
        "base_url": model.base_url or None,
        "api_key_env": model.api_key_env or None,
        "key_set": has_key,
        "ready": has_key is not False,
        "settings": model.settings.model_dump(mode="json"),
        "price": model.price.model_dump(mode="json") if model.price else None,
    }
