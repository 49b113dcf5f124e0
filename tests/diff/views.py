"""Small environments of our own with lists that are filtered in every way we could think of, and what a faithful one answers.

Each view is a tool with the calls that are put; its answers follow from the state by the function beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from replaylab.schema.scenario import Environment, Tool

Row = dict[str, Any]
Examples = Literal["true", "cut", "none"]
COUNTERS = ("total", "count", "dog_count")


class View(NamedTuple):
    """A tool that reads: its name, what it says, its arguments by name, the true answer, the arguments of its calls."""

    name: str
    about: str
    takes: dict[str, Any]
    answer: Callable[..., Any]
    calls: Sequence[Row]
    example: Row | None = None  # the arguments of its example; None where it has none


class Domain(NamedTuple):
    """An environment: state, what is told of it, and its views."""

    name: str
    state: Row
    told: dict[str, str]
    views: Sequence[View]

    def environment(self, examples: Examples = "true") -> Environment:
        """The environment; its tools show examples where they have any: true ones, or such whose lists are cut to one item."""
        tools = [_tool(view, examples) for view in self.views]
        return Environment(
            id=self.name,
            initial_state=self.state,
            system_prompt="You simulate.",
            state_description=self.told,
            tools=tuple(tools),
        )


def _tool(view: View, examples: Examples) -> Tool:
    shown = None if examples == "none" or view.example is None else view.answer(**view.example)
    if examples == "cut":
        shown = _cut(shown)
    required = [name for name in view.takes if all(name in call for call in view.calls)]
    return Tool.model_validate(
        {
            "name": view.name,
            "description": view.about,
            "parameters": {"type": "object", "properties": view.takes, "required": required},
            "effect": "read",
            "has_example": shown is not None,
            "example_output": shown,
        }
    )


def _cut(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: 1 if key in COUNTERS else _cut(part) for key, part in node.items()}
    return [_cut(part) for part in node[:1]] if isinstance(node, list) else node


TEXT, WHOLE, YES = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}


def told(text: str) -> Row:
    """A text argument with a description."""
    return {"type": "string", "description": text}


def one_of(*values: str, about: str = "") -> Row:
    """A text argument that takes one of these."""
    return {"type": "string", "enum": list(values), **({"description": about} if about else {})}


def rows(of: dict[str, Row], key: str, fields: Sequence[str], where: Callable[[Row], Any]) -> list[Row]:
    """The rows of a map that pass: their key under a name, and these fields."""
    return [{key: name, **{field: one[field] for field in fields}} for name, one in of.items() if where(one)]


def picked(of: Sequence[Row], fields: Sequence[str], where: Callable[[Row], Any]) -> list[Row]:
    """The rows of a list that pass, with these fields."""
    return [{field: one[field] for field in fields} for one in of if where(one)]
