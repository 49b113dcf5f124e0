"""Broken scenarios: one good one, and one small edit each that breaks one rule."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from replaylab.catalogue.index import read_index
from replaylab.catalogue.loader import shipped
from replaylab.examine.examine import Examiner
from replaylab.schema.finding import Finding

GOOD = "emergency-department-triage"
HOME = "environments/ed-two-rooms"
TOOLS, STATE, TWIN = f"{HOME}/tools.json", f"{HOME}/state.json", f"{HOME}/twin.py"
TASK = "tasks/ed-sepsis-room.json"

Edit = Callable[[Path], None]


class Broken(NamedTuple):
    """An edit, the rule that it breaks, and what the finding's place and message have to hold."""

    edit: Edit
    kind: str
    where: str
    says: str


def good(root: Path) -> Path:
    """A copy of the good scenario in `root`."""
    folder = root / GOOD
    shutil.copytree(shipped() / GOOD, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def in_json(name: str, change: Callable[[Any], object]) -> Edit:
    """Changes a JSON file of the scenario in place."""

    def edit(folder: Path) -> None:
        path = folder / name
        value = json.loads(path.read_text(encoding="utf-8"))
        change(value)
        path.write_text(json.dumps(value, indent=2), encoding="utf-8")

    return edit


def in_text(name: str, old: str, new: str) -> Edit:
    """Replaces text in a file of the scenario; the text has to be there."""

    def edit(folder: Path) -> None:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{name} does not hold {old!r}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    return edit


def remove(name: str) -> Edit:
    return lambda folder: (folder / name).unlink()


def twice(folder: Path) -> None:
    """The same scenario under another folder's name: all other ids stand twice."""
    shutil.copytree(folder, folder.parent / "same-again")


def only_tasks(*keep: str) -> Edit:
    def edit(folder: Path) -> None:
        for path in (folder / "tasks").iterdir():
            if path.stem not in keep:
                path.unlink()

    return edit


def all_as_hard(folder: Path) -> None:
    for path in (folder / "tasks").iterdir():
        in_json(f"tasks/{path.name}", lambda task: task.update(difficulty=2))(folder)


def tool(tools: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(one for one in tools if one["name"] == name)


def of_tool(name: str, change: Callable[[dict[str, Any]], object]) -> Edit:
    return in_json(TOOLS, lambda tools: change(tool(tools, name)))


def first_act(task: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(call for call in task["plan"]["calls"] if call["tool"] == name)
    return found


def findings_of(broken: Broken, root: Path) -> list[Finding]:
    """What is found in the good scenario after the edit. Raises AssertionError unless the rule is broken and named."""
    folder = good(root)
    broken.edit(folder)
    examiner = Examiner(trusted=[root], published=read_index(shipped()))
    found = list(examiner.examine([root]).findings)
    hits = [one for one in found if one.kind == broken.kind and broken.where in one.where]
    assert any(broken.says in one.message for one in hits), [(o.kind, o.where, o.message) for o in found]
    return found
