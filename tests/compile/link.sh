#!/bin/bash
# SPDX-License-Identifier: MIT
# Events are found, in each module and in all, however a program is compiled and linked.
# Arguments: the source and the build folder.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
pass=$1/tests/compile/pass
include=$1/include
library=$2/lib/libuserevents.a
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
main="Everywhere_L4K1fGg1 InCpp_L2K8000000000000000 InMain_L1K0 InNamespace_L2K1 \
in_a_namespace in_cpp in_main never_written shared"
plugin="InPlugin_LffK0 in_plugin"
expected=$({ printf 'all %s\n' $main $plugin
	printf 'main %s\n' $main
	printf 'plugin %s\n' $plugin; } | LC_ALL=C sort | tr '\n' ' ')

build() { # CC CXX LD FLAGS...
	local cc=$1 cxx=$2 ld=$3
	shift 3
	rm -f "$dir"/*.o
	local common=(-Wall -Wextra -Wpedantic -Werror -I"$include" "$@")
	$cc -std=c11 "${common[@]}" -fPIC -c "$pass/plugin.c" -o "$dir/plugin.o" &&
		$cc -std=c11 "${common[@]}" -c "$pass/main.c" -o "$dir/main.o" &&
		$cc -std=c11 "${common[@]}" -c "$pass/shared.c" -o "$dir/shared.o" &&
		$cxx -std=c++17 "${common[@]}" -c "$pass/cpp.cpp" -o "$dir/cpp.o" &&
		$cc $ld "$@" -shared "$dir/plugin.o" -o "$dir/libplugin.so" \
			-Wl,--unresolved-symbols=ignore-all &&
		$cxx $ld "$@" "$dir/main.o" "$dir/shared.o" "$dir/cpp.o" -o "$dir/program" \
			-rdynamic "$library" -L"$dir" -lplugin -Wl,-rpath,"$dir"
}

run() {
	local found
	found=$("$dir/program" | LC_ALL=C sort | tr '\n' ' ')
	[ "$found" = "$expected" ] || { echo "found: $found"; return 1; }
}

finds_events() { # CC CXX LD FLAGS...
	build "$@" && run
}

for pair in "gcc g++" "clang clang++"; do
	read -r cc cxx <<<"$pair"
	check "$cc -O0" finds_events $cc $cxx "" -O0
	check "$cc -O2" finds_events $cc $cxx "" -O2
	check "$cc -O2 -fvisibility=hidden" finds_events $cc $cxx "" -O2 -fvisibility=hidden
	check "$cc -O2 -fno-pie" finds_events $cc $cxx "-no-pie" -O2 -fno-pie
	check "$cc sections collected" finds_events $cc $cxx "-Wl,--gc-sections" \
		-O2 -ffunction-sections -fdata-sections
done
check "gcc -flto" finds_events gcc g++ "" -O2 -flto -fvisibility=hidden
check "gcc -flto, sections collected" finds_events gcc g++ "-Wl,--gc-sections" \
	-O2 -flto -ffunction-sections -fdata-sections
# Events of one name in two namespaces are two, in one file and in two.
namespaces="first::tick: tick u32 x, 4 bytes
second::tick: tick u64 y; __rel_loc char[] text, 12 bytes
first::info: First 4
second::info: Second 2
words: 1"

namespaces_are_apart() { # CXX FILES... -- FLAGS...
	local cxx=$1 files=()
	while [ "$2" != -- ]; do
		files+=("$pass/$2")
		shift
	done
	"$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$include" "${@:3}" "${files[@]}" \
		"$library" -o "$dir/namespaces" &&
		diff <("$dir/namespaces") - <<<"$namespaces"
}

# The event of another namespace does not stand in for one that is not defined.
a_missing_one_is_named() { # CXX
	local output
	output=$("$1" -std=c++11 -I"$include" "$pass/namespaces.cpp" -DSPLIT "$library" \
		-o "$dir/namespaces" 2>&1) && return 1
	grep -q 'undefined.*first::tick_ue__' <<<"$output" || { echo "$output"; return 1; }
}

for cxx in g++ clang++; do
	check "$cxx: two namespaces in one file" namespaces_are_apart $cxx namespaces.cpp -- -O0
	check "$cxx: two namespaces in two files" \
		namespaces_are_apart $cxx namespaces.cpp namespaces_first.cpp -- -O2 -DSPLIT
	check "$cxx: an event that only the other namespace defines" a_missing_one_is_named $cxx
done

# The library calls dlopen() only in plugins: a linker would warn of it in a static program.
links_without_a_word() {
	gcc -static -Wl,--fatal-warnings -x c -I"$include" - -x none "$library" -o "$dir/static" <<<\
		'#include <userevents/userevents.h>
UE_EVENT(in_static, UE_U32(value));
int main(void) { return ue_register_all(ue_open(NULL)) == 0 && UE_WRITE(1, in_static, 1); }' &&
		"$dir/static"
}
check "a static program" links_without_a_word
# A file may include the headers, use nothing of them, and not be linked with the library.
links_alone() { # COMPILER LANGUAGE
	"$1" -O0 -x "$2" -I"$include" - -o "$dir/alone" <<<'#include <userevents/userevents.h>
int main(void) { return 0; }' && "$dir/alone"
}
for cc in gcc clang; do
	check "$cc -O0: headers without the library" links_alone $cc c
done
for cc in g++ clang++; do
	check "$cc -O0: headers without the library" links_alone $cc c++
done
if command -v ld.lld >/dev/null; then
	check "clang, lld, sections collected" finds_events clang clang++ \
		"-fuse-ld=lld -Wl,--gc-sections -Wl,-z,start-stop-gc" \
		-O2 -ffunction-sections -fdata-sections
fi
finish
