#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the tool on a real kernel. Other tools must see the events that it registers,
# lists, writes and deletes, and it must see the losses of a process. Arguments: the tool,
# the programs loser and eventheader.
set -u
tool=$1
loser=$2
eventheader=$3
tracing=/sys/kernel/tracing
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"

[ -e $tracing/user_events_data ] || skip_all "no user_events"
interface=enable-address
grep -q '^Max:' $tracing/user_events_status && interface=status-page
echo "# tool: Linux $(uname -r), interface: $interface"

has_line() { # LINE COMMAND...
	local line=$1
	shift
	"$@" | grep -xF -- "$line" >/dev/null || { "$@"; return 1; }
}

same_lines() { # TEXT TEXT: a bare root has no diff
	[ "$1" = "$2" ] || { printf '%s\n' "$1" "-- is not:" "$2"; return 1; }
}

fields='u32 status; char[20] path; __rel_loc char[] text; struct point at 8; s8 small; __rel_loc u16[] numbers'

hold() { # ARGUMENT...: register and keep the events until let_go
	rm -f "$dir/names"
	"$tool" register --wait "$@" >"$dir/names" 2>"$dir/said" &
	echo $! >"$dir/holder"
	wait_until test -s "$dir/names" || { cat "$dir/said"; return 1; }
}

ended() { # PID: true also for a zombie, which this shell cannot wait for
	! grep -q '^State:	[^Z]' "/proc/$1/status"
}

let_go() {
	local holder
	holder=$(cat "$dir/holder")
	kill "$holder" && wait_until ended "$holder" && forget "$@"
}

# Events end with their last user; before Linux 6.4 they must be deleted.
forget() { # NAME...
	[ $interface = enable-address ] || "$tool" delete "$@" >"$dir/deleted"
}

exists() { [ -e "$tracing/events/user_events/$1" ]; }
is_gone() { [ ! -e "$tracing/events/user_events/$1" ]; }

listen() { echo 1 >$tracing/events/user_events/tool_test/enable; }
stop() { echo 0 >$tracing/events/user_events/tool_test/enable; }

write_one() {
	"$tool" write "$@" tool_test status=200 path=/index.html text='hello there' \
		at=0102030405060708 small=-1 numbers=1,65535
}

record() {
	perf record -q -o "$dir/data" -e user_events:tool_test -a -- \
		"$tool" write tool_test status=200 path=/index.html text='hello there' \
		at=0102030405060708 small=-1 numbers=1,65535
}

decoded() {
	"$tool" decode --meta n "$dir/data" >"$dir/text" &&
		[ "$(cat "$dir/text")" = 'user_events:tool_test status=200 path="/index.html" text="hello there" at="01 02 03 04 05 06 07 08" small=-1 numbers=[1 65535]' ] ||
		{ cat "$dir/text"; return 1; }
}

# An EventHeader event of a tracepoint that exists, and of one that does not exist yet.
write_header() {
	"$tool" write Tool_Test_L4K1f --event Order who=me 'u32 count=5'
}

header_is_recorded() {
	"$tool" record -o "$dir/header" -e Tool_Test_L4K1f -- "$tool" write Tool_Test_L4K1f \
		--event Order who=me 'u32 count=5' &&
		[ "$("$tool" decode --meta n "$dir/header")" = 'Tool_Test:Order who="me" count=5' ]
}

check "register --wait makes events exist" hold "tool_test $fields" Tool_Test_L4K1f
check "an EventHeader name gets its fields" \
	grep -q 'field:u8 level;' $tracing/events/user_events/Tool_Test_L4K1f/format
check "list shows the definition" has_line "tool_test $fields" "$tool" list tool_test
check "list splits an EventHeader name" \
	says 0 'provider Tool_Test, level 4 (information), keyword 0x1f' "$tool" list 'Tool*'
check "status reports no listener" has_line "tool_test  none" "$tool" status tool_test
check "write reports no listener, and succeeds" says 0 "tool_test has no listener, so it was not written." write_one
check "write --quiet prints nothing" has_line "" bash -c "\"$tool\" write -q 'tool_quiet u8 a' a=1 2>&1; echo"
forget tool_quiet
listen
check "status reports ftrace as listener" has_line "tool_test  ftrace" "$tool" status tool_test
check "list --json reports ftrace as listener" says 0 '"listeners":["ftrace"]' "$tool" list --json tool_test
stop
check "perf records the event of write" record
check "decode prints it" decoded
check "write of an EventHeader event reports no listener" \
	says 0 "Tool_Test_L4K1f has no listener" write_header
check "perf records an EventHeader event of write" header_is_recorded
check "watch prints it when only write has the tracepoint" \
	has_line 'Tool_Alone:Order count=5' "$tool" watch --meta n -r Tool_Alone_L4K1 \
	"$tool" write Tool_Alone_L4K1 --event Order 'u32 count=5'
forget Tool_Alone_L4K1
check "an event in use is not deleted" says 1 "is in use" "$tool" delete tool_test
check "other fields are rejected" says 1 "other fields" \
	"$tool" register --wait 'tool_test u64 other'
check "a missing event is not written" says 1 'there is no event "tool_other"' \
	"$tool" write tool_other
check "a missing value is reported" says 2 "The value of path is missing" \
	"$tool" write tool_test status=1
check "a signal ends it" let_go tool_test Tool_Test_L4K1f
check "the events are gone" wait_until is_gone tool_test

# Those that an earlier test listened to until their program had ended are still there.
"$tool" delete loser_number loser_text MyCompany_Shop_L4K1 MyCompany_Shop_L5K2 >/dev/null 2>&1

check "register --from registers the events of programs" hold --from "$loser" --from "$eventheader"
for name in loser_number loser_text MyCompany_Shop_L4K1 MyCompany_Shop_L5K2; do
	check "$name exists before its program runs" wait_until exists "$name"
done
check "they have the fields that list prints" same_lines \
	"$("$tool" list "$loser" "$eventheader" | grep -v '^# ' | sort)" \
	"$("$tool" list 'loser_*' 'MyCompany_Shop_*' | sort)"
check "the first event of the program is recorded" has_line 'MyCompany_Shop:CheckoutStarted order=17' \
	"$tool" watch --meta n -e MyCompany_Shop_L4K1 -- "$eventheader"
check "run prints them without the kernel" has_line 'MyCompany_Shop:CheckoutStarted order=17' \
	"$tool" run --meta n -- "$eventheader"
check "its events are gone with their last user" let_go loser_number loser_text \
	MyCompany_Shop_L4K1 MyCompany_Shop_L5K2
check "they are gone" wait_until is_gone MyCompany_Shop_L5K2

if [ $interface = enable-address ]; then
	check "register without --wait or --persist is rejected" says 2 "use --wait" \
		"$tool" register 'tool_gone u8 a'
	check "--persist keeps an event" has_line tool_keeps \
		"$tool" register --persist 'tool_keeps u8 a'
	check "it exists after the command" exists tool_keeps
	check "delete deletes it" has_line tool_keeps "$tool" delete tool_keeps
	check "it is gone" wait_until is_gone tool_keeps
	check "several are kept" "$tool" register --persist 'tool_keeps_a u8 a' \
		'tool_keeps_b u8 a' 'tool_other u8 a'
	check "--multi-format coexists with others" hold --multi-format 'tool_multi u8 a'
	check "list shows it with its fields" says 0 'tool_multi u8 a  # user_events_multi:tool_multi.' \
		"$tool" list 'tool_multi*'
	check "status prints it" says 0 'tool_multi' "$tool" status 'tool_multi*'
	check "its holder ends" let_go
else
	check "an event stays" has_line tool_keeps "$tool" register 'tool_keeps u8 a'
	check "delete deletes it" has_line tool_keeps "$tool" delete tool_keeps
	check "then it is gone" wait_until is_gone tool_keeps
	check "several stay" "$tool" register 'tool_keeps_a u8 a' 'tool_keeps_b u8 a' \
		'tool_other u8 a'
	check "--persist is rejected" says 1 "needs Linux 6.7" \
		"$tool" register --persist 'tool_persist u8 a'
fi
# The result of one check of doctor: yes, no, not asked, could not tell.
answers() { # CHECK ANSWER
	"$tool" doctor --json | grep -F "{\"check\":\"$1\",\"answer\":\"$2\"," >/dev/null ||
		{ "$tool" doctor; return 1; }
}

check "doctor finds no fault" "$tool" doctor
not_container() { ! "$tool" doctor --json | grep '"check":"container"'; }
check "doctor does not take a virtual machine for a container" not_container
check "doctor reports the right to write" answers rights yes
check "doctor detects the interface" answers interface yes
check "doctor names a fault of this kernel" answers faults.sizes no
if [ $interface = enable-address ]; then
	check "doctor finds persistent events" answers persist yes
	check "doctor finds several formats" answers multi_format yes
else
	check "doctor finds no persistent events" answers persist no
	check "doctor finds no several formats" answers multi_format no
fi
# It writes 1000 events, some too large, and then keeps running.
mkfifo "$dir/until"
"$loser" some 1000 <"$dir/until" >"$dir/loser" 2>&1 &
loser_pid=$!
exec 7>"$dir/until"

# The kernel sets the word some instructions before ftrace accepts events, so it stands still.
lose() {
	wait_until grep -q registered "$dir/loser" || return
	kill -STOP "$loser_pid"
	wait_until grep -q '^State:.T' "/proc/$loser_pid/status" || return
	echo >$tracing/trace
	echo 1 >$tracing/events/user_events/loser_text/enable
	kill -CONT "$loser_pid"
	wait_until grep -q written "$dir/loser" || { cat "$dir/loser"; return 1; }
}

# The value of a member in the tool's output for loser_text.
shown() { # MEMBER
	"$tool" losses --json "$loser_pid" |
		sed -n "s/.*\"event\":\"loser_text\".*\"$1\":\([a-z0-9]*\)[,}].*/\1/p"
}

# The buffers count each event that was recorded. The header of the file trace counts only
# those whose time is not before that of the last reset, by another processor's clock.
adds_up() {
	local recorded lost
	recorded=$(awk '/^(entries|overrun): / { n += $2 } END { print n }' \
		$tracing/per_cpu/cpu*/stats)
	lost=$(shown tooLarge)
	[ "$recorded" = 800 ] && [ "$lost" = 200 ] && return
	echo "recorded $recorded, lost $lost"
	head -n 20 $tracing/per_cpu/cpu*/stats $tracing/trace
	"$tool" losses --all
	return 1
}

is_shown() { # MEMBER VALUE
	[ "$(shown "$1")" = "$2" ] || { "$tool" losses --json; return 1; }
}

check "a process loses events" lose
check "recorded and lost events add up to the written events" adds_up
check "losses reports the interface of the descriptor" says 0 "(${interface/-/ }), 2 events: lost 200: 200 too large" \
	"$tool" losses
echo 0 >$tracing/events/user_events/loser_text/enable
check "a write of a disabled event is not counted as a loss" is_shown other 0
exec 7>&-
wait "$loser_pid"
check "the process exits with status 0" test $? = 0

deleted_by() { # NAMES ARGUMENT...
	local names=$1
	shift
	[ "$("$tool" delete "$@" | sort | tr '\n' ' ')" = "$names" ]
}

check "delete takes a GLOB" deleted_by "tool_keeps_a tool_keeps_b " 'tool_keep*'
check "the matching events are gone" wait_until is_gone tool_keeps_b
check "other events still exist" exists tool_other
check "a GLOB that matches nothing is reported" says 1 'no event that "tool_keep*" matches' \
	"$tool" delete 'tool_keep*'
# A stock kernel accepts any name, and can then list the directory for no process.
cat >"$dir/odd_name.py" <<'END'
import ctypes, fcntl, os, struct, subprocess, sys
definition, word = ctypes.create_string_buffer(sys.argv[1].encode()), ctypes.c_uint32()
request = struct.pack("=IBBHQQI", 28, 31, 4, 0, ctypes.addressof(word),
                      ctypes.addressof(definition), 0)
if os.uname().release.startswith("6.1."):
    request = struct.pack("=IQII", 20, ctypes.addressof(definition), 0, 0)
with open("/sys/kernel/tracing/user_events_data", "rb+", buffering=0) as file:
    fcntl.ioctl(file, 0xc0082a00, bytearray(request))
    sys.exit(subprocess.run(sys.argv[2:]).returncode)
END

beside() { # DEFINITION COMMAND...: while an event with an invalid name exists
	python3 "$dir/odd_name.py" "$@"
}

check_beside_odd_names() {
	local odd
	for odd in "" " u32 a" "odd/name u32 a"; do
		check "an event \"$odd\" does not hide others from list" \
			says 0 'tool_other u8 a' beside "$odd" "$tool" list tool_other
		check "it does not hide others from status" says 0 'tool_other' beside "$odd" "$tool" status tool_other
		check "it does not hide others from record" beside "$odd" "$tool" record -o "$dir/odd" -e tool_other -- \
			"$tool" write -q tool_other a=1
	done
	[ $interface = enable-address ] && check "list reports the hidden event" says 0 \
		'its name is empty or has a "/"' beside "" "$tool" list tool_other
	check "status reports the hidden event" says 0 "event without a name is not shown" \
		beside "" "$tool" status tool_other
}

if [ -n "${UE_VM_PATCHED:-}" ]; then
	for odd in "" " u32 a" "odd/name u32 a"; do
		check "a patched kernel rejects an event \"$odd\"" says 1 "Invalid argument" beside "$odd" true
	done
else
	check_beside_odd_names
fi

check "delete of all events is rejected" says 2 "use --all" "$tool" delete '*'
check "delete --all deletes them" has_line tool_other "$tool" delete --all
check "then the event is gone" wait_until is_gone tool_other
check "deleting a missing event is reported" says 1 "no event of that name" "$tool" delete tool_nothing
finish
