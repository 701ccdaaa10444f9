#!/bin/bash
# SPDX-License-Identifier: MIT
# userevents.hpp in each standard and compiler, without a warning; wrong use does not
# compile. Arguments: the source and the build folder.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
source_dir=$1
lib=$2/lib
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual
	-Wold-style-cast -Wzero-as-null-pointer-constant -Werror)

compile() { # COMPILER STANDARD ARGUMENT...
	local more=()
	[ "$1" = clang++ ] || more=(-Wuseless-cast)
	"$1" -std="$2" "${warnings[@]}" "${more[@]}" -O1 -I"$source_dir/include" "${@:3}"
}

passes() { # COMPILER STANDARD ARGUMENT...
	compile "$@" "$source_dir/tests/bindings/cpp.cpp" -o "$dir/program" \
		"$lib/libuserevents-decode.so" "$lib/libuserevents.so" -Wl,-rpath,"$lib" &&
		"$dir/program"
}

refuses() { # MESSAGE COMPILER STANDARD TEXT
	local said
	said=$(compile "$2" "$3" -x c++ -fsyntax-only - 2>&1 <<<"#include <userevents/userevents.hpp>
$4") && { echo "it compiles"; return 1; }
	grep -qE "error: .*($1)" <<<"$said" || { echo "$said"; return 1; }
}

# Old programs have macros of one capital letter.
letters=()
for name in {A..Z}; do
	letters+=("-D$name=taken($name)")
done

header_alone() { # COMPILER STANDARD ARGUMENT...
	compile "$@" -x c++ -fsyntax-only - <<<'#include <userevents/userevents.hpp>'
}

header='UE_PROVIDER(p, "P"); UE_TRACEPOINT(t, p, 4, 1);
'
for cxx in g++ clang++; do
	for std in c++17 c++20 c++2b; do
		check "$cxx $std: values of C++ are written and read back" passes $cxx $std
	done
	# A temporary object that is read too late may still have its bytes otherwise.
	check "$cxx: the same with sanitizers" passes $cxx c++20 -fsanitize=address,undefined \
		-fno-sanitize-recover=all
	check "$cxx: capital letters are macros" header_alone $cxx c++17 "${letters[@]}"
	check "$cxx: C++14 is named as too old" refuses 'needs C\+\+17' $cxx c++14 ''
	check "$cxx: a view among the members of elements" refuses 'is a view' $cxx c++17 \
		"$header struct item { std::string_view a; };
		UE_EVENTHEADER(t, e, UE_STRUCTS(item, items, UE_STRING_VIEW(a)));"
	check "$cxx: a span in a classic event" refuses 'UE_EVENTHEADER\(\) and' $cxx c++17 \
		'UE_EVENT(e, UE_SPAN(UE_U16(a)));'
	check "$cxx: a span of another type" refuses \
		'could not convert|no viable conversion|no matching|cannot convert' $cxx c++17 \
		"$header"'#include <vector>
		UE_EVENTHEADER(t, e, UE_SPAN(UE_U16(a)));
		int f(int fd, const std::vector<int> &v);
		int f(int fd, const std::vector<int> &v) { return UE_WRITE(fd, e, v); }'
done
finish
