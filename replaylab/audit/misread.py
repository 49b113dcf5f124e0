"""What is wrong with a claims file, in words for whoever wrote it: which field, what stands there, what is due."""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError

from replaylab.audit.assertions import Claim
from replaylab.audit.tables import ColumnSpec, Formula, Sorted, TableSpec
from replaylab.near import closest

Path = tuple[str | int, ...]

CLAIMS: dict[str, type[BaseModel]] = {
    get_args(kind.model_fields["type"].annotation)[0]: kind for kind in get_args(get_args(Claim)[0])
}
_DUE = {
    "tuple_type": "a list is due, as [A, B]",
    "dict_type": "a mapping is due, as {A: B}",
    "model_type": "a mapping is due, as {A: B}",
    "model_attributes_type": "a mapping is due, as {A: B}",
    "string_type": "a text is due",
    "int_type": "a whole number is due, in plain digits",
    "bool_parsing": "true or false is due",
    "bool_type": "true or false is due",
    "string_too_short": "a text is due, and nothing stands here",
}


class Misread(NamedTuple):
    """Where, what is wrong, what comes closest; `more` is how many other things are wrong."""

    path: Path
    what: str
    closest: str = ""
    more: int = 0


def misread(error: ValidationError, root: type[BaseModel]) -> Misread:
    """The first thing that is wrong. A misspelt field is told before one that is missing: it may be the same one."""
    problems = error.errors(include_url=False, include_input=False)
    first = min(problems, key=lambda one: one["type"] != "extra_forbidden")
    what, near = _told(first, root)
    return Misread(_place(first["loc"]), what, near, len(problems) - 1)


def _told(problem: Any, root: type[BaseModel]) -> tuple[str, str]:
    kind, loc, context = problem["type"], problem["loc"], problem.get("ctx", {})
    if kind == "extra_forbidden":
        return "there is no such field here", closest(str(loc[-1]), _model_at(loc[:-1], root).model_fields)
    if kind == "missing":
        return "the field is missing", ""
    if kind == "union_tag_not_found":
        return "a claim says its `type`", ""
    if kind == "union_tag_invalid":
        return f"there is no claim of the type {context['tag'][:80]!a}", closest(context["tag"], CLAIMS)
    if kind == "literal_error":
        return f"{context['expected']} is due", ""
    if kind in ("too_short", "too_long"):
        bound = (
            f"at least {context['min_length']}" if kind == "too_short" else f"at most {context['max_length']}"
        )
        return f"{bound} are due, and {context['actual_length'] or 'more'} stand here", ""
    bounds = {"greater_than_equal": ("ge", "least"), "less_than_equal": ("le", "most")}
    if kind in bounds:
        key, word = bounds[kind]
        return f"{context[key]} at {word} is due", ""
    return _DUE.get(kind, problem["msg"].removeprefix("Value error, ")), ""


def _place(loc: Path) -> Path:
    """Where a problem is in the file: pydantic puts the type of a claim between its number and its field."""
    path = list(loc)
    if len(path) > 2 and path[0] == "claims" and isinstance(path[1], int):
        del path[2]
    return tuple(path)


def _model_at(loc: Path, root: type[BaseModel]) -> type[BaseModel]:
    """The model whose fields stand at a place of the file."""
    if "formula" in loc[3:4] or "computed" in loc[4:5] or "summary" in loc[2:3]:
        return Formula
    if loc[:1] == ("claims",) and len(loc) > 2:
        return CLAIMS.get(str(loc[2]), root)
    if loc[:1] == ("tables",):
        kinds: dict[str, type[BaseModel]] = {"columns": ColumnSpec, "sorted": Sorted}
        return kinds.get(str(loc[2]) if len(loc) > 2 else "", TableSpec)
    return root
