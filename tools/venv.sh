#!/bin/sh
# Makes .venv with the pinned versions of constraints.txt and this checkout installed in place.
# Called by the Makefile, from the top of the checkout, only when what must be installed has changed. The argument is
# the file that says so once it is done: .venv/.ready, or .venv/.ready-EXTRA where the packages of an extra come along.
set -eu
stamp=$1
extra=${stamp#.venv/.ready}
extra=${extra#-}

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    for name in python3 python3.11 python3.12 python3.13 python3.14 python; do
        if command -v "$name" >/dev/null 2>&1 && is_new_enough "$name"; then
            echo "$name"
            return
        fi
    done
    echo "replaylab needs Python 3.11 or newer, and none is on the PATH." >&2
    echo "Looked for python3, python3.11 to python3.14 and python. On Debian 12: apt-get install python3 python3-venv" >&2
    exit 2
}

# An environment made by another Python, or in a folder that was moved since, can't be mended: its scripts
# name the old place. It is made anew.
is_usable() {
    [ -x .venv/bin/python ] && is_new_enough .venv/bin/python &&
        [ "$(cat .venv/.place 2>/dev/null || true)" = "$(pwd -P)" ]
}

if ! is_usable; then
    python=$(find_python)
    echo "making .venv with $("$python" --version)" >&2
    rm -rf .venv
    if ! "$python" -m venv .venv; then
        rm -rf .venv
        echo "$python can't make an environment. On Debian: apt-get install python3-venv" >&2
        exit 2
    fi
    pwd -P >.venv/.place
fi

# pip's own caution about running as root is for system-wide installs; this is a private folder. Twice quiet, since a
# machine's own package index may warn at every package and bury what is said here; errors are still shown.
install() {
    PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 \
        .venv/bin/python -m pip install -qq --constraint constraints.txt "$@"
}

echo "installing the pinned packages into .venv (once; a minute or two)" >&2
# The build tools come first and pinned, so that building this checkout needs no network of its own.
install hatchling editables
install --no-build-isolation --editable ".${extra:+[$extra]}"
touch .venv/.ready "$stamp"
