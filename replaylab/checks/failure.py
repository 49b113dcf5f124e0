"""When an observation reports a failure."""

from __future__ import annotations

from replaylab.schema.base import Json


def is_error(observation: Json) -> bool:
    """Whether an observation says that its call failed.

    It does when it is an object with a non-empty `error` or `errors` that is text, an object, a list or true, with a
    `success` or `ok` of false, or with the `status` "error". A number under `error` is a measurement.
    """
    if not isinstance(observation, dict):
        return False
    for key in ("error", "errors"):
        said = observation.get(key)
        if said is True or (isinstance(said, (str, dict, list)) and said):
            return True
    if observation.get("success") is False or observation.get("ok") is False:
        return True
    status = observation.get("status")
    return isinstance(status, str) and status.casefold() == "error"
