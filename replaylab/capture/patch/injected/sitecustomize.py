"""Python imports this at its start, because its folder is the first of PYTHONPATH: it puts vcrpy into the program.

A `sitecustomize` that was there before is run too. Nothing here imports replaylab: the program may run in another
environment, which needs neither replaylab nor vcrpy.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.machinery import PathFinder

HERE = os.path.dirname(os.path.abspath(__file__))
SOCKET = "REPLAYLAB_PATCH_SOCKET"
NOT_PATCHED = 78  # what a program ends with that would have run without being recorded


def _run_the_other() -> None:
    """The `sitecustomize` that this one stands in front of."""
    paths = [path for path in sys.path if os.path.abspath(path or ".") != HERE]
    spec = PathFinder.find_spec("sitecustomize", paths)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _patch() -> None:
    spec = importlib.util.spec_from_file_location("_replaylab_patch", os.path.join(HERE, "child.py"))
    if spec is None or spec.loader is None:
        raise ImportError("child.py is not there")
    module = importlib.util.module_from_spec(spec)
    sys.modules["_replaylab_patch"] = module
    spec.loader.exec_module(module)
    module.install()


try:
    _run_the_other()
finally:
    if os.environ.get(SOCKET):
        try:
            _patch()
        except BaseException as error:  # noqa: BLE001 - whatever it was, the program must not run unrecorded
            sys.stderr.write(f"replaylab: this Python can't be recorded: {type(error).__name__}: {error}\n")
            sys.stderr.flush()
            os._exit(NOT_PATCHED)
