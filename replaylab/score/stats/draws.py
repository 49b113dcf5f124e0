"""Chance for resampling. Every draw comes from the raw words of PCG64, which numpy promises never to change.

Its distributions (multinomial, integers, permutation) may change between versions, and with them every printed limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_HELD = 4_000_000  # numbers that are kept, 32 MB
_CHUNK = 4096  # draws at a time: bounds memory, and is part of no result


def uniform(shape: tuple[int, ...], seed: int | tuple[int, ...]) -> NDArray[np.float64]:
    """Numbers from 0 up to and without 1, filled row by row. A seed may be several numbers."""
    words = np.random.PCG64(seed).random_raw(int(np.prod(shape))).reshape(shape)
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


def weights(clusters: int, draws: int, seed: int) -> NDArray[np.float64]:
    """How often each cluster is drawn in each resample of as many clusters: draws x clusters. Not to be written to."""
    return (_held if clusters * draws <= _HELD else _drawn)(clusters, draws, seed)


def _drawn(clusters: int, draws: int, seed: int) -> NDArray[np.float64]:
    chosen = (uniform((draws, clusters), seed) * clusters).astype(np.int64)
    flat = chosen + np.arange(draws)[:, None] * clusters
    counts = np.bincount(flat.ravel(), minlength=draws * clusters)
    found = counts.reshape(draws, clusters).astype(np.float64)
    found.setflags(write=False)
    return found


_held = lru_cache(maxsize=2)(_drawn)  # a table resamples the same scenarios for each of its rows


def signs(flips: int, draws: int, seed: int) -> Iterator[NDArray[np.int8]]:
    """Rows of +1 and -1, in chunks; the rows don't depend on how they are cut."""
    source = np.random.PCG64(seed)
    words = -(-flips // 64)
    for start in range(0, draws, _CHUNK):
        rows = min(_CHUNK, draws - start)
        raw = source.random_raw(rows * words).astype("<u8").reshape(rows, words)
        bits = np.unpackbits(raw.view(np.uint8), axis=1, count=flips, bitorder="little")
        yield (2 * bits.astype(np.int8)) - 1
