"""Serves one GGUF file in the shape of the OpenAI API, on loopback only, until its stdin is closed.

tools/real.py starts it with the Python of build/real/venv, where xllamacpp is; it imports nothing of replaylab.
It prints one line of JSON, `{"address": "http://127.0.0.1:PORT"}`, once the model is loaded.

A slot holds the keys and values of the prompt it answered last. With the prompt cache, a request goes on from
the slot that shares the longest beginning with it, so a trial pays only for what each step adds. The price: the
same request can get another text, at temperature 0 too, since what was computed in other batches was rounded
otherwise. Without the cache the text depends on request and seed alone, and every call pays its whole prompt.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

KEY_ENV = "REPLAYLAB_REAL_KEY"
# A request takes over the slot of another conversation only if it shares this part of it: the prompts of all
# environments begin alike, and with the default of 0.1 they drive each other out.
SIMILARITY = 0.3


def options(arguments: list[str]) -> argparse.Namespace:
    """The command line. `--context` is in tokens and holds for each slot."""
    parser = argparse.ArgumentParser(
        description="Serve a GGUF file on loopback, in the shape of the OpenAI API."
    )
    parser.add_argument("gguf", type=Path)
    parser.add_argument(
        "--name", required=True, help="what answers call the model; else it would be the path"
    )
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--context", type=int, default=8192, help="tokens a slot")
    parser.add_argument("--slots", type=int, default=4, help="prompts kept at the same time")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--no-prompt-cache", action="store_true")
    return parser.parse_args(arguments)


def parameters(llama: Any, given: argparse.Namespace, key: str) -> Any:
    """What xllamacpp's Server takes. `llama` is the xllamacpp module."""
    made = llama.CommonParams()
    made.model.path, made.model_alias = str(given.gguf), {given.name}
    made.n_ctx, made.n_parallel = given.context * given.slots, given.slots
    made.cpuparams.n_threads = made.cpuparams_batch.n_threads = given.threads
    made.hostnames, made.port, made.api_keys = ["127.0.0.1"], given.port, [key]
    made.cache_prompt = not given.no_prompt_cache
    made.slot_prompt_similarity = SIMILARITY
    made.warmup = False
    return made


def main() -> None:
    """Serve until stdin is closed, which also happens when whoever started this dies."""
    given = options(sys.argv[1:])
    key = os.environ.get(KEY_ENV, "")
    if not key:
        raise SystemExit(f"{KEY_ENV} is not set; the server wants a key so that no other program uses it")
    llama = importlib.import_module("xllamacpp")
    server = llama.Server(parameters(llama, given, key))
    print(json.dumps({"address": server.listening_address}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
