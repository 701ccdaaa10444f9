#!/bin/bash
# SPDX-License-Identifier: MIT
# Install into a DESTDIR; build and run C and C++ consumers through pkg-config,
# shared and static; compile each header alone. Arguments: source, build folder.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
source_dir=$1
build_dir=$2
here=$source_dir/tests/install
root=$(mktemp -d "${TMPDIR:-/tmp}/ue-install-XXXXXX")
trap 'rm -rf "$root"' EXIT

flags() {
	PKG_CONFIG_LIBDIR=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$root \
		pkg-config "$@" libuserevents
}

run_shared() { LD_LIBRARY_PATH=$libdir "$@"; }

# consumer COMPILER STANDARD LANGUAGE: build shared and static, run both.
consumer() {
	local cc=$1 std=$2 language=$3 program="$root/consumer-$1-$2"
	local warn="-Wall -Wextra -Wpedantic -Werror"
	# shellcheck disable=SC2086,SC2046
	check "$cc $std builds against the shared library" \
		"$cc" -std="$std" $warn -x "$language" "$here/consumer.c" \
		-x none -o "$program" $(flags --cflags --libs)
	check "$cc $std runs" run_shared "$program"
	# shellcheck disable=SC2086,SC2046
	check "$cc $std builds against the static library" \
		"$cc" -std="$std" $warn -x "$language" "$here/consumer.c" -x none \
		-o "$program-static" $(flags --cflags) "$libdir/libuserevents.a" -pthread
	check "$cc $std runs without the shared library" "$program-static"
}

compile_header() {
	echo "#include <userevents/$4>" |
		"$1" -std="$2" -Wall -Wextra -Wpedantic -Werror \
			-I"$root/usr/local/include" -fsyntax-only -x "$3" -
}

headers_stand_alone() {
	local cc=$1 std=$2 language=$3 header
	for header in "$root"/usr/local/include/userevents/{,*/}*.h; do
		header=${header#"$root"/usr/local/include/userevents/}
		check "$cc $std: $header compiles alone" \
			compile_header "$cc" "$std" "$language" "$header"
	done
}

only_libc() {
	! readelf -d "$libdir/libuserevents.so.0" | grep NEEDED | grep -v 'libc\.so'
}

only_ours() {
	! nm -D --defined-only "$libdir/libuserevents.so.0" | grep -v ' ue_\| LIBUSEREVENTS_'
}

# Everything the map names is defined, and with the map's version.
map_is_complete() {
	local symbol missing=0
	for symbol in $(sed -n 's/^\tue_\(.*\);$/ue_\1/p' "$source_dir/lib/libuserevents.map"); do
		nm -D --defined-only "$libdir/libuserevents.so.0" |
			grep -q " $symbol@@LIBUSEREVENTS_" || { echo "missing: $symbol"; missing=1; }
	done
	return $missing
}

version_agrees() {
	[ "$(flags --modversion)" = "$(sed -n "s/^  version: '\(.*\)',/\1/p" "$source_dir/meson.build")" ]
}

check "meson install into a DESTDIR" \
	env DESTDIR="$root" meson install --no-rebuild -C "$build_dir"
pc=$(find "$root" -name libuserevents.pc)
libdir=$(dirname "$(find "$root" -name libuserevents.so)")

check "the shared library needs libc and nothing else" only_libc
check "every exported symbol is ours" only_ours
check "every symbol of the map is exported" map_is_complete
check "pkg-config tells the version of meson.build" version_agrees
for cc in gcc clang; do
	consumer $cc c11 c
	consumer $cc c2x c
	headers_stand_alone $cc c11 c
	headers_stand_alone $cc c2x c
done
for cc in g++ clang++; do
	consumer $cc c++17 c++
	consumer $cc c++20 c++
	headers_stand_alone $cc c++17 c++
done
finish
