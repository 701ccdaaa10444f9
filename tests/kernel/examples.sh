#!/bin/bash
# SPDX-License-Identifier: MIT
# perf starts before the examples and must record their events.
# Arguments: the programs program, types, shared, eventheader, without_macros and cpp.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
tracing=/sys/kernel/tracing
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

[ -e $tracing/user_events_data ] || skip_all "no user_events"
echo "# examples: Linux $(uname -r), interface: $(grep -q '^Max:' $tracing/user_events_status && echo status-page || echo enable-address)"

# Defines the events first, so perf can enable them before the program runs. Enables only
# these: up to 6.3 the events of all earlier tests still exist.
events=
define() { # DEFINITION...
	local definition
	for definition; do
		echo "u:$definition" >>$tracing/dynamic_events
		events=${events:+$events,}user_events:${definition%% *}
	done
}

record() { # PROGRAM
	perf record -q -o "$dir/data" -a -e "$events" -- "$1" &&
		perf script -i "$dir/data" | grep -a "$(basename "$1")" >"$dir/text"
}

# The recording has a line like this, once or TIMES times.
arrived() { # REGEX [TIMES]
	[ "$(grep -acE "$1" "$dir/text")" = "${2:-1}" ] || { cat -v "$dir/text"; return 1; }
}

eventheader='u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 opcode; u8 level'

define 'shop_request u32 status; u64 latency_ns; __rel_loc char[] path' \
	'squares u32 number; u64 square; __rel_loc char[] text' \
	'nothing_but_a_name' \
	'integers u8 u8; u16 u16; u32 u32; u64 u64; s8 s8; s16 s16; s32 s32; s64 s64; char letter; unsigned char octet; short little; unsigned short more; int number; unsigned int count; u8 yes; u64 where' \
	'texts __rel_loc char[] any_length; __rel_loc char[] at_most_five; __rel_loc char[] counted; char[8] fixed' \
	'bytes __rel_loc u8[] any_length; unsigned char[6] mac; struct point to 8; u16 port' \
	'request __rel_loc char[] step; u32 id' \
	'order __rel_loc char[] item; u32 count; u8 paid' \
	'stocked __rel_loc char[] item; u64 left' \
	"MyCompany_Shop_L4K1 $eventheader" "MyCompany_Shop_L5K2 $eventheader"

check "the first program runs" record "$1"
check "its event arrives" arrived 'shop_request: status=200 latency_ns=1234567 path=/index.html'
check "types runs" record "$2"
check "an event without fields arrives" arrived 'user_events:nothing_but_a_name:'
check "unsigned integers arrive" arrived 'user_events:integers: u8=1 u16=2 u32=3 u64=4 '
# perf 6.1 prints small negative numbers as if they were unsigned.
check "signed integers arrive" arrived ' s8=(-1|255) s16=(-2|65534) s32=-3 s64=-4 '
check "spelled integers arrive" arrived ' octet=255 little=(-5|65531) more=5 number=-6 count=6 yes=1 where=[0-9]+'
check "texts arrive" arrived 'texts: any_length=hello at_most_five=hello counted=counted fixed=tiny'
check "bytes arrive" arrived 'user_events:bytes: any_length=.* port=443'
check "shared runs" record "$3"
check "both files write the shared event" arrived 'user_events:request: ' 6
check "one of them writes three" arrived 'step=accepted id=[123]' 3
check "the other writes three" arrived 'step=served id=[123]' 3
check "eventheader runs" record "$4"
check "two activities start" arrived 'MyCompany_Shop_L4K1: .* opcode=1 level=4' 2
check "... and stop" arrived 'MyCompany_Shop_L4K1: .* opcode=2 level=4' 2
check "events of a call site and of a builder arrive" arrived 'MyCompany_Shop_L4K1: .* opcode=0 level=4' 2
check "the other level arrives" arrived 'MyCompany_Shop_L5K2: .* level=5'
check "without_macros runs" record "$5"
check "the payload packed by hand arrives" arrived 'squares: number=12 square=144 text=a dozen'
if [ $# -ge 6 ]; then
	check "cpp runs" record "$6"
	check "the inline function writes" arrived 'order: item=tea count=2 paid=1'
	check "the template writes each" arrived 'stocked: item=(tea|milk) left=7' 2
fi
finish
