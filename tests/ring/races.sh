#!/bin/bash
# SPDX-License-Identifier: MIT
#
# races.sh SOURCE: ThreadSanitizer looks at a storm, in which reader and threads share one
# mapping. Prints TAP.
#
# A ring that overwrites is left out: there a reader copies a record and then looks whether the
# page was overwritten meanwhile, which ThreadSanitizer takes for a race.
set -u
source=$1
# shellcheck source=tests/support/tap.sh
. "$source/tests/support/tap.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

build() {
	gcc -std=gnu11 -g -O1 -fsanitize=thread -Wno-tsan -pthread -I"$source/lib" \
		-I"$source/include" -o "$folder/storm" "$source/tests/ring/storm.c" \
		"$source"/lib/ring/*.c "$source"/lib/ring/*/*.c
}

storm() { # ARGUMENT...
	# It does not start where addresses are too random.
	TSAN_OPTIONS=exitcode=66:die_after_fork=0 setarch -R "$folder/storm" "$@"
}

check "storm_builds" build
check "a_ring_that_drops_has_no_race" storm 2000 drop
check "a_ring_that_waits_has_no_race" storm 2000 wait
finish
