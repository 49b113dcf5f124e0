"""Writing what was chosen: a public and a held-out folder of scenarios, with a manifest beside them.

<folder>/
  manifest.json      what it is, who made it, the canary, the split, every task with its rates
  history.json       what came of each candidate
  public/            a folder of scenarios, as `record --scenarios` takes it
  held-out/          the same, to be kept off the net
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from replaylab.canonical import digest
from replaylab.catalogue import files
from replaylab.catalogue.writer import write_scenario
from replaylab.errors import StoreError, UsageError
from replaylab.schema.base import JsonObject
from replaylab.schema.scenario import Scenario
from replaylab.synthesis.history import History, TaskHistory
from replaylab.synthesis.parts import reference_of
from replaylab.synthesis.pipeline import Kept, Made

MANIFEST, HISTORY, TWINS = "manifest.json", "history.json", "proposed-twins"
SETS = ("public", "held-out")
_PART = ".part"  # where files are written before they are put in their place
MANIFEST_FORMAT = "replaylab.synthesis-set/1"


def publish(made: Made, folder: Path, made_on: str) -> tuple[str, ...]:
    """Write everything and return the paths of the files, relative to `folder`. `made_on` is a day, as 2026-03-04.

    What is there already has to be the same, so that doing it again changes nothing. Raises UsageError where it is not.
    All is written beside its place first, and put there file by file once nothing can go wrong: a full disk or a kill
    leaves no half file, and the same command completes the rest.
    """
    part = folder / _PART
    try:
        if part.exists():
            shutil.rmtree(part)
        for name, text in _documents(made, made_on):
            _write(part / name, text)
        for name in SETS:
            _write_set(made, part / name, name)
        _put_in_place(part, folder)
    except OSError as error:
        raise StoreError(f"the tasks can't be written: {error.strerror}", where=str(folder)) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return tuple(sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()))


def _put_in_place(part: Path, folder: Path) -> None:
    """Move every file below `part` to its place, unless one is there with other content."""
    names = sorted(path.relative_to(part) for path in part.rglob("*") if path.is_file())
    for name in names:
        path = folder / name
        if path.exists() and path.read_bytes() != (part / name).read_bytes():
            raise UsageError(
                f"{path.name} is there already with other content",
                where=str(path),
                fix="name another folder with --out, or remove this one",
            )
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (part / name).replace(folder / name)


def selection(made: Made) -> list[JsonObject]:
    """The chosen tasks as values, and nothing of when or where: the same answers always give the same ones."""
    rates = {task.id: task for task in made.history.tasks}
    return [_chosen(kept, rates[kept.task.id]) for kept in made.kept]


def _chosen(kept: Kept, history: TaskHistory) -> JsonObject:
    return {
        "task": kept.task.id,
        "scenario": kept.place.scenario,
        "environment": kept.environment.id,
        "set": kept.place.order.part_of(kept.place.source.id, kept.place.instance),
        "level": kept.place.level,
        "rates": {name: [one.passed, one.decided] for name, one in sorted(history.alone.items())},
        "content": digest([kept.environment.to_json(), kept.task.to_json()]),
    }


def _documents(made: Made, made_on: str) -> Iterator[tuple[str, str]]:
    history = made.history
    chosen = selection(made)
    manifest = {
        "format": MANIFEST_FORMAT,
        "name": history.name,
        "made_on": made_on,
        "canary": history.canary,
        "players": dict(sorted(history.players.items())),
        "by_programs": all(player == "program" for player in history.players.values()),
        "held_out_percent": history.order.get("held_out", 30),
        "split_seed": history.order.get("seed", 0),
        "alike_from": history.order.get("alike", 0.9),
        "selection": digest(chosen),
        "tasks": chosen,
    }
    yield MANIFEST, _json(manifest)
    yield HISTORY, _json(history.to_json())
    for instance in history.instances:
        if instance.proposed_twin is not None:
            yield f"{TWINS}/{instance.id}.py", instance.proposed_twin["code"]


def _json(value: JsonObject) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def _write_set(made: Made, folder: Path, name: str) -> None:
    chosen = [
        one for one in made.kept if one.place.order.part_of(one.place.source.id, one.place.instance) == name
    ]
    by_scenario: dict[str, list[Kept]] = {}
    for one in chosen:
        by_scenario.setdefault(one.place.scenario, []).append(one)
    for scenario, group in by_scenario.items():
        _write_scenario(scenario, group, folder)
    if by_scenario:
        _write(folder / "README.md", _readme(made.history, name, len(chosen)))


def _write_scenario(name: str, group: Sequence[Kept], folder: Path) -> None:
    first = group[0]
    scenario = Scenario(
        id=name,
        name=first.place.source.name,
        industry=first.place.source.industry,
        domain=first.place.source.domain,
        summary=first.parts["summary"],
        subtopics=tuple(first.parts["subtopics"]),
        environments=tuple(one.environment for one in group),
        tasks=tuple(one.task for one in group),
    )
    described: JsonObject = {}
    for one in group:
        described |= one.parts["description"]
    parts = {**first.parts, "description": described}
    home = write_scenario(scenario, folder)
    _write(home / files.REFERENCE_FILE, reference_of(first.place.source, parts, first.place.order.canary))
    for one in group:
        if one.twin is not None:
            _write(home / "environments" / one.environment.id / files.TWIN_FILE, one.twin)


def _readme(history: History, name: str, count: int) -> str:
    programs = sorted(alias for alias, player in history.players.items() if player == "program")
    played = f"Played by programs, not LLMs: {', '.join(programs)}.\n\n" if programs else ""
    kept = "Keep it off the net.\n\n" if name == "held-out" else ""
    return f"# {history.name}: {name}\n\n{count} tasks made by `replaylab synth`.\n\n{kept}{played}{history.canary}\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
