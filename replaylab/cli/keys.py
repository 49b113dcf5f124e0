"""The keys of the models: where they are looked for, and that nobody shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from replaylab.cli.config import ModelConfig
from replaylab.errors import UsageError


def key_of(model: ModelConfig, env: Mapping[str, str]) -> str:
    """The key of a model out of the environment, "" for a model that needs none.

    Raises UsageError when the variable is unset, or holds what no header can carry.
    """
    if not model.api_key_env:
        return ""
    key = env.get(model.api_key_env, "").strip()
    where = f"the environment variable {model.api_key_env}"
    if not key:
        fix = f"export {model.api_key_env}=…; or choose a model that needs no key: `replaylab models`"
        raise UsageError(f"the model {model.alias!r} has no key", where=where, fix=fix)
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(
            f"the key of {model.alias!r} holds a space or a character that no header can carry", where=where
        )
    return key


def key_state(model: ModelConfig, env: Mapping[str, str]) -> str:
    """`NAME set`, `NAME missing`, or `not needed`."""
    if not model.api_key_env:
        return "not needed"
    return f"{model.api_key_env} {'set' if env.get(model.api_key_env, '').strip() else 'missing'}"


def known_keys(models: Iterable[ModelConfig], env: Mapping[str, str]) -> tuple[str, ...]:
    """All keys that are set, each once, so that a redactor can look for their values."""
    found = {env.get(model.api_key_env, "").strip() for model in models if model.api_key_env}
    return tuple(sorted(found - {""}))
