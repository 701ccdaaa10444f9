#!/bin/bash
# SPDX-License-Identifier: MIT
#
# races.sh SOURCE: ThreadSanitizer looks at a storm, in which reader and threads share one
# mapping. Prints TAP.
#
# It does not know fences, and so reports what a ring that overwrites does on purpose: a reader
# copies a record and then looks whether the page was overwritten meanwhile, and so does
# a writer that counts the records of a page. In every mode a reader looks for the end of a
# hole, which its writer may be filling, and then looks again. Those functions are left out.
set -u
source=$1
# shellcheck source=tests/support/tap.sh
. "$source/tests/support/tap.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'race:^%s$\n' skip_zeros >"$folder/holes"
printf 'race:^%s$\n' skip_zeros take overwrite collect_page ue__ring_count >"$folder/left-out"

build() {
	gcc -std=gnu11 -g -O1 -fsanitize=thread -Wno-tsan -pthread -I"$source/lib" \
		-I"$source/include" -o "$folder/storm" "$source/tests/ring/storm.c" \
		"$source"/lib/ring/*.c
}

storm() { # OPTIONS ARGUMENT...
	local options=exitcode=66:die_after_fork=0:$1
	shift
	# It does not start where addresses are too random.
	TSAN_OPTIONS=$options setarch -R "$folder/storm" "$@"
}

check "storm_builds" build
check "a_ring_that_drops_has_no_race" storm "suppressions=$folder/holes" 2000 drop
check "a_ring_that_waits_has_no_race" storm "suppressions=$folder/holes" 2000 wait
check "a_ring_that_overwrites_has_known_races" \
	storm "suppressions=$folder/left-out" 2000 overwrite
finish
