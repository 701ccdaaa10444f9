#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the tool built for 32 bits on a 64-bit kernel. Stock kernels do not let it register,
# so doctor must report why, and all other commands must work; kernels with the patches of
# doc/kernel do. Arguments: that tool, and the usual one.
set -u
tool32=$1
tool=$2
tracing=/sys/kernel/tracing
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"

[ -e $tracing/user_events_data ] || skip_all "no user_events"

is() { # TEXT COMMAND...
	local text=$1 said
	shift
	said=$("$@") && [ "$said" = "$text" ] || { echo "$? $said"; return 1; }
}

event=tool32_$$
header=Tool32_$$
# The usual tool registers the events.
"$tool" register --wait "$event u64 wide; __rel_loc char[] text" "${header}_L4K1" \
	>"$dir/names" 2>&1 &
holder=$!
has_both() {
	[ "$(wc -l <"$dir/names")" = 2 ]
}

check "events are registered" wait_until has_both

record() { # FILE
	"$tool32" record -o "$1" -e "$event" -e "${header}_L4K1" -- sh -c \
		"'$tool' write $event wide=18446744073709551615 text=hello &&
		'$tool' write -e E ${header}_L4K1 'u64 wide=18446744073709551615' 's64 small=-1'"
}

expected="user_events:$event wide=18446744073709551615 text=\"hello\"
$header:E wide=18446744073709551615 small=-1"
if [ -n "${UE_VM_PATCHED:-}" ]; then
	check "doctor finds the interface" says 0 "user_events has the" "$tool32" doctor
	check "write writes" says 0 "" "$tool32" write "$event" wide=1 text=
	check "its events are recorded" "$tool" record -o "$dir/of32" -e "$event" -- \
		"$tool32" write "$event" wide=18446744073709551615 text=hello
	check "with all their fields" is "${expected%%$'\n'*}" \
		"$tool" decode --meta n "$dir/of32"
else
	check "doctor reports the 32-bit program" \
		says 1 "This program has 32 bits" "$tool32" doctor
	check "write reports the 32-bit program" \
		says 1 "32-bit" "$tool32" write "$event" wide=1 text=
fi
check "list has the fields" is "$event u64 wide; __rel_loc char[] text" "$tool32" list "$event"
check "run shows events" is "user_events:x a=18446744073709551615" \
	"$tool32" run --meta n -- "$tool32" write 'x u64 a' a=18446744073709551615
check "losses rejects a process of 64 bits" says 1 "another word size" \
	"$tool32" losses "$holder"
check "record records" record "$dir/data"
check "its recording is decoded" is "$expected" "$tool32" decode --meta n "$dir/data"
check "the usual tool decodes it, too" is "$expected" "$tool" decode --meta n "$dir/data"
kill "$holder"
wait "$holder"
[ ! -e "$tracing/events/user_events/$event" ] ||
	"$tool" delete "$event" "${header}_L4K1" >"$dir/names" 2>&1
finish
