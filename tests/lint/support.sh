# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# For the tests of suite lint, which source tests/support/tap.sh first.

# Without its program a test fails.
require() { # PROGRAM
	command -v "$1" >/dev/null && return
	result 1 "$1 is installed" "cannot run $1: it is not installed; run scripts/packages --install tests"
	finish
}
