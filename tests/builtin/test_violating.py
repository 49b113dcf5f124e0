from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from replaylab.builtin.asked import read_asked
from replaylab.builtin.index import Index
from replaylab.builtin.responder import Responder
from replaylab.builtin.twin import Twins
from replaylab.builtin.violating import BENIGN, SHAPES, VIOLATED, ground_of
from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.catalogue.twin import load_twin
from replaylab.schema.seeded import Seeded, from_headers
from tests.builtin.playing import action, asked, said, system, told, trial

KINDS = {
    "twin+fabricate": {"fabrication", "omission"},
    "twin+omit": {"omission"},
    "twin+invent": {"rule_invention"},
    "twin+contradict": {"contradiction"},
}
ROOMS: list[tuple[str, dict[str, Any]]] = [
    ("list_places", {}),
    ("list_waiting", {}),
    ("get_patient", {"patient": "P-118"}),
    ("assess_patient", {"patient": "P-133"}),
    ("discharge_patient", {"patient": "P-118", "place": "ER-2"}),
    ("clean_place", {"place": "ER-2"}),
    ("place_patient", {"patient": "P-133", "place": "ER-2"}),
    ("list_places", {}),
    ("get_patient", {"patient": "P-133"}),
    ("list_waiting", {}),
] * 4


def ask(
    models: Responder, model: str, messages: list[Any], **more: Any
) -> tuple[Any, tuple[Seeded, ...], bytes]:
    """The observation, what was seeded into it, and the body as it came."""
    body = json.dumps({"model": model, "messages": messages, **more}).encode()
    status, headers, pieces = models.respond("/v1/chat/completions", body)
    data = b"".join(pieces)
    assert status == 200, data
    return json.loads(said(json.loads(data))), from_headers(headers), data


@cache
def played(model: str, seed: int = 0) -> list[tuple[str, dict[str, Any], Any, tuple[Seeded, ...], Any]]:
    """A conversation, with what the twin says that has gone through the calls that were not refused."""
    catalogue = Catalogue.load([shipped()])
    models, messages = Responder(catalogue), [system(catalogue)]
    environment = catalogue.environment("ed-two-rooms")
    twin = load_twin(catalogue.folder_of(environment.id), environment, trusted=[shipped()])
    rows = []
    for tool, arguments in ROOMS:
        messages.append(action(tool, arguments))
        observation, seeded, _ = ask(models, model, messages, seed=seed)
        before = twin.fork()
        truth = twin.call(tool, arguments)
        if "error" in observation:
            twin = before
        rows.append((tool, arguments, observation, seeded, truth))
        messages.append(told(json.dumps(observation)))
    return rows


@pytest.mark.parametrize("model", SHAPES)
def test_only_violations_of_its_kind_are_seeded_and_all_else_is_benign(model: str) -> None:
    rows = [row for seed in range(3) for row in played(model, seed)]
    kinds = {one.kind for row in rows for one in row[3]}
    assert kinds <= KINDS[model]
    assert kinds
    for _, _, observation, seeded, truth in rows:
        if not seeded and "error" in truth:
            assert "error" in observation
        elif not seeded:
            assert "error" not in observation
        if seeded:
            assert observation != truth


@pytest.mark.parametrize("model", SHAPES)
def test_a_refused_call_has_not_happened(model: str) -> None:
    for _, _, observation, seeded, truth in played(model):
        # The twin that skipped what was refused agrees with every answer that nothing was seeded into.
        if not seeded and set(observation) == set(truth) and "error" not in truth:
            assert _alike(observation, truth)


def _alike(one: Any, other: Any) -> bool:
    """Whether two answers are equal but for the order of rows and for fields that were added to them."""
    if isinstance(one, dict):
        return all(key in one and _alike(one[key], part) for key, part in other.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(any(_alike(part, it) for part in one) for it in other)
    return bool(one == other)


def test_the_ground_knows_all_that_was_said_and_all_that_is_true(catalogue: Catalogue) -> None:
    prompt = system(catalogue)
    messages = [prompt, action("get_patient", {"patient": "P-907"}), told('{"error": "no P-908"}')]
    body = {"model": "twin+fabricate", "messages": [*messages, action("list_places", {"x": "P-909"})]}
    where = ground_of(read_asked(body), Twins(Index(catalogue), [shipped()]))
    for name in ("P-118", "ER-2", "P-907", "P-908", "P-909", "confused"):
        assert not where.is_new(name)
    assert where.is_new("P-910")
    assert "p-908" in where.heard
    assert "er-2" not in where.heard


def test_about_as_many_as_documented_are_seeded() -> None:
    rows = [row for seed in range(3) for row in played("twin+invent", seed)]
    eligible = [row for row in rows if "error" not in row[4]]
    assert 0.6 / VIOLATED < sum(bool(row[3]) for row in eligible) / len(eligible) < 1.5 / VIOLATED
    assert any(not row[3] and row[2] != row[4] for row in rows)
    assert BENIGN > 1


@pytest.mark.parametrize("model", SHAPES)
def test_the_same_request_gets_the_same_bytes_and_labels_in_any_process(
    model: str, catalogue: Catalogue
) -> None:
    messages = [system(catalogue)]
    for tool, arguments in ROOMS[:6]:
        messages += [action(tool, arguments), told("{}")]
    asked_for = messages[:-1]
    first, second = (ask(Responder(catalogue), model, asked_for) for _ in range(2))
    assert first == second


def test_another_seed_or_another_history_seeds_elsewhere(catalogue: Catalogue) -> None:
    places = {
        seed: [number for number, row in enumerate(played("twin+omit", seed)) if row[3]] for seed in range(3)
    }
    assert len({tuple(one) for one in places.values()}) == 3


def test_labels_stand_beside_the_answer_and_never_in_it(catalogue: Catalogue, models: Responder) -> None:
    messages: list[Any] = [system(catalogue)]
    for tool, arguments in ROOMS:
        messages.append(action(tool, arguments))
        observation, _, data = ask(models, "twin+fabricate", messages)
        assert b"seeded" not in data
        assert b'\\"shape\\"' not in data
        messages.append(told(json.dumps(observation)))
    assert "shape" not in json.dumps(messages[1:])


def test_an_environment_without_a_twin_is_refused_as_by_the_twin(models: Responder) -> None:
    unknown = {"role": "system", "content": "You are a bank."}
    faithful = asked(models, "twin", unknown, action("list_places", {}))
    for model in SHAPES:
        assert asked(models, model, unknown, action("list_places", {})) == faithful


def test_they_are_listed_with_the_other_models(models: Responder) -> None:
    assert set(SHAPES) <= {one["id"] for one in models.models.listing()["data"]}


@pytest.mark.parametrize("model", SHAPES)
def test_a_whole_trial_is_played_to_its_end(models: Responder, model: str) -> None:
    first = trial(models, "ed-two-urgent-patients", "scripted:careful", simulator=model)
    assert first.trajectory.termination == "answered"
    assert trial(models, "ed-two-urgent-patients", "scripted:careful", simulator=model) == first
