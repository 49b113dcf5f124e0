#!/bin/sh
# Makes build/clients: the clients that the proxy is tested with and that our own environment can't hold. The last openai
# of the first series, anthropic and google-genai for Python, each series in an environment of its own, and openai for
# Node where there is npm.
# Called by the Makefile, from the top of the checkout. With an argument it takes that Python instead of .venv's.
set -eu
python=${1:-.venv/bin/python}

rm -rf build/clients
mkdir -p build/clients/node
install() {
    "$python" -m venv "build/clients/$1"
    PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 \
        "build/clients/$1/bin/python" -m pip install -qq --requirement "$2"
}
echo "installing other clients into build/clients (once; a minute or two)" >&2
install openai1 tools/clients-openai1.txt
install others tools/clients.txt
if command -v npm >/dev/null 2>&1; then
    cp tools/clients.json build/clients/node/package.json
    npm install --prefix build/clients/node --silent --no-audit --no-fund --ignore-scripts
fi
touch build/clients/.ready
