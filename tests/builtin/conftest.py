from __future__ import annotations

import pytest

from replaylab.builtin.responder import Responder
from replaylab.catalogue.loader import Catalogue, shipped


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return Catalogue.load([shipped()])


@pytest.fixture(scope="session")
def models(catalogue: Catalogue) -> Responder:
    """The built-in models over the shipped scenarios."""
    return Responder(catalogue)
