from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from replaylab.builtin.responder import Responder
from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.catalogue.twin import load_twin
from replaylab.schema.model import ModelSettings
from tests.builtin.playing import action, asked, said, system, told

FREE = ModelSettings(alias="twin", model="twin")
ROOMS: list[tuple[str, Any]] = [
    ("list_places", {}),
    ("assess_patient", {"patient": "P-133"}),
    ("discharge_patient", {"patient": "P-118", "place": "ER-2"}),
    ("place_patient", {"patient": "P-133", "place": "ER-2"}),
    ("clean_place", {"place": "ER-2"}),
    ("place_patient", {"patient": "P-133", "place": "ER-2"}),
    ("no_such_tool", {}),
    ("get_patient", {"patient": "P-133", "extra": 1}),
    ("get_patient", {"patient": "P-133"}),
]


def conversation(models: Responder, start: dict[str, Any], calls: Any, heard: str = "") -> list[Any]:
    """The observations of these calls, each asked with the history before it; `heard` replaces what it says."""
    messages, observations = [start], []
    for tool, arguments in calls:
        messages.append(action(tool, arguments))
        status, answer = asked(models, "twin", *messages)
        assert status == 200, answer
        observations.append(json.loads(said(answer)))
        messages.append(told(heard or said(answer)))
    return observations


@pytest.fixture
def expected(catalogue: Catalogue) -> list[Any]:
    environment = catalogue.environment("ed-two-rooms")
    twin = load_twin(catalogue.folder_of(environment.id), environment, trusted=[shipped()])
    return [twin.call(tool, arguments) for tool, arguments in ROOMS]


def test_observations_are_those_of_the_twin(catalogue: Catalogue, models: Responder, expected: Any) -> None:
    assert conversation(models, system(catalogue), ROOMS) == expected


def test_a_prompt_for_bound_observations_is_known_too(
    catalogue: Catalogue, models: Responder, expected: Any
) -> None:
    bound = FREE.model_copy(update={"observations": "json_schema"})
    assert conversation(models, system(catalogue, bound), ROOMS) == expected


def test_the_state_follows_from_actions_and_not_from_what_was_said(
    catalogue: Catalogue, models: Responder, expected: Any
) -> None:
    assert conversation(models, system(catalogue), ROOMS, heard='{"places": []}') == expected


def test_a_new_process_answers_in_the_middle_of_a_conversation(catalogue: Catalogue, expected: Any) -> None:
    messages = [system(catalogue)]
    for tool, arguments in ROOMS:
        messages += [action(tool, arguments), told("{}")]
    _, answer = asked(Responder(catalogue), "twin", *messages[:-1])
    assert json.loads(said(answer)) == expected[-1]


def test_conversations_in_many_threads_do_not_mix(catalogue: Catalogue, expected: Any) -> None:
    shared = Responder(catalogue)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: conversation(shared, system(catalogue), ROOMS), range(24)))
    assert found == [expected] * 24


def test_a_branch_of_a_conversation_starts_from_its_own_past(catalogue: Catalogue, models: Responder) -> None:
    start = system(catalogue)
    conversation(models, start, ROOMS)
    assert "P-133" in str(conversation(models, start, [ROOMS[0], ("list_waiting", {})])[1])


def test_an_unknown_prompt_is_refused(models: Responder) -> None:
    unknown = {"role": "system", "content": "You are a bank."}
    status, body = asked(models, "twin", unknown, action("list_places", {}))
    assert status == 400
    assert "`example`" in body["error"]["message"]


def copied(tmp_path: Path, twin: str | None) -> Catalogue:
    """The shipped emergency department in a folder of its own, with another twin or none."""
    folder = tmp_path / "ed"
    shutil.copytree(shipped() / "emergency-department-triage", folder)
    file = folder / "environments" / "ed-two-rooms" / "twin.py"
    file.unlink()
    if twin is not None:
        file.write_text(twin, encoding="utf-8")
    return Catalogue.load([folder])


def test_an_environment_without_a_twin_is_refused_with_what_to_do(tmp_path: Path) -> None:
    catalogue = copied(tmp_path, None)
    status, body = asked(Responder(catalogue), "twin", system(catalogue), action("list_places", {}))
    assert status == 400
    assert "ed-two-rooms has no twin" in body["error"]["message"]
    assert "`example`" in body["error"]["message"]


def test_a_twin_from_a_folder_that_is_not_trusted_is_not_run(tmp_path: Path) -> None:
    mark = tmp_path / "was run"
    catalogue = copied(tmp_path, f"open({str(mark)!r}, 'w').close()\n")
    status, body = asked(Responder(catalogue), "twin", system(catalogue), action("list_places", {}))
    assert status == 400
    assert "not trusted" in body["error"]["message"]
    assert not mark.exists()


def test_a_twin_that_breaks_is_a_500_and_leaves_nothing_behind(tmp_path: Path) -> None:
    names = [tool.name for tool in Catalogue.load([shipped()]).environment("ed-two-rooms").tools]
    methods = "".join(f"    def {name}(self, **arguments):\n        return self.oops\n" for name in names)
    source = f"from replaylab.catalogue.twin import ToolTwin\nclass Twin(ToolTwin):\n{methods}"
    catalogue = copied(tmp_path, source)
    broken = Responder(catalogue, [tmp_path])
    for _ in range(2):
        status, body = asked(broken, "twin", system(catalogue), action("list_places", {}))
        assert (status, body["error"]["code"]) == (500, "twin_failed")
        assert "list_places: AttributeError" in body["error"]["message"]


def test_every_action_is_run_exactly_once_however_conversations_branch(tmp_path: Path) -> None:
    names = [tool.name for tool in Catalogue.load([shipped()]).environment("ed-two-rooms").tools]
    methods = "".join(
        f"    def {name}(self, **arguments):\n"
        f"        self._state['seen'] = self._state.get('seen', '') + '{place}'\n"
        "        return {'seen': self._state['seen']}\n"
        for place, name in enumerate(names)
    )
    source = f"from replaylab.catalogue.twin import ToolTwin\nclass Twin(ToolTwin):\n{methods}"
    catalogue = copied(tmp_path, source)
    counting = Responder(catalogue, [tmp_path])
    for order in ("0000", "0101", "0001", "1001", "0000"):
        calls: list[tuple[str, dict[str, object]]] = [(names[int(place)], {}) for place in order]
        found = conversation(counting, system(catalogue), calls)
        assert found == [{"seen": order[: end + 1]} for end in range(len(order))]
    middle = [system(catalogue), action(names[1], {}), told("{}"), action(names[0], {})]
    conversation(counting, system(catalogue), [(names[0], {})])
    assert json.loads(said(asked(counting, "twin", *middle)[1])) == {"seen": "10"}
