#!/bin/bash
# SPDX-License-Identifier: MIT
# Wrong use does not compile, and the compiler says what is wrong: each file of fail/
# must be refused with the words after EXPECT:, as C and as C++, by gcc and clang,
# and must compile with -DGOOD, so that it is the fault that is refused.
# Argument: the source folder.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
source_dir=$1
here=$source_dir/tests/compile

# As warnings come by default: an error must not depend on -Werror.
compile() { # COMPILER STANDARD LANGUAGE FILE [FLAGS]
	"$1" -std="$2" -Wall -Wextra -I"$source_dir/include" -x "$3" -c "$4" \
		-o /dev/null "${@:5}" 2>&1
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
