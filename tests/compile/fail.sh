#!/bin/bash
# SPDX-License-Identifier: MIT
# Wrong use does not compile, and the compiler names the fault. gcc and clang must reject
# each file of fail/, as C and as C++, with the message after EXPECT:, and must compile it
# with -DGOOD, which proves that they reject the fault.
# Argument: the source folder.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
source_dir=$1
here=$source_dir/tests/compile

# With the default warnings: an error must not depend on -Werror.
compile() { # COMPILER STANDARD LANGUAGE FILE [FLAGS]
	"$1" -std="$2" -Wall -Wextra -I"$source_dir/include" -x "$3" \
		-fsyntax-only "$4" "${@:5}" 2>&1
}

is_refused() { # COMPILER STANDARD LANGUAGE FILE
	local file=$4 what expect output
	what="$1 $2: $(basename "$file" .c | tr _ ' ')"
	expect=$(sed -n 's/^\/\* EXPECT: \(.*\) \*\/$/\1/p' "$file")
	if ! output=$(compile "$@" -DGOOD -Werror -Wpedantic); then
		result 1 "$what (without the fault)" "$output"
	elif output=$(compile "$@"); then
		result 1 "$what" "it compiles"
	else
		grep -qE "error: .*($expect)" <<<"$output"
		result $? "$what" "$output"
	fi
}

for file in "$here"/fail/*.c; do
	is_refused gcc c11 c "$file"
	is_refused clang c11 c "$file"
	is_refused g++ c++17 c++ "$file"
	is_refused clang++ c++17 c++ "$file"
done
finish
