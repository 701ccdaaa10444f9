#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the example that reads a file of events on a file made by hand. Its events are
# those that the format's specification explains byte by byte.
# Argument: the program 05_read_eventheader.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
program=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Bytes from hex digits; blanks are ignored.
bytes() { # HEX...
	local digits
	digits=$(printf '%s' "$@" | tr -d ' \n')
	printf "$(sed 's/../\\x&/g' <<<"$digits")"
}

little32() { # NUMBER
	bytes "$(printf '%02x%02x%02x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) \
		$(($1 >> 16 & 255)) $(($1 >> 24 & 255)))"
}

# A record: its size, the tracepoint's name and a NUL, the event.
record() { # NAME HEX...
	bytes "${@:2}" >"$dir/event"
	little32 $((4 + ${#1} + 1 + $(wc -c <"$dir/event")))
	printf '%s\0' "$1"
	cat "$dir/event"
}

hello=("07 01 64 00 ef be 01 04"
	"10 00 02 80  01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10"
	"1c 00 01 00  48 65 6c 6c 6f 00"
	"69 00 84 02  73 00 0a  74 00 82 83 34 12  61 00 23 02 00  76 00 c5 08"
	"fe ff ff ff  03 00 68 c3 a9  ff  50 00 bb 01"
	"01 00 00 00 00 00 00 00 e0 3f")
hello_json='{"n":"MyCo_Net:Hello","i":-2,"s":"hé","t;tag=0x1234":"0xFF","a":[80,443],"v":[0.5],"meta":{"id":100,"version":1,"level":4,"keyword":"0x1F","opcode":1,"tag":"0xBEEF","activity":"01020304-0506-0708-090a-0b0c0d0e0f10"}}'

structs=("07 00 00 00 00 00 00 05  10 00 01 00  53 00"
	"70 00 c1 02  78 00 02  79 00 08  7a 00 8d 02"
	"02 00  01 61 00 00 00  02 00 00  00 00")
structs_json='{"n":"P:S","p":[{"x":1,"y":"a"},{"x":2,"y":""}],"z":null,"meta":{"level":5}}'

big_endian=("04 00 00 01 00 00 00 02  00 09 00 01  42 00"
	"6e 00 03  70 00 83 10  01 02  00 50")
big_endian_json='{"n":"P:B","_n":258,"p":80,"meta":{"id":1,"level":2,"keyword":"0x8000000000000000"}}'

# A constant array of two structs; a name of 300 bytes.
constant=("07 00 00 00 00 00 00 05  0b 00 01 00  45 00"
	"73 00 a1 01 02 00  61 00 02  11 22")
constant_json='{"n":"P:E","s":[{"a":17},{"a":34}],"meta":{"level":5}}'
long_name=$(printf 'n%.0s' {1..300})
long=("07 00 00 00 00 00 00 05  2d 01 01 00 ${long_name//n/6e} 00")
long_json='{"n":"P:'$long_name'","meta":{"level":5}}'

# The second event without its last byte, which is half of a count.
cut=("${structs[@]:0:2}" "02 00  01 61 00 00 00  02 00 00  00")
cut_json='{"n":"P:S","p":[{"x":1,"y":"a"},{"x":2,"y":""}],"meta":{"level":5,"error":{"name":"string_past_end","offset":38,"reason":"A string is longer than the rest of the event."}}}'

prints() { # FILE LINE...
	local lines
	lines=$("$program" "$1") || { echo "exit status $?"; return 1; }
	diff <(printf '%s\n' "${@:2}") - <<<"$lines"
}

# Ends with this status and this message.
ends() { # STATUS REGEX ARGUMENT...
	local words status=0
	words=$("$program" "${@:3}" 2>&1) || status=$?
	echo "exit status $status: $words"
	[ $status = "$1" ] && grep -qE -e "$2" <<<"$words"
}

{
	record MyCo_Net_L4K1fGmygrp "${hello[@]}"
	record P_L5K0 "${structs[@]}"
	record P_L2K8000000000000000 "${big_endian[@]}"
	record P_L5K0 "${constant[@]}"
	record P_L5K0 "${long[@]}"
} >"$dir/five"
check "five events are five lines" prints "$dir/five" "$hello_json" "$structs_json" \
	"$big_endian_json" "$constant_json" "$long_json"

{
	record P_L5K0 "${cut[@]}"
	record MyCo_Net_L4K1fGmygrp "${hello[@]}"
} >"$dir/cut"
check "a truncated event keeps its first fields, and the next one follows" \
	prints "$dir/cut" "$cut_json" "$hello_json"

record other "${hello[@]}" >"$dir/other"
check "an event of another kind is reported" \
	ends 0 '^\{"n":"other",.*"error":\{"name":"name_no_level"' "$dir/other"

: >"$dir/empty"
check "a file without events has no lines" prints "$dir/empty"

head -c -1 "$dir/five" >"$dir/short"
check "a truncated record is an error" ends 1 'short: Bad message$' "$dir/short"
head -c 2 "$dir/five" >"$dir/size"
check "half a size is an error" ends 1 'size: Bad message$' "$dir/size"
little32 3 >"$dir/small"
check "a size smaller than itself is an error" ends 1 'small: Bad message$' "$dir/small"
check "a missing file is an error" ends 1 'No such file' "$dir/none"
check "without a file it prints its usage" ends 2 'usage: .* FILE\.dat'
finish
