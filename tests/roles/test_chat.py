from __future__ import annotations

import pytest

from replaylab.roles.chat import canonical_text, correction, message, response_format, until_end
from replaylab.roles.parsing import Unparsable
from replaylab.schema.completion import Completion


def test_every_value_enters_a_message_in_one_form() -> None:
    assert canonical_text({"b": 1.0, "a": "ü"}) == canonical_text({"a": "ü", "b": 1}) == '{"a":"ü","b":1}'


def test_a_schema_is_asked_for_strictly() -> None:
    schema = {"type": "object"}
    wanted = response_format("vote", schema)["response_format"]
    assert wanted == {
        "type": "json_schema",
        "json_schema": {"name": "vote", "strict": True, "schema": schema},
    }


@pytest.mark.parametrize("prompt", ["simulator_again", "verifier_again"])
@pytest.mark.parametrize(("text", "shown"), [("No.", "No."), ("", "(empty)")])
def test_asking_again_shows_the_answer_and_says_what_was_wrong(prompt: str, text: str, shown: str) -> None:
    said, asked = correction(prompt, Completion(text=text), Unparsable("it has no JSON"))
    assert said == message("assistant", shown)
    assert asked["role"] == "user"
    assert "it has no JSON" in asked["content"]


class Known:
    """A chat that wants to know its end."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def ask(self, messages: object, *, tools: object = (), extra: object = None) -> Completion:
        return Completion()

    def finish(self) -> None:
        self.told.append("finished")

    def stop(self) -> None:
        self.told.append("stopped")


def test_a_chat_is_told_how_its_conversation_ended() -> None:
    chat = Known()
    with until_end(chat):
        pass
    with pytest.raises(KeyboardInterrupt), until_end(chat):
        raise KeyboardInterrupt
    assert chat.told == ["finished", "stopped"]


def test_a_chat_that_need_not_know_is_left_alone() -> None:
    class Plain:
        def ask(self, messages: object, *, tools: object = (), extra: object = None) -> Completion:
            return Completion()

    with until_end(Plain()):
        pass
