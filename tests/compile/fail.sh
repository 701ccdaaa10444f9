#!/bin/bash
# SPDX-License-Identifier: MIT
# Wrong use does not compile, and the compiler names the fault. gcc and clang must reject
# each file of fail/, as C and as C++, with the message after EXPECT:, and must compile it
# with -DGOOD, which proves that they reject the fault. After EXPECT AT ONCE: the message is
# the first error, within the first five lines, as the rest scrolls the screen away.
# Argument: the source folder.
#
# A compiler spends half of its time on the headers, so each one compiles them once.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
source_dir=$1
here=$source_dir/tests/compile
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# With the default warnings: an error must not depend on -Werror.
warnings=(-Wall -Wextra)
strict=(-Werror -Wpedantic)

# Sets compile to a command that needs a file. gcc looks for a compiled header where it
# looks for the header; clang is given it.
precompile() { # COMPILER STANDARD LANGUAGE
	local header=$dir/$1/userevents/userevents.h
	compile=("$1" "-std=$2" "${warnings[@]}" "-I$dir/$1" "-I$source_dir/include")
	mkdir -p "${header%/*}"
	"${compile[@]}" "${strict[@]}" -x "$3-header" \
		"$source_dir/include/userevents/userevents.h" -o "$header.gch" || exit 1
	case $1 in
	clang*) compile+=(-include-pch "$header.gch") ;;
	*) compile+=(-Winvalid-pch) ;;
	esac
	compile+=(-fsyntax-only -x "$3")
}

first_error() {
	awk 'NR <= 5 && /error: / { print; exit }'
}

is_refused() { # NAME FILE
	local expect output errors=cat
	{ read -r && read -r expect; } <"$2"
	[[ $expect != *"AT ONCE: "* ]] || errors=first_error
	expect=${expect#'/* EXPECT'*': '}
	expect=${expect%' */'}
	if ! output=$("${compile[@]}" "$2" -DGOOD "${strict[@]}" 2>&1); then
		result 1 "$1 (without the fault)" "$output"
	elif output=$("${compile[@]}" "$2" 2>&1); then
		result 1 "$1" "it compiles"
	else
		$errors <<<"$output" | grep -E "error: .*($expect)" >/dev/null
		result $? "$1" "$output"
	fi
}

are_refused() { # COMPILER STANDARD LANGUAGE
	local file name
	precompile "$@"
	for file in "$here"/fail/*.c; do
		name=${file##*/}
		name=${name%.c}
		is_refused "$1 $2: ${name//_/ }" "$file"
	done
}

are_refused gcc c11 c
are_refused clang c11 c
are_refused g++ c++17 c++
are_refused clang++ c++17 c++
finish
