"""Arithmetic over named values: + - * / and a few functions. Parsed and walked, never executed."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from replaylab.checks.numbers import exact
from replaylab.errors import UsageError

MAX_LENGTH = 500

Value = Fraction | tuple[Fraction, ...]

_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
}
FUNCTIONS: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "min": min,
    "max": max,
    "sum": lambda numbers: sum(numbers, Fraction(0)),
    "count": lambda numbers: Fraction(len(numbers)),
    "abs": lambda numbers: abs(numbers[0]),
    "ceil": lambda numbers: Fraction(math.ceil(numbers[0])),
    "floor": lambda numbers: Fraction(math.floor(numbers[0])),
    "round": lambda numbers: _round(*numbers),
}
_ARITY = {"abs": (1, 1), "ceil": (1, 1), "floor": (1, 1), "round": (1, 2)}
_MAX_PLACES = 12


def _round(number: Fraction, places: Fraction = Fraction(0)) -> Fraction:
    """To so many decimals; halves go away from zero, as in commerce."""
    if places.denominator != 1 or not 0 <= places <= _MAX_PLACES:
        raise Undefined(f"round() takes 0 to {_MAX_PLACES} decimals")
    scale = 10 ** int(places)
    whole = math.floor(abs(number) * scale + Fraction(1, 2))
    return Fraction(whole if number >= 0 else -whole, scale)


class Undefined(Exception):
    """The expression has no value here: a division by zero, or the least of nothing."""


def names(text: str) -> frozenset[str]:
    """The names that an expression uses. Raises UsageError where it holds anything but arithmetic."""
    used: set[str] = set()
    _check(_parse(text), text, used)
    return frozenset(used)


def counted(text: str) -> frozenset[str]:
    """The names that stand only inside count(), so that it does not matter what their values are."""
    tree = _parse(text)
    inside = [
        argument.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "count"
        for argument in node.args
        if isinstance(argument, ast.Name)
    ]
    every = [node.id for node in _variables(tree)]
    return frozenset(name for name in inside if inside.count(name) == every.count(name))


def _variables(tree: ast.expr) -> Iterator[ast.Name]:
    functions = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return (node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in functions)


def evaluate(text: str, values: Mapping[str, Value]) -> Fraction:
    """The exact value of the expression. A name stands for a number, or for several inside a function."""
    value = _value(_parse(text), values)
    if isinstance(value, tuple):
        raise Undefined("the expression gives several values; put them in a function such as sum()")
    return value


def _parse(text: str) -> ast.expr:
    if len(text) > MAX_LENGTH:
        raise UsageError(f"an expression of {len(text)} characters is too long", fix=f"at most {MAX_LENGTH}")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(f"not an expression: {text!r}") from error


def _check(node: ast.expr, text: str, used: set[str]) -> None:
    match node:
        case ast.Name():
            used.add(node.id)
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            pass
        case ast.BinOp() if type(node.op) in _OPERATORS:
            _check(node.left, text, used)
            _check(node.right, text, used)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            _check(node.operand, text, used)
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in FUNCTIONS and _fits(node):
            for argument in node.args:
                _check(argument, text, used)
        case _:
            part = ast.get_source_segment(text.strip(), node) or text
            raise UsageError(
                f"the expression {text!r} may not hold {part!r}",
                fix=f"use + - * / and {', '.join(FUNCTIONS)} over numbers and names",
            )


def _fits(node: ast.Call) -> bool:
    low, high = _ARITY.get(getattr(node.func, "id", ""), (1, MAX_LENGTH))
    return low <= len(node.args) <= high


def _value(node: ast.expr, values: Mapping[str, Value]) -> Value:
    match node:
        case ast.Name():
            return values[node.id]
        case ast.Constant():
            return exact(node.value) or Fraction(0)
        case ast.BinOp():
            left, right = _single(node.left, values), _single(node.right, values)
            if isinstance(node.op, ast.Div) and right == 0:
                raise Undefined("division by zero")
            return _OPERATORS[type(node.op)](left, right)
        case ast.UnaryOp():
            operand = _single(node.operand, values)
            return -operand if isinstance(node.op, ast.USub) else operand
        case ast.Call(func=ast.Name(id=name)):
            return _call(name, node.args, values)
    raise UsageError(f"an expression may not hold {type(node).__name__}")


def _single(node: ast.expr, values: Mapping[str, Value]) -> Fraction:
    value = _value(node, values)
    if isinstance(value, tuple):
        raise Undefined("several values stand where one is due; put them in a function such as sum()")
    return value


def _call(name: str, arguments: Sequence[ast.expr], values: Mapping[str, Value]) -> Fraction:
    numbers: list[Fraction] = []
    for argument in arguments:
        value = _value(argument, values)
        numbers.extend(value if isinstance(value, tuple) else (value,))
    if not numbers and name not in ("sum", "count"):
        raise Undefined(f"{name}() of nothing")
    low, high = _ARITY.get(name, (0, len(numbers)))
    if not low <= len(numbers) <= high:
        raise Undefined(f"{name}() takes one value, not {len(numbers)}")
    return FUNCTIONS[name](numbers)
