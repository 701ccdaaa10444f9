#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the example hello: it writes nothing until a tool enables its event; then ftrace
# and perf show its values. Argument: the program hello.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
hello=$1
tracing=/sys/kernel/tracing
dir=$(mktemp -d)
pid=
trap 'kill $pid 2>/dev/null; rm -rf "$dir"' EXIT

eventually() { # COMMAND...
	for _ in {1..100}; do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	echo "not within 10 s: $*"
	return 1
}

[ -e $tracing/user_events_data ] || skip_all "no user_events"
echo "# $hello: Linux $(uname -r), interface: $(grep -q '^Max:' $tracing/user_events_status && echo status-page || echo enable-address)"

# On a kernel on which 32-bit programs can register, their test has recorded this event.
: >$tracing/trace
"$hello" 600 >"$dir/out" &
pid=$!
check "hello registers its event" eventually test -d $tracing/events/user_events/hello
check "hello writes nothing while its event is disabled" eventually grep -q "nothing written" "$dir/out"
check "ftrace recorded nothing" sh -c "! grep -q hello: $tracing/trace"
check "ftrace can listen" sh -c "echo 1 >$tracing/events/user_events/hello/enable"
# Up to 6.3 the text is a dump: common fields (8 bytes), u32 number, u64 square.
check "ftrace shows the values" eventually grep -qE "hello: number=0x[0-9a-f]+ .*square=0x[0-9a-f]+|^00000000: (.. ){8}.. 00 00 00 .. .. 00 00 " $tracing/trace
check "hello reports its write" eventually grep -q ": written" "$dir/out"
check "ftrace can stop listening" sh -c "echo 0 >$tracing/events/user_events/hello/enable"
check "perf records" perf record -q -o "$dir/perf.data" -e user_events:hello -a -- sleep 2.5
check "perf shows the values" sh -c "perf script -i $dir/perf.data | grep -E 'user_events:hello: number=[0-9]+ square=[0-9]+'"
kill $pid
wait $pid 2>/dev/null
pid=
check "after its end the event has no user" \
	eventually sh -c "! grep -q 'hello #' $tracing/user_events_status"
finish
