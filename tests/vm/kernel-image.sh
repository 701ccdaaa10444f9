# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Finds truncated images of kernels: source this file.

# Prints why a file cannot be booted as a bzImage. Its header has the length of the file: sectors
# of 512 bytes after the first one, and paragraphs of 16 (Documentation/arch/x86/boot.rst).
find_damage() { # FILE
	local size sectors paragraphs whole
	size=$(stat -Lc %s "$1")
	if [ "$size" -lt 518 ] || [ "$(od -An -tx1 -j 514 -N 4 "$1")" != " 48 64 72 53" ]; then
		echo "it is not a bzImage"
		return
	fi
	sectors=$(od -An -tu1 -j 497 -N 1 "$1")
	paragraphs=$(od -An -tu4 -j 500 -N 4 "$1")
	whole=$(((sectors + 1) * 512 + paragraphs * 16))
	[ "$size" -ge "$whole" ] || echo "it is truncated: it has $size of $whole bytes"
}
