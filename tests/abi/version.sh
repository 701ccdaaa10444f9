#!/bin/bash
# SPDX-License-Identifier: MIT
# The version in meson.build is everywhere. Arguments: the source and the build folder.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
source=$1
build=$2
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$source/meson.build")

is_version() { # TEXT
	[ "$1" = "$version" ] || { echo "$1, not $version"; return 1; }
}

macro() { # NAME
	sed -n "s/^#define UE_VERSION_$1 \"\?\([0-9.]*\)\"\?$/\1/p" \
		"$source/include/userevents/version.h"
}

newest_node() { # LIBRARY
	sed -n 's/^LIBUSEREVENTS_\(DECODE_\)\?\([0-9.]*\) {$/\2/p' "$source/lib/$1.map" |
		sort -V | tail -n 1
}

# A minor version that adds no symbol has no node, and none is from later.
node_is_not_later() { # LIBRARY
	local node
	node=$(newest_node "$1")
	[ "$node" ] && [ "$(printf '%s\n' "$node" "${version%.*}" | sort -V | tail -n 1)" = \
		"${version%.*}" ]
}

soname() { # LIBRARY
	readelf -d "$build/lib/$1.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p'
}

[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
result $? "meson.build has a version" "$version"
check "the header" is_version "$(macro MAJOR).$(macro MINOR).$(macro PATCH)"
check "... as text" is_version "$(macro STRING)"
for library in libuserevents libuserevents-decode; do
	check "$library.map has no later node" node_is_not_later $library
	check "the file of $library" test -f "$build/lib/$library.so.$version"
	check "... has the first number in its name" \
		[ "$(soname $library)" = "$library.so.${version%%.*}" ]
	check "$library.pc" is_version "$(sed -n 's/^Version: //p' "$build/lib/$library.pc")"
done
check "the package file for CMake" is_version "$(sed -n \
	's/^set(PACKAGE_VERSION "\([^ ]*\)")/\1/p' "$build/packaging/libuserevents-config-version.cmake")"
check "userevents --version" is_version "$("$build/tools/userevents" --version | cut -d' ' -f2)"
check "CHANGELOG.md begins with it" is_version "$(sed -nE \
	's/^## ([0-9.]+)( \(.*)?$/\1/p' "$source/CHANGELOG.md" | head -n 1)"
check "the wrap file's folder" is_version "$(sed -n \
	's/^directory = libuserevents-//p' "$source/packaging/meson/libuserevents.wrap")"
check "... and archive" is_version "$(sed -n \
	's/^source_filename = libuserevents-\(.*\)\.tar\.xz/\1/p' "$source/packaging/meson/libuserevents.wrap")"
check "the package of Python" is_version "$(sed -n 's/^version = "\(.*\)"$/\1/p' \
	"$source/bindings/python/pyproject.toml")"
check "... as text" is_version "$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' \
	"$source/bindings/python/userevents/__init__.py")"
check "the crate of Rust" is_version "$(sed -n 's/^version = "\(.*\)"$/\1/p' \
	"$source/bindings/rust/Cargo.toml")"
check "... and its lock" is_version "$(sed -n '/^name = "userevents"$/ { n; s/^version = "\(.*\)"$/\1/p }' \
	"$source/bindings/rust/Cargo.lock")"
check "the module of Go" is_version "$(sed -n 's|^require example.org/libuserevents/bindings/go v||p' "$source/bindings/go/README.md")"
check "the RPM packages" is_version "$(sed -n 's/^Version: *//p' "$source/packaging/rpm/libuserevents.spec")"
check "Debian's changelog" is_version "$(sed -n \
	'1s/^libuserevents (\(.*\)-[^-]*) .*/\1/p' "$source/packaging/debian/changelog")"
finish
