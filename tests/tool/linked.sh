#!/bin/bash
# SPDX-License-Identifier: MIT
# The tool finds the library however it is linked into a process. Arguments: the tool, the
# folder of headers, the archives.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
tool=$1
include=$2
archives=("${@:3}")
source=$(dirname "${BASH_SOURCE[0]}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Checks the number of PROGRAM's descriptors in the tool's output, and that each has both
# events.
shows() { # COUNT PROGRAM
	local word result=0
	coproc PROGRAM { exec "$2" none; }
	read -r word <&"${PROGRAM[0]}"
	"$tool" losses --json "$PROGRAM_PID" >"$dir/shown" || result=1
	eval "exec ${PROGRAM[1]}>&-"
	wait
	[ $result = 0 ] && [ "$(grep -c '"kind":"capture".*"events":2,' "$dir/shown")" = "$1" ] &&
		[ "$(grep -c '"event":"loser_' "$dir/shown")" = $((2 * $1)) ] ||
		{ echo "$word"; cat "$dir/shown"; return 1; }
}

seen() { # COMPILER FLAG...
	"$@" -std=gnu11 -I"$include" "$source/loser.c" "${archives[@]}" -o "$dir/loser" &&
		shows 1 "$dir/loser"
}

seen_stripped() {
	gcc -O2 -s -I"$include" "$source/loser.c" "${archives[@]}" -Wl,--gc-sections \
		-o "$dir/loser" && strip -s "$dir/loser" && shows 1 "$dir/loser"
}

# The same program as a plugin, twice, each with a copy of its own.
seen_twice() {
	for name in one two; do
		gcc -O2 -fPIC -shared -I"$include" -fvisibility=hidden -Dmain=loser_main \
			"$source/loser.c" "${archives[@]}" -Wl,-z,nodelete -Wl,--exclude-libs,ALL -o "$dir/lib$name.so" || return
	done
	gcc -O2 "$source/plugins.c" -o "$dir/plugins" && shows 2 "$dir/plugins"
}

# Yama may allow it only with CAP_SYS_PTRACE; if it allows more, the programs ask for it.
scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null)
capabilities=$(sed -n 's/^CapEff:[[:space:]]*/0x/p' /proc/self/status)
if [ "${scope:-0}" = 3 ] || { [ "${scope:-0}" = 2 ] && [ $((capabilities >> 19 & 1)) = 0 ]; }; then
	skip_all "kernel.yama.ptrace_scope is $scope"
fi

sections=(-O2 -ffunction-sections -fdata-sections "-Wl,--gc-sections")
check "static library" seen gcc -O2
check "a static program" seen gcc -O2 -static
check "a static program that can be moved" seen gcc -O2 -static-pie
check "a program that cannot be moved" seen gcc -O2 -no-pie -fno-pie
check "sections collected" seen gcc "${sections[@]}"
if command -v ld.gold >/dev/null; then
	check "sections collected by gold" seen gcc "${sections[@]}" -fuse-ld=gold
fi
check "optimized when linked" seen gcc -flto "${sections[@]}"
if command -v ld.lld >/dev/null; then
	check "sections collected by lld" seen clang "${sections[@]}" -fuse-ld=lld
fi
check "stripped" seen_stripped
check "in two plugins" seen_twice
finish
