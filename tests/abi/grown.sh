#!/bin/bash
# SPDX-License-Identifier: MIT
# A program that was compiled before runs with the libraries after, and the other way round.
# The libraries after are built by this project's own build files, from a copy of the tree
# with larger structs, a symbol more in each library, and the next version.
# Arguments: the source and the build folder.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
source=$1
build=$2
dir=$(mktemp -d "${TMPDIR:-/tmp}/ue-grown-XXXXXX")
trap 'rm -rf "$dir"' EXIT
unset LD_LIBRARY_PATH USEREVENTS_FD DESTDIR
export CCACHE_BASEDIR=$dir CCACHE_NOHASHDIR=1
next=0.2.0
next_dir=$dir/build/lib

# Append to what begins with its size.
grow() { # HEADER STRUCT
	awk -v struct="struct $2 {" '
		$0 == struct { inside = 1 }
		inside && /^};/ { print "\tuint64_t grown[4];"; inside = 0; count++ }
		{ print }
		END { exit count != 1 }' "$dir/tree/include/userevents/$1" >"$dir/header" ||
		{ echo "$1 has no struct $2"; return 1; }
	cp "$dir/header" "$dir/tree/include/userevents/$1"
}

copy_tree() {
	mkdir "$dir/tree" && cp -r "$source"/{include,lib,meson.build,meson_options.txt} \
		"$source"/{packaging,bindings,doc,examples,*.md,*.pc.in,LICENSE} "$dir/tree"
}

# All that the list says may grow, apart from what holds these.
grow_headers() {
	local header name
	while read -r header name; do
		grow "$header" "$name" || return
	done < <(sed 's/#.*//; /^$/d' "$source/tests/abi/growing.txt")
}

# Version 0.2 of a library has the node 0.1 and one of its own.
add_symbol() { # LIBRARY NODE FOLDER
	local map=$dir/tree/lib/$1.map symbol=ue_added_to_$3
	cat >>"$map" <<-END
		${2}_0.2 {
		global:
			$symbol;
		} ${2}_0.1;
	END
	cat >"$dir/tree/lib/$3/added_to_$3.c" <<-END
		#include <userevents/version.h>
		UE__PUBLIC int $symbol(void);
		int $symbol(void) { return 2; }
	END
	sed -i "s|^  '$3/[a-z_]*\.c',|&\n  '$3/added_to_$3.c',|; ta; b; :a; n; ba" \
		"$dir/tree/lib/meson.build" &&
		grep -qc "added_to_$3" "$dir/tree/lib/meson.build"
}

number_it() {
	sed -i "s/^  version: '.*',/  version: '$next',/" "$dir/tree/meson.build" &&
		sed -i 's/\(UE_VERSION_MINOR\) .*/\1 2/; s/\(UE_VERSION_PATCH\) .*/\1 0/
			s/\(UE_VERSION_STRING\) ".*"/\1 "'$next'"/' \
			"$dir/tree/include/userevents/version.h"
}

build_next() {
	meson setup --buildtype=debugoptimized -Ddefault_library=shared -Dtool=disabled \
		-Dexamples=false "$dir/build" "$dir/tree" && ninja -C "$dir/build"
}

compile() { # INCLUDE OUTPUT
	cc -std=gnu11 -O2 -fPIC -I"$1" -c "$source/tests/abi/program.c" -o "$dir/$2.o"
}

link_with() { # OBJECT LIBRARY_FOLDER PROGRAM
	cc -pthread "$dir/$1.o" "$2"/libuserevents{-decode,}.so -Wl,-rpath,"$2" -o "$dir/$3"
}

links_and_runs_with() { # OBJECT LIBRARY_FOLDER
	link_with "$1" "$2" program && "$dir/program"
}

# The loader prefers LD_LIBRARY_PATH to a program's RUNPATH, and complains of a symbol's
# version that is missing.
with_next() { # COMMAND...
	LD_LIBRARY_PATH=$next_dir "$@" >"$dir/output" 2>&1 ||
		{ grep -v "^\[ *\(RUN\|OK\)" "$dir/output" | tail -n 40; return 1; }
	! grep 'no version information' "$dir/output"
}

uses_next() { # PROGRAM
	LD_LIBRARY_PATH=$next_dir ldd "$1" | grep "libuserevents.* => $next_dir/" >/dev/null
}

runs_with_next() { # PROGRAM ARGUMENT...
	uses_next "$1" && with_next "$@"
}

prints_events() { # COMMAND...: the same as without the next libraries
	"$build/tools/userevents" run --meta n -o "$dir/expected" \
		"$build/examples/types" && [ -s "$dir/expected" ] &&
		"$@" && diff <(without_address "$dir/expected") <(without_address "$dir/events")
}

without_address() { # FILE
	sed 's/ where=[0-9]*$//' "$1"
}

all_next() {
	with_next "$build/tools/userevents" run --meta n -o "$dir/events" "$build/examples/types"
}

# The program finds today's libraries by its RUNPATH.
tool_next() {
	with_next "$build/tools/userevents" run --meta n -o "$dir/events" \
		env -u LD_LIBRARY_PATH "$build/examples/types"
}

program_next() {
	"$build/tools/userevents" run --meta n -o "$dir/events" \
		env LD_LIBRARY_PATH="$next_dir" "$build/examples/types"
}

check "a tree of the next version" copy_tree
check "... has larger structs" grow_headers
check "... a symbol more to write" add_symbol libuserevents LIBUSEREVENTS write
check "... a symbol more to read" add_symbol libuserevents-decode LIBUSEREVENTS_DECODE read
check "... and its number" number_it
check "its libraries are built" build_next
check "they have the same names" test -e "$next_dir/libuserevents.so.0" \
	-a -e "$next_dir/libuserevents-decode.so.0"
check "a program of today is compiled" compile "$source/include" today
check "a program with larger structs is compiled" compile "$dir/tree/include" grown
check "today's program, today's libraries" links_and_runs_with today "$build/lib"
check "... the same program, the next libraries" runs_with_next "$dir/program"
check "... linked again, too" links_and_runs_with today "$next_dir"
check "a program with larger structs, today's libraries" links_and_runs_with grown "$build/lib"
check "a program with larger structs, their libraries" links_and_runs_with grown "$next_dir"
# The structs that readers allocate, and all that captures do.
for name in capture encodings foreign from_ring modules stuck unload; do
	check "today's tests/capture/$name, the next libraries" \
		runs_with_next "$build/tests/capture/capture_$name"
done
check "today's tool and program, the next libraries" prints_events all_next
check "the next libraries for the tool, today's for the program" prints_events tool_next
check "today's libraries for the tool, the next for the program" prints_events program_next
finish
