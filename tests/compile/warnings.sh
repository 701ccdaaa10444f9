#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that use every macro compile without a warning, even a rarely used one. Names
# may be qualified. A language that is too old gives one error. Each public header compiles
# alone, and userevents.h with what it includes is short.
# Argument: the source folder.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
pass=$1/tests/compile/pass
include=$1/include
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-align
	-Wcast-qual -Wundef -Wredundant-decls -Wwrite-strings -Wpointer-arith -Wfloat-equal
	-Wfloat-conversion -Wdouble-promotion -Wvla -Wnull-dereference -Wswitch-enum -Wformat=2
	-Wmissing-declarations -Werror)
# Warnings of C.
of_c=(-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wnested-externs
	-Wbad-function-cast)

parse() { # COMPILER STANDARD LANGUAGE FILE FLAGS...
	"$1" -std="$2" "${warnings[@]}" -fsyntax-only "${@:5}" -I"$include" -x "$3" "$4"
}

# Some warnings come from optimizing.
compile() { # COMPILER STANDARD LANGUAGE FILE FLAGS...
	"$1" -std="$2" "${warnings[@]}" "${@:5}" -I"$include" -x "$3" -O1 -c "$4" -o /dev/null
}

old='
#include <userevents/userevents.h>
UE_EVENT(request, UE_U32(status), UE_STRING(path));
int main(void) { return UE_WRITE(ue_open(NULL), request, 200, "/"); }'

refused_once() { # COMPILER STANDARD
	local output
	output=$("$1" -std="$2" -Wall -Wextra -I"$include" -x c -fsyntax-only - 2>&1 <<<"$old")
	[ "$(grep -cE '(error|warning):' <<<"$output")" = 1 ] &&
		grep -q 'error: .*libuserevents needs C11 or C++11' <<<"$output" ||
		{ echo "$output"; return 1; }
}

# The largest number of values, which the preprocessor counts.
most_values() { # COMPILER STANDARD LANGUAGE
	local fields values
	fields=$(printf ', UE_BLOB(b%d)' {1..64})
	values=$(printf ', "%d", 1' {1..64})
	parse "$@" - <<<"
#include <userevents/userevents.h>
UE_PROVIDER(p, \"P\");
UE_TRACEPOINT(t, p, 1, 1);
UE_EVENTHEADER(t, many$fields);
int write_many(int fd);
int write_many(int fd) { return UE_WRITE(fd, many$values); }"
}

headers_compile_alone() { # COMPILER STANDARD LANGUAGE FLAGS...
	local header status=0
	while read -r header; do
		echo "#include <userevents/$header>" | parse "$1" "$2" "$3" - "${@:4}" || { echo "$header" && status=1; }
	done < <(cd "$include/userevents" && find . -name '*.h' ! -name 'hid*_names.h' ! -name 're*_names.h' |
		sed 's|^\./||')
	return $status
}

lines_of_umbrella() { # COMPILER
	echo '#include <userevents/userevents.h>' | "$1" -I"$include" -E -P -x c - | wc -l
}

is_short() { # COMPILER
	local lines
	lines=$(lines_of_umbrella "$1")
	[ "$lines" -le 700 ] || { echo "$lines lines"; return 1; }
}

check "userevents.h has at most 700 lines" is_short gcc
for cc in gcc clang; do
	check "$cc: 128 values" most_values $cc c11 c
	for std in c11 c17 c2x gnu11 gnu17; do
		check "$cc $std: no warnings" compile $cc $std c "$pass/everything.h" "${of_c[@]}"
	done
	for std in c11 c2x; do
		check "$cc $std: each header compiles alone" headers_compile_alone $cc $std c \
			"${of_c[@]}" -Wc++-compat
	done
	for std in c99 gnu99; do
		check "$cc $std: one error" refused_once $cc $std
	done
done
for cc in g++ clang++; do
	check "$cc: 128 values" most_values $cc c++17 c++
	more=(-Wold-style-cast -Wzero-as-null-pointer-constant -Wextra-semi -Wnon-virtual-dtor
		-Woverloaded-virtual)
	[ $cc = clang++ ] || more+=(-Wuseless-cast) # clang has no such warning
	for std in c++11 c++20; do
		check "$cc $std: each header compiles alone" headers_compile_alone $cc $std c++ \
			"${more[@]}"
	done
	for std in c++11 c++14 c++17 c++20 c++2b; do
		check "$cc $std: no warnings" compile $cc $std c++ "$pass/everything.h" \
			"${more[@]}"
		check "$cc $std: qualified names" parse $cc $std c++ "$pass/qualified.cpp" \
			"${more[@]}"
	done
done
finish
