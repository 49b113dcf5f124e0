"""The keys of the models: where they are looked for, and that nobody shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from replaylab.cli.config import ModelConfig
from replaylab.errors import UsageError

if TYPE_CHECKING:
    from replaylab.cli.app import App


def key_of(model: ModelConfig, env: Mapping[str, str]) -> str:
    """The key of a model out of the environment, without space around it; "" where it needs none or none is set.

    Raises UsageError when it holds what no header can carry.
    """
    key = env.get(model.api_key_env, "").strip() if model.api_key_env else ""
    if key.isascii() and (key.isprintable() and " " not in key):
        return key
    raise UsageError(
        f"the key of {model.alias!r} holds a space or a character that no header can carry",
        where=f"environment variable {model.api_key_env}",
        fix="set it again; the key alone, without quotes or a second line",
    )


def key_state(model: ModelConfig, env: Mapping[str, str]) -> str:
    """`NAME set`, `NAME missing`, or `not needed`."""
    if not model.api_key_env:
        return "not needed"
    return f"{model.api_key_env} {'set' if env.get(model.api_key_env, '').strip() else 'missing'}"


def known_keys(models: Iterable[ModelConfig], env: Mapping[str, str]) -> tuple[str, ...]:
    """All keys that are set, each once, so that a redactor can look for their values."""
    found = {env.get(model.api_key_env, "").strip() for model in models if model.api_key_env}
    return tuple(sorted(found - {""}))


def secrets_of(app: App) -> tuple[str, ...]:
    """Every secret whose value is known here: keys of models, of the APIs that programs are told, and of `secret_env`."""
    from replaylab.capture.variables import known_secrets

    config, env = app.config, app.env
    named = {env.get(name, "").strip() for name in config.capture.secret_names}
    return tuple(sorted({*known_keys(config.models.values(), env), *known_secrets(env), *named} - {""}))
