#!/bin/bash
# SPDX-License-Identifier: MIT
# A disabled event costs at most three instructions and 14 bytes at its call site (load,
# test, branch), without a call and without evaluating values; 2 more bytes, if the compiler
# selects other registers for the program's values. With gcc nothing else of the site lies in
# the function's section. Compiles each call site with UE_WRITE or UE_WRITE_EVENTHEADER and
# without, and counts the difference.
# Argument: the source folder.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
source_dir=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The path of one function when the branch is not taken: up to the call of after(), or
# the jump to it.
# Registers saved on entry do not count: a compiler may save more of them for the cold
# code (clang does, to load ten values). Stack space does not count either:
# UE_WRITE_EVENTHEADER() has its values there, and the function allocates it once for all
# of its events.
path_of() { # DISASSEMBLY FUNCTION
	awk -v name="<$2>:" '
		$2 == name { inside = 1; next }
		inside && NF == 0 { exit }
		inside && /R_X86_64_PLT32\tafter/ { exit }
		!inside || !/:\t/ { next }
		held { print held; held = "" }
		!/\t(push|pop) / && !/\t(sub|add) +\$0x[0-9a-f]+,%rsp/ { held = $0 }' "$1"
}

# The same for all of the function in its own section, without alignment and returns.
near_of() { # DISASSEMBLY FUNCTION
	awk -v name="<$2>:" '
		$2 == name { inside = 1; next }
		inside && NF == 0 { exit }
		!inside || !/:\t/ { next }
		!/\t(push|pop|ret|nop|xchg|data16|cs nop)/ && !/\t(sub|add) +\$0x[0-9a-f]+,%rsp/' "$1"
}

# Sets instructions, bytes, jumps and calls to their numbers on a path, whose lines are
# ADDRESS, BYTES and INSTRUCTION.
count() { # PATH
	local line words
	instructions=0 bytes=0 jumps=0 calls=0
	while IFS=$'\t' read -r _ words line; do
		[ -n "$words" ] || continue
		read -ra words <<<"$words"
		instructions=$((instructions + 1))
		bytes=$((bytes + ${#words[@]}))
		case $line in
		"jne "*) jumps=$((jumps + 1)) ;;
		"call "*) calls=$((calls + 1)) ;;
		esac
	done <<<"$1"
}

costs_little() { # NAME FUNCTION
	local name=$1 with without more_instructions more_bytes more_calls status=0
	local instructions bytes jumps calls
	with=$(path_of "$dir/with.s" "$2")
	without=$(path_of "$dir/without.s" "$2")
	count "$without"
	more_instructions=-$instructions more_bytes=-$bytes more_calls=-$calls
	count "$with"
	more_instructions=$((more_instructions + instructions))
	more_bytes=$((more_bytes + bytes))
	more_calls=$((more_calls + calls))
	if [ $more_instructions -gt 3 ] || [ $more_instructions -lt 2 ] ||
		[ $more_bytes -gt 16 ] || [ "$jumps" != 1 ] || [ $more_calls != 0 ]; then
		status=1
	fi
	result $status "$name: $more_instructions instructions, $more_bytes bytes" \
		"with:"$'\n'"$with"$'\n'"without:"$'\n'"$without"
}

lies_apart() { # NAME FUNCTION
	local name=$1 with without more_bytes status=0
	local instructions bytes jumps calls
	with=$(near_of "$dir/with.s" "$2")
	without=$(near_of "$dir/without.s" "$2")
	count "$without"
	more_bytes=-$bytes
	count "$with"
	more_bytes=$((more_bytes + bytes))
	[ $more_bytes -le 16 ] || status=1
	result $status "$name: $more_bytes bytes in the section of the function" \
		"with:"$'\n'"$with"$'\n'"without:"$'\n'"$without"
}

compile() { # NAME SOURCE COMMAND...
	"${@:3}" -I"$source_dir/include" -c "$source_dir/tests/compile/$2" -o "$dir/$1.o" &&
		objdump -dr --insn-width=16 "$dir/$1.o" >"$dir/$1.s"
}

compile_both() { # SOURCE COMMAND...
	compile with "$@" && compile without "$@" -DWITHOUT
}

for cc in gcc clang; do
	for flags in "-O2" "-O2 -fPIC" "-O2 -fPIE" "-O3" "-O2 -fPIC -fvisibility=hidden"; do
		# shellcheck disable=SC2086
		compile_both disabled_path.c $cc -std=c11 $flags || exit 1
		for site in none ten text shared call log_none log_text log_activity log_shared \
			place place_none place_call printf syslog; do
			costs_little "$cc $flags: site_$site" "site_$site"
			[ $cc = clang ] || lies_apart "$cc $flags: site_$site" "site_$site"
		done
	done
done
for cc in g++ clang++; do
	for flags in "-O2" "-O2 -fPIC" "-O3"; do
		# shellcheck disable=SC2086
		compile_both disabled_path.cpp $cc -std=c++17 $flags || exit 1
		for site in view spans made session view_in_place; do
			costs_little "$cc $flags: site_$site" "site_$site"
			[ $cc = clang++ ] || lies_apart "$cc $flags: site_$site" "site_$site"
		done
	done
done
finish
