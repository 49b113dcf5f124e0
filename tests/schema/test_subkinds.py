from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import replaylab.diff
from replaylab.schema.subkinds import SUBKINDS
from replaylab.schema.violation import ViolationKind

RULES = Path(replaylab.diff.__file__).parent
UNTOLD = "?"


def given_by(source: str) -> set[tuple[str, str]]:
    """The kinds with the sub-kinds that the functions of a file give, "?" for what can't be read from it."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {
        (kind, subkind)
        for function in functions
        for given in _givings(function)
        for kind in _words(given["kind"], function, tree) or {UNTOLD}
        for subkind in _words(given["subkind"], function, tree) or {UNTOLD}
    }


def _givings(function: ast.FunctionDef) -> Iterator[dict[str, ast.expr]]:
    for node in ast.walk(function):
        given: dict[str, ast.expr] = {}
        if isinstance(node, ast.Call):
            given = {one.arg: one.value for one in node.keywords if one.arg}
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            given = {str(key.value): value for key, value in pairs if isinstance(key, ast.Constant)}
        if "subkind" in given and "kind" in given:
            yield given


def _words(
    value: ast.expr, scope: ast.FunctionDef, tree: ast.Module, seen: frozenset[str] = frozenset()
) -> set[str]:
    """The texts that an expression may be; what a name was set to and a function of the file returns are followed."""
    if isinstance(value, ast.Constant):
        return {value.value} if isinstance(value.value, str) else set()
    if isinstance(value, ast.Name | ast.Call):
        return _followed(value, scope, tree, seen)
    parts: list[ast.expr] = []
    if isinstance(value, ast.IfExp):
        parts = [value.body, value.orelse]
    elif isinstance(value, ast.Tuple):
        parts = value.elts[:1]
    elif isinstance(value, ast.Dict):
        parts = value.values
    return {word for part in parts for word in _words(part, scope, tree, seen)}


def _followed(
    value: ast.Name | ast.Call, scope: ast.FunctionDef, tree: ast.Module, seen: frozenset[str]
) -> set[str]:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        of = [value.func.value, *value.args[1:]] if value.func.attr == "get" else []
        return {word for part in of for word in _words(part, scope, tree, seen)}
    target = value.func if isinstance(value, ast.Call) else value
    if not isinstance(target, ast.Name) or target.id in seen:
        return set()
    known = seen | {target.id}
    if isinstance(value, ast.Name):
        here = [one.value for one in ast.walk(scope) if isinstance(one, ast.Assign) and _sets(one, value.id)]
        set_to = here or [
            one.value for one in tree.body if isinstance(one, ast.Assign) and _sets(one, value.id)
        ]
        return {word for part in set_to for word in _words(part, scope, tree, known)}
    made = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == target.id]
    return {
        word
        for function in made
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and node.value is not None
        for word in _words(node.value, function, tree, known)
    }


def _sets(one: ast.Assign, name: str) -> bool:
    """Whether it sets the name, alone or as the first of several."""
    firsts = [part.elts[0] if isinstance(part, ast.Tuple) else part for part in one.targets]
    return any(isinstance(part, ast.Name) and part.id == name for part in firsts)


def test_the_rules_give_the_subkinds_of_the_table_and_no_others() -> None:
    given = {
        pair for path in sorted(RULES.rglob("*.py")) for pair in given_by(path.read_text(encoding="utf-8"))
    }
    assert given == {(kind, name) for kind, parts in SUBKINDS.items() for name in parts}


def test_each_kind_has_subkinds_with_a_line_each() -> None:
    assert set(SUBKINDS) == set(get_args(ViolationKind))
    lines = [line for parts in SUBKINDS.values() for line in parts.values()]
    assert all(line and "\n" not in line and len(line) < 100 for line in lines)
    assert len(set(lines)) == len(lines)


def test_a_subkind_that_a_function_of_the_file_chooses_is_read() -> None:
    source = """
SORTS = {"a": "third"}
def choose(one):
    return ("first", one) if one else ("second", None)
def rule(look, one):
    sort, _ = choose(one)
    yield look.violation(kind="omission", subkind=sort)
    yield one.copy({"kind": "contradiction", "subkind": SORTS.get(one, "fourth")})
    yield look.violation(kind="omission", subkind=one.sort)
"""
    assert given_by(source) == {
        ("omission", "first"),
        ("omission", "second"),
        ("contradiction", "third"),
        ("contradiction", "fourth"),
        ("omission", UNTOLD),
    }
