"""Whether a state is about one thing alone, so that who asks for that thing asks for all that the state holds."""

from __future__ import annotations

from replaylab.diff.contract.contract import Contract
from replaylab.diff.words.identity import stem, words


def is_about_one(contract: Contract, sort: str) -> bool:
    """Whether the fields of the state, or what is said of them, tell of one thing of a sort, and no collection holds such:
    `vehicle_location`, `patient_profile`, or "how engaged the student is".
    """
    environment = contract.environment
    told = any(
        stem(name) == sort
        for field, value in environment.initial_state.items()
        if not isinstance(value, list)
        for name in words(field)[:1]
    )
    said = [
        word
        for text in environment.state_description.values()
        if isinstance(text, str)
        for word in words(text)
        if stem(word) == sort
    ]
    one = bool(said) and all(word == said[0] and not word.endswith("s") for word in said)
    return (told or one) and not any(
        sort in each.heads or each.stems == {sort} for each in contract.collections if each.shape != "single"
    )
