#!/bin/bash
# SPDX-License-Identifier: MIT
# The tool starts a program, records and reads its events, on each platform of scripts/cross.
# Arguments: the tool and the program hello.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
tool=$1 hello=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset USEREVENTS_FD USEREVENTS_RING USEREVENTS_SOCKET

events='user_events:hello number=1 square=1
user_events:hello number=2 square=4'

# The events without their times and processes.
prints() { # COMMAND...
	local lines
	lines=$("$@" 2>"$dir/errors") || { echo "exit status $?"; cat "$dir/errors"; return 1; }
	diff <(echo "$events") <(sed -n 's/^.*\(user_events:\)/\1/p' <<<"$lines")
}

record() {
	"$tool" run --record "$dir/hello.uecap" "$hello" 2
}

leave_a_ring() {
	USEREVENTS_RING=$dir/ring "$hello" 2
}

squares() {
	[ "$("$tool" decode --json "$dir/hello.uecap" |
		sed -n 's/.*"square":\([0-9]*\).*/\1/p' | paste -sd ' ' -)" = "1 4" ]
}

check "run prints the events of a program" prints "$tool" run "$hello" 2
check "run --record keeps them" record
check "decode prints them" prints "$tool" decode "$dir/hello.uecap"
check "... as JSON" squares
check "a program leaves its events in a ring" leave_a_ring
check "decode prints these, too" prints "$tool" decode "$dir/ring"
finish
