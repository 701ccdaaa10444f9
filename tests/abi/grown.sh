#!/bin/bash
# SPDX-License-Identifier: MIT
# The structs that live in programs may grow: a program that was compiled before runs with
# the library after, and the other way round. Arguments: the source and the build folder.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
source=$1
build=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Append to what begins with its size.
grow() { # HEADER LAST_MEMBER
	grep -q "$2" "$dir/include/userevents/$1" || { echo "$1 has no $2"; return 1; }
	sed -i "s|^\t$2.*|&\n\tuint64_t grown[4];|" "$dir/include/userevents/$1"
}

grow_headers() {
	cp -r "$source/include" "$dir" &&
		grow abi/event_state.h 'uint32_t ue__write_call;' &&
		grow session.h 'uint32_t spare;' &&
		grow ring.h 'uint32_t flags;'
}

build_grown_library() {
	mkdir "$dir/lib" &&
		cc -std=gnu11 -O1 -shared -fPIC -pthread -fvisibility=hidden -DUE__LIBRARY \
			-I"$dir/include" -I"$source/lib" "$source"/lib/*/*.c \
			-Wl,-z,nodelete -o "$dir/lib/libuserevents.so"
}

compile() { # INCLUDE OUTPUT
	cc -std=gnu11 -O2 -fPIC -I"$1" -c "$source/tests/abi/program.c" -o "$dir/$2.o"
}

runs_with() { # OBJECT LIBRARY_FOLDER
	cc -pthread "$dir/$1.o" "$2"/libuserevents*.so -Wl,-rpath,"$2" -o "$dir/program" &&
		"$dir/program"
}

check "the headers grow" grow_headers
check "the library is built with them" build_grown_library
check "a program of today is compiled" compile "$source/include" today
check "a program with larger structs is compiled" compile "$dir/include" grown
check "today's program, today's library" runs_with today "$build/lib"
check "today's program, a library with larger structs" runs_with today "$dir/lib"
check "a program with larger structs, today's library" runs_with grown "$build/lib"
check "a program with larger structs, their library" runs_with grown "$dir/lib"
finish
