"""The plugin that pytest loads: options, the marker, the fixture, and the line at the end.

It is loaded with every run of pytest where replaylab is installed, so nothing heavy is imported before a test asks for it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from replaylab.pytest_plugin.modes import MODES, Mode, chosen

if TYPE_CHECKING:
    from replaylab.pytest_plugin.recorder import Recorder

MARKER = "replaylab"
_ARGUMENTS = {"mode": (str,), "name": (str,), "unplayed": (str,), "network": (bool,)}
_COUNTS = pytest.StashKey[Counter[str]]()
_RECORDER = pytest.StashKey["Recorder"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options and the settings."""
    group = parser.getgroup("replaylab", "recorded LLM calls")
    group.addoption(
        "--replaylab-mode",
        choices=MODES,
        help="Record mode of all tests. Default: none in CI, else the marker's, else replaylab_mode, else once.",
    )
    group.addoption(
        "--replaylab-library",
        metavar="DIR",
        help="The library of the recordings. Default: replaylab_library, else cassettes.",
    )
    parser.addini("replaylab_mode", "Record mode of tests that name none", default="")
    parser.addini(
        "replaylab_library", "The library of the recordings, below the root folder", default="cassettes"
    )


def pytest_configure(config: pytest.Config) -> None:
    """The marker, and where the counts go."""
    config.addinivalue_line(
        "markers",
        "replaylab(mode, name, unplayed, network): record the test's LLM calls once, and play them from then on.",
    )
    config.stash[_COUNTS] = Counter()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A marked test gets the fixture, before its own fixtures, whether or not it names it."""
    for item in items:
        names = getattr(item, "fixturenames", None)
        if names is not None and MARKER not in names and item.get_closest_marker(MARKER) is not None:
            names.insert(0, MARKER)


@pytest.fixture
def replaylab(request: pytest.FixtureRequest) -> Iterator[Recorder]:
    """The test's LLM calls are recorded, or played: base URLs, ready clients, and the usual variables set."""
    from replaylab.pytest_plugin.recorder import Recorder, Wanted

    given = marked(request.node)
    library = request.config.getoption("--replaylab-library") or request.config.getini("replaylab_library")
    wanted = Wanted(
        node_id=request.node.nodeid,
        mode=mode_of(request.config, given.get("mode")),
        root=request.config.rootpath,
        library=request.config.rootpath / str(library),
        name=given.get("name", ""),
        may_stay_unplayed=given.get("unplayed") == "allow",
        network=given.get("network", False),
    )
    with Recorder(wanted, os.environ) as recorder:
        request.node.stash[_RECORDER] = recorder
        yield recorder
    request.config.stash[_COUNTS].update(recorder.counts)


def mode_of(config: pytest.Config, marker: str | None) -> Mode:
    """The mode of a test whose marker says `marker`."""
    try:
        return chosen(
            config.getoption("--replaylab-mode"), os.environ, marker, str(config.getini("replaylab_mode"))
        )
    except ValueError as error:
        raise pytest.UsageError(f"replaylab: {error}") from error


def marked(node: pytest.Item) -> dict[str, Any]:
    """What the markers of a test say, the closest one first. Raises pytest.UsageError for what no marker can say."""
    found: dict[str, Any] = {}
    for marker in node.iter_markers(MARKER):
        for name, value in marker.kwargs.items():
            if name not in _ARGUMENTS or not isinstance(value, _ARGUMENTS[name]):
                raise pytest.UsageError(
                    f"{node.nodeid}: the marker replaylab takes {', '.join(_ARGUMENTS)}, not {name}={value!r}"
                )
            found.setdefault(name, value)
        if marker.args:
            raise pytest.UsageError(
                f"{node.nodeid}: the marker replaylab takes keywords only, as in mode='none'"
            )
    if found.get("unplayed", "fail") not in ("fail", "allow"):
        raise pytest.UsageError(f"{node.nodeid}: unplayed is 'fail' or 'allow', not {found['unplayed']!r}")
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """After a test that passed: what missed, and what was not played, makes it fail. A failed one is told of it."""
    try:
        result = yield
    except BaseException:
        recorder = item.stash.get(_RECORDER, None)
        if recorder is not None and (problems := recorder.problems(whole=False)):
            item.add_report_section("call", "replaylab", problems)
        raise
    recorder = item.stash.get(_RECORDER, None)
    if recorder is not None and (problems := recorder.problems(whole=True)):
        pytest.fail(problems, pytrace=False)
    return result


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of xdist hands its counts on."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        counts = session.config.stash[_COUNTS]
        output[MARKER] = dict(counts)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """The controller of xdist adds them up."""
    output = getattr(node, "workeroutput", None) or {}
    node.config.stash[_COUNTS].update(output.get(MARKER, {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """One line, where any test was recorded or played."""
    counts = config.stash[_COUNTS]
    if counts["tests"]:
        tests = "1 test" if counts["tests"] == 1 else f"{counts['tests']} tests"
        done = ", ".join(f"{counts[what]} {what}" for what in ("played", "recorded", "unplayed", "missed"))
        terminalreporter.write_line(f"replaylab: {done} in {tests}")
