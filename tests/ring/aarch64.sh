#!/bin/bash
# SPDX-License-Identifier: MIT
#
# aarch64.sh SOURCE: the ring of aarch64, under qemu-aarch64. It runs the instructions of that
# architecture, but the processor below it may keep a stricter order of memory than theirs.
# Prints TAP.
set -u
source=$1
# shellcheck source=tests/support/tap.sh
. "$source/tests/support/tap.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

build() { # NAME
	aarch64-linux-gnu-gcc -std=gnu11 -O2 -Wall -Wextra -Werror -pthread -static \
		-I"$source/lib" -I"$source/include" -o "$folder/$1" "$source/tests/ring/$1.c" \
		"$source"/lib/ring/*.c "$source"/lib/ring/*/*.c
}

check "storm_builds" build storm
check "storm_holds" qemu-aarch64 "$folder/storm" 2000
check "kill_builds" build kill
check "kill_holds" qemu-aarch64 "$folder/kill" 30
finish
