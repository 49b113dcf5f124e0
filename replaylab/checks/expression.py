"""Arithmetic over named values: + - * / and min, max, sum, count, abs. Parsed and walked, never executed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
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
_FUNCTIONS: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "min": min,
    "max": max,
    "sum": lambda numbers: sum(numbers, Fraction(0)),
    "count": lambda numbers: Fraction(len(numbers)),
    "abs": lambda numbers: abs(numbers[0]),
}


class Undefined(Exception):
    """The expression has no value here: a division by zero, or the least of nothing."""


def names(text: str) -> frozenset[str]:
    """The names that an expression uses. Raises UsageError where it holds anything but arithmetic."""
    used: set[str] = set()
    _check(_parse(text), text, used)
    return frozenset(used)


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
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in _FUNCTIONS and node.args:
            for argument in node.args:
                _check(argument, text, used)
        case _:
            part = ast.get_source_segment(text.strip(), node) or text
            raise UsageError(
                f"the expression {text!r} may not hold {part!r}",
                fix=f"use + - * / and {', '.join(_FUNCTIONS)} over numbers and names",
            )


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
    return _FUNCTIONS[name](numbers)
