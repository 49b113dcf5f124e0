"""Whether what the README tells a reader to type, or to open, exists."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

# Options before the command's name that take a value.
GLOBAL_OPTIONS = ("--library", "--config")

Help = Callable[[str], str | None]


def shell_lines(markdown: str) -> Iterator[tuple[int, str]]:
    """The commands in ```sh blocks, as (line number from 1, text); comments and prompts are cut off.

    A line that ends with a backslash goes on in the next.
    """
    inside, begun = False, ""
    for number, line in enumerate(markdown.splitlines(), start=1):
        if line.startswith("```"):
            inside = line.strip() in ("```sh", "```bash", "```console")
        elif inside and (text := line.strip().removeprefix("$ ")) and not text.startswith("#"):
            if text.endswith("\\"):
                begun += text[:-1]
            else:
                yield number, begun + text
                begun = ""


def command_help(command: str) -> str | None:
    """What `replaylab COMMAND --help` prints, or None when there is no such command."""
    done = subprocess.run(
        [sys.executable, "-m", "replaylab", *command.split(), "--help"],
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    return done.stdout if done.returncode == 0 else None


def command_problems(words: list[str], help_of: Help) -> Iterator[str]:
    """What is wrong with one `replaylab …` line, given as words without the first."""
    while words and words[0] in GLOBAL_OPTIONS:
        words = words[2:]
    if not words or words[0].startswith("-"):
        return
    command = words[0]
    printed = help_of(command)
    if printed is None:
        yield f"`replaylab {command}` is not a command"
        return
    for word in words[1 : words.index("--") if "--" in words else None]:
        option = word.partition("=")[0]
        if option.startswith("--") and not re.search(rf"{re.escape(option)}(?![\w-])", printed):
            yield f"`replaylab {command}` has no option {option}"


def readme_findings(root: Path, help_of: Help = command_help) -> list[tuple[int, str]]:
    """(line, problem) for each make target, command, option and link of README.md that does not exist."""
    text = (root / "README.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    found = []
    for number, line in shell_lines(text):
        words = shlex.split(line, comments=True)
        if words[0] == "make":
            found += [(number, f"no make target {word}") for word in words[1:2] if word not in targets]
        elif Path(words[0]).name == "replaylab":
            found += [(number, problem) for problem in command_problems(words[1:], help_of)]
    for number, line in enumerate(text.splitlines(), start=1):
        targets_of_links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", line)
        found += [
            (number, f"link to {t}, which does not exist")
            for t in targets_of_links
            if not (root / t).exists()
        ]
    return found
