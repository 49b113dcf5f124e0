#!/bin/sh
# Makes build/oracle: Inspect AI and the krippendorff package, whose answers ours are compared with. They live in an
# environment of their own, since they pull in eighty packages and want an older python-dateutil than ours.
# Called by the Makefile, from the top of the checkout.
set -eu

rm -rf build/oracle
mkdir -p build
.venv/bin/python -m venv build/oracle
echo "installing Inspect AI into build/oracle (once; some minutes)" >&2
PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 \
    build/oracle/bin/python -m pip install -qq --constraint tools/oracle.txt inspect-ai krippendorff
touch build/oracle/.ready
