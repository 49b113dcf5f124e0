"""Drives a headless Chromium over its debugging pipe: no package and no port."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
PATIENCE_S = 60.0
# The browser wants its pipe at descriptors 3 and 4, which subprocess can't choose.
_AT_3_AND_4 = """
import fcntl, os, sys
kept = [fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]]
for one, wanted in zip(kept, (3, 4)):
    os.dup2(one, wanted)
os.execv(sys.argv[3], sys.argv[3:])
"""


def installed() -> str | None:
    """The path of a Chromium on this machine; None when there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


REQUIRED = os.environ.get("REPLAYLAB_BROWSER") == "1"  # CI installs one, so there a missing one is a failure
NEEDS_BROWSER = [
    pytest.mark.browser,
    pytest.mark.skipif(
        installed() is None and not REQUIRED,
        reason="no Chromium on this machine (apt-get install chromium). PAGES NOT TESTED.",
    ),
]
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
# The lowest contrast ratio of any text on the page, after WCAG 2.
CONTRAST = """(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => parts(color).slice(0, 3).map((v) => v / 255)
    .map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (parts(color)[3] !== 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  let least = 21;
  for (const one of document.querySelectorAll("body *:not(script)")) {
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(ground(one))];
    least = Math.min(least, (Math.max(a, b) + .05) / (Math.min(a, b) + .05));
  }
  return least;
})()"""


class Tab:
    """One page. `events` holds what the browser reported, as (method, parameters)."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read, self._last, self._rest = write, read, 0, b""
        self.events: list[tuple[str, dict[str, Any]]] = []
        self._session: str | None = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> Any:
        """A command and its result."""
        self._last += 1
        command: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._write, json.dumps(command).encode() + b"\0")
        while True:
            message = self._next()
            if message.get("id") == self._last:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            piece = os.read(self._read, 1 << 20)
            assert piece, "the browser went away"
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self.events.append((message["method"], message["params"]))
        return message

    def open(self, page: Path, fragment: str = "") -> None:
        """Loads a file and waits until it is there."""
        self.events.clear()
        # Two addresses that differ only after the # would be one document; this makes it a fresh one.
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=page.as_uri() + fragment)
        until = time.monotonic() + PATIENCE_S
        while self.run("document.readyState + location.protocol") != "completefile:":
            assert time.monotonic() < until, "the page does not load"
            time.sleep(0.02)

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page, through the debugger, which no policy holds back."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def resize(self, width: int, height: int) -> None:
        """The window, in CSS pixels."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def scheme(self, name: str) -> None:
        """`light` or `dark`."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def press(self, key: str, code: int, text: str = "") -> None:
        """A key, down and up."""
        for kind in ("keyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                windowsVirtualKeyCode=code,
                text=text if kind == "keyDown" else "",
            )

    def picture(self, path: Path) -> None:
        """What the window shows, as PNG."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def complaints(self) -> list[str]:
        """Everything on the console: errors, warnings, refusals of the page's policy."""
        self.run("0")  # what was reported before this answer is in `events` then
        seen = []
        for method, params in self.events:
            if method == "Log.entryAdded":
                seen.append(str(params["entry"]["text"]))
            elif method in {"Runtime.exceptionThrown", "Runtime.consoleAPICalled"}:
                seen.append(json.dumps(params))
        return seen

    def requests(self) -> list[str]:
        """Every address that the page asked for. What lies in the page itself (`data:`) is no request."""
        self.run("0")
        return [
            url
            for method, params in self.events
            if method == "Network.requestWillBeSent"
            and not (url := str(params["request"]["url"])).startswith("data:")
        ]

    def until(self, expression: str) -> None:
        """Waits until a JavaScript expression is true."""
        until = time.monotonic() + PATIENCE_S
        while not self.run(expression):
            assert time.monotonic() < until, f"never: {expression}"
            time.sleep(0.02)


@contextmanager
def chromium(profile: Path) -> Iterator[Tab]:
    """A browser with an empty profile; it ends with the block."""
    path = installed()
    assert path is not None, "REPLAYLAB_BROWSER=1 wants a Chromium: apt-get install chromium"
    to_browser, write = os.pipe()
    read, from_browser = os.pipe()
    options = (*OPTIONS, f"--user-data-dir={profile}")
    process = subprocess.Popen(
        [sys.executable, "-c", _AT_3_AND_4, str(to_browser), str(from_browser), path, *options],
        pass_fds=(to_browser, from_browser),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_browser)
    os.close(from_browser)
    try:
        tab = Tab(write, read)
        yield tab
        with suppress(AssertionError, OSError):
            tab._session = None
            tab.send("Browser.close")
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        os.close(write)
        os.close(read)
