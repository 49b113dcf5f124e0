from __future__ import annotations

import pytest

from replaylab.cli.toml_file import TomlFile, line_of
from replaylab.errors import UsageError

TEXT = '''# a comment = 1
top = 1
[a.b] # note
x = 1
"quoted.name" = 2
long = """
y = 3
"""
[a."c d"]
y = 4
z.deep = 5
[[list]]
y = 6
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("top",), 2),
        (("a", "b"), 3),
        (("a", "b", "x"), 4),
        (("a", "b", "quoted.name"), 5),
        (("a", "b", "missing"), 3),
        (("a", "c d", "y"), 10),
        (("a", "c d", "z", "deep"), 11),
        (("a",), 3),
        (("list", "y"), 13),
        (("nowhere",), None),
    ],
)
def test_a_key_is_found_on_its_line_or_at_the_table_around_it(
    path: tuple[str, ...], line: int | None
) -> None:
    assert line_of(TEXT, path) == line


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "9" * 5000,
        "a = " + "[" * 5000 + "]" * 5000,
        "a." * 3000 + "b = 1",
        "a = " + "[" * 60 + "]" * 60,
    ],
    ids=["number", "list", "table", "a little too deep"],
)
def test_numbers_without_end_and_extreme_nesting_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a configuration"):
        TomlFile("x.toml", text)
