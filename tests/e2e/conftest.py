"""What tests of pages share: a tab of a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.report.browser import Tab, chromium


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """A tab of headless Chromium with a profile of its own."""
    with chromium(tmp_path_factory.mktemp("profile")) as tab:
        yield tab
