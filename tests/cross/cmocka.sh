#!/bin/bash
# SPDX-License-Identifier: MIT
#
# cmocka.sh NAME COMPILER: prints a folder with cmocka for another platform, and makes it
# first if the cache has none. Debian has no cmocka for some of the platforms, so that of
# each is compiled from Debian's source, which apt checks as it does a package. The
# download has an apt of its own state, so this needs no privileges and changes nothing
# on this machine.
set -euo pipefail

release=bookworm
work=

fail() { # SENTENCE
	echo "cross: cannot make cmocka for $name: $1" >&2
	exit 1
}

# The site that apt takes Debian from: each has all releases.
find_mirror() {
	# shellcheck disable=SC2016 # apt's variables
	apt-get indextargets --format '$(RELEASE) $(SITE)' |
		awk '$1 ~ /^(bookworm|trixie|forky|sid|(old)?stable|testing|unstable)$/ && !site { site = $2 }
			END { print site }'
}

apt() { # ARGUMENT...
	apt-get -q -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
		-o Dir::Cache="$work/cache" -o Dir::Etc::sourcelist="$work/sources" \
		-o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none "$@" >>"$work/log" 2>&1
}

download() { # FOLDER
	local mirror
	mirror=$(find_mirror)
	[ "$mirror" ] || fail "no mirror of Debian in apt's configuration; add one, and run apt-get update"
	echo "deb-src $mirror $release main" >"$work/sources"
	: >"$work/status"
	mkdir -p "$work"/state/lists/partial "$work"/cache/archives/partial
	# apt writes the source to the current folder.
	if ! (cd "$work" && apt update && apt source --download-only cmocka); then
		tail -n 20 "$work/log" >&2
		fail "apt could not download its source, see above; repair apt's configuration or the network"
	fi
	mkdir "$work/source"
	tar -C "$work/source" --strip-components=1 -xf "$work"/cmocka_*.orig.tar.?z
	mv "$work/source" "$1"
}

build() { # SOURCE FOLDER
	if ! { cmake -S "$1" -B "$work/build" -DCMAKE_SYSTEM_NAME=Linux \
		-DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
		-DCMAKE_INSTALL_PREFIX="$2" -DCMAKE_INSTALL_LIBDIR=lib \
		-DWITH_EXAMPLES=OFF -DUNIT_TESTING=OFF >>"$work/log" 2>&1 &&
		cmake --build "$work/build" >>"$work/log" 2>&1 &&
		DESTDIR=$work/root cmake --install "$work/build" >>"$work/log" 2>&1; }; then
		tail -n 30 "$work/log" >&2
		fail "it could not be compiled, see above; a compiler for $name comes from scripts/packages --install cross"
	fi
	mv "$work/root/$2" "$2"
}

main() {
	local cache=${XDG_CACHE_HOME:-$HOME/.cache}/libuserevents/cmocka key folder
	key=$({ cat "${BASH_SOURCE[0]}"; "$compiler" -dumpmachine -dumpfullversion; } | sha256sum)
	folder=$cache/$name-${key:0:16}
	mkdir -p "$cache"
	exec 9>"$cache/lock"
	flock 9
	if [ ! -e "$folder" ]; then
		work=$(mktemp -d)
		trap 'rm -rf "$work"' EXIT
		[ -e "$cache/source" ] || download "$cache/source"
		build "$cache/source" "$folder"
	fi
	echo "$folder"
}

[ $# = 2 ] || { echo "usage: tests/cross/cmocka.sh NAME COMPILER" >&2; exit 2; }
name=$1 compiler=$2
main
