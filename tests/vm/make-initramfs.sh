#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make-initramfs.sh [CROSS-PREFIX]: prints the path of the test VM's initramfs, which it
# makes first if the cache has none of init.c as it is now. With CROSS-PREFIX, such as
# aarch64-linux-gnu-, for that kind of processor.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix=${1:-}

make_initramfs() { # FILE
	dir=$(mktemp -d "$1.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	mkdir "$dir/root"
	"${prefix}gcc" -O2 -Wall -Wextra -static -s -D_GNU_SOURCE -o "$dir/root/init" "$here/init.c"
	mkdir "$dir/root/"{dev,host,job,writes,new}
	(cd "$dir/root" && find . | cpio --quiet -o -H newc -R 0:0) >"$dir/cpio"
	mv "$dir/cpio" "$1"
}

main() {
	local cache=${XDG_CACHE_HOME:-$HOME/.cache}/libuserevents/initramfs key
	key=$(cat "$here/init.c" "${BASH_SOURCE[0]}" | sha256sum)
	local file=$cache/$prefix${key:0:16}.cpio
	if [ ! -e "$file" ]; then
		mkdir -p "$cache"
		"$here/../../scripts/packages" --install vm ${prefix:+arm64}
		make_initramfs "$file"
	fi
	echo "$file"
}

main
