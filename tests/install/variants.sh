#!/bin/bash
# SPDX-License-Identifier: MIT
# The project configures, builds and runs as a shared or a static library, without
# optimization and with warnings as errors, installed under a prefix of its own, and as a
# subproject. Argument: the source folder.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
source_dir=$1
dir=$(mktemp -d "${TMPDIR:-/tmp}/ue-variants-XXXXXX")
trap 'rm -rf "$dir"' EXIT
unset LD_LIBRARY_PATH USEREVENTS_FD DESTDIR
export CCACHE_BASEDIR=$dir CCACHE_NOHASHDIR=1

# A release has no tests.
release=$dir/release
mkdir "$release"
cp -r "$source_dir"/{meson.build,meson_options.txt,libuserevents{,-decode}.pc.in} \
	"$source_dir"/{include,lib,tools,examples} "$release"

configure() { # BUILD SOURCE OPTIONS...
	meson setup --werror --buildtype=debug "${@:3}" "$1" "$2"
}

writes_events() { # BUILD
	"$1/examples/test_events" >"$dir/output" && grep -q '^ok' "$dir/output" &&
		! grep '^not ok' "$dir/output"
}

has() { # FOLDER NAME...: libraries of these names, and no others
	(cd "$1" && printf '%s\n' libuserevents*.*[ao]) | diff - <(printf '%s\n' "${@:2}")
}

prints_version() { # TOOL
	"$1" --version | grep -qxF "userevents $(sed -n "s/^  version: '\(.*\)',/\1/p" \
		"$release/meson.build")"
}

as_one_library() { # static|shared FILE...
	local build=$dir/$1 prefix=$dir/prefix-$1
	check "default_library=$1 configures" configure "$build" "$release" \
		-Ddefault_library="$1" --prefix="$prefix" --libdir=lib/some
	check "... builds" ninja -C "$build"
	check "... writes events" writes_events "$build"
	check "... installs" meson install --no-rebuild -C "$build"
	check "... installs these libraries alone" has "$prefix/lib/some" "${@:2}"
	check "... installs a tool that starts" prints_version "$prefix/bin/userevents"
	mv "$prefix" "$prefix-moved"
	check "... also after it was moved" prints_version "$prefix-moved/bin/userevents"
}

superproject() {
	mkdir -p "$dir/super/subprojects" &&
		cp -r "$release" "$dir/super/subprojects/libuserevents" &&
		cp "$source_dir"/tests/install/*consumer.c "$dir/super" &&
		cat >"$dir/super/meson.build" <<-'END'
			project('super', 'c')
			executable('consumer', 'consumer.c',
			  dependencies: dependency('libuserevents', version: '>= 0.1'))
			executable('decode_consumer', 'decode_consumer.c',
			  dependencies: dependency('libuserevents-decode', version: '>= 0.1'))
		END
}

as_subproject() { # static|shared
	check "a project that has it as a $1 subproject configures" configure \
		"$dir/super-$1" "$dir/super" -Ddefault_library="$1" --wrap-mode=forcefallback
	check "... builds" ninja -C "$dir/super-$1" consumer decode_consumer
	check "... runs" "$dir/super-$1/consumer"
	check "... reads events" "$dir/super-$1/decode_consumer"
}

as_one_library static libuserevents-decode.a libuserevents.a
as_one_library shared libuserevents-decode.so libuserevents.so
check "a project with a subproject" superproject
as_subproject static
as_subproject shared
finish
