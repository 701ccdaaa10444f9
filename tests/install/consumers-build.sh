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

flags() { # PACKAGE OPTION...
	PKG_CONFIG_LIBDIR=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$root \
		pkg-config "${@:2}" "$1"
}

run_shared() { LD_LIBRARY_PATH=$libdir "$@"; }

# Build a program shared and static, run both.
program() { # PACKAGE SOURCE COMPILER STANDARD LANGUAGE
	local package=$1 source=$2 cc=$3 std=$4 language=$5 program="$root/$2-$3-$4"
	local warn="-Wall -Wextra -Wpedantic -Werror"
	# shellcheck disable=SC2086,SC2046
	check "$cc $std: $source.c builds against $package" \
		"$cc" -std="$std" $warn -x "$language" "$here/$source.c" \
		-x none -o "$program" $(flags "$package" --cflags --libs)
	check "... runs" run_shared "$program"
	# shellcheck disable=SC2086,SC2046
	check "... builds against the archives of pkg-config --static" \
		"$cc" -std="$std" $warn -x "$language" "$here/$source.c" -x none \
		-o "$program-static" -Wl,-Bstatic \
		$(flags "$package" --static --cflags --libs) -Wl,-Bdynamic
	check "... runs without a shared library" "$program-static"
}

consumer() { # COMPILER STANDARD LANGUAGE
	program libuserevents consumer "$@"
	program libuserevents-decode decode_consumer "$@"
}

# A program that is not linked with the library loads a plugin that contains it.
plugin_stays_loaded() {
	# shellcheck disable=SC2046
	gcc -shared -fPIC -x c - -x none -o "$root/plugin.so" -Wl,-Bstatic \
		$(flags libuserevents --static --cflags --libs) -Wl,-Bdynamic <<<\
		'#include <userevents/userevents.h>
UE_EVENT(in_plugin, UE_U32(value));
int call(void) { return ue_register_module(ue_open(NULL)); }' || return
	readelf -dW "$root/plugin.so" | grep 'FLAGS_1.*NODELETE'
}

no_symbol_is_defined_twice() {
	# shellcheck disable=SC2046
	gcc "$here/decode_consumer.c" $(flags libuserevents --cflags) -pthread \
		-o "$root/whole" -Wl,--whole-archive "$libdir"/libuserevents{-decode,}.a \
		-Wl,--no-whole-archive && "$root/whole"
}

compile_header() {
	echo "#include <userevents/$4>" |
		"$1" -std="$2" -Wall -Wextra -Wpedantic -Werror \
			-I"$root/usr/local/include" -fsyntax-only -x "$3" -
}

headers_stand_alone() {
	local cc=$1 std=$2 language=$3 header more=()
	[ "$language" = c ] || more=("$root/usr/local/include/userevents/userevents.hpp")
	for header in "$root"/usr/local/include/userevents/{,*/}*.h "${more[@]}"; do
		header=${header#"$root"/usr/local/include/userevents/}
		# They come in pairs around declarations.
		[[ $header != abi/hid* && $header != abi/restore* ]] || continue
		check "$cc $std: $header compiles alone" \
			compile_header "$cc" "$std" "$language" "$header"
	done
}

only_libc() { # LIBRARY
	! readelf -d "$libdir/$1.so.0" | grep NEEDED | grep -v 'libc\.so'
}

only_ours() { # LIBRARY
	! nm -D --defined-only "$libdir/$1.so.0" | grep -v ' ue_\| LIBUSEREVENTS_'
}

# Everything the map names is defined, and with the map's version.
map_is_complete() { # LIBRARY
	local symbol missing=0
	for symbol in $(sed -n 's/^\tue_\(.*\);$/ue_\1/p' "$source_dir/lib/$1.map"); do
		nm -D --defined-only "$libdir/$1.so.0" |
			grep -q " $symbol@@LIBUSEREVENTS_" || { echo "missing: $symbol"; missing=1; }
	done
	return $missing
}

nothing_is_exported_twice() {
	! cat "$source_dir"/lib/*.map | grep '^\sue_' | sort | uniq -d | grep .
}

# The version of meson.build is that of the header, the .pc file, the file name, and,
# without its last number, of the map's newest node.
version_agrees() { # LIBRARY
	local version header
	version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$source_dir/meson.build")
	header=$(sed -n 's/^#define UE_VERSION_STRING "\(.*\)"$/\1/p' \
		"$root/usr/local/include/userevents/version.h")
	[ "$header" = "$version" ] &&
		[ "$(flags "$1" --modversion)" = "$version" ] &&
		[ -f "$libdir/$1.so.$version" ]
}

check "meson install into a DESTDIR" \
	env DESTDIR="$root" meson install --no-rebuild -C "$build_dir"
pc=$(find "$root" -name libuserevents.pc)
libdir=$(dirname "$(find "$root" -name libuserevents.so)")

for library in libuserevents libuserevents-decode; do
	check "$library needs libc and nothing else" only_libc $library
	check "... exports nothing without our prefix" only_ours $library
	check "... exports every symbol of its map" map_is_complete $library
	check "... is of the version of meson.build everywhere" version_agrees $library
done
check "no symbol is exported by both libraries" nothing_is_exported_twice
check "a plugin with the archive of pkg-config --static stays loaded" plugin_stays_loaded
check "no symbol is defined in both archives" no_symbol_is_defined_twice
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
