# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The patches in doc/kernel, and which of them a kernel gets: source this file.
series_directory=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../doc/kernel" && pwd)

# The folder that has the patches for a version: its own, or mainline for the version that
# mainline/base names, and for later ones.
name_series() { # VERSION
	local base
	[ ! -d "$series_directory/$1" ] || { echo "$1" && return; }
	base=$(cat "$series_directory/mainline/base" 2>/dev/null) || return 0
	! printf '%s\n' "$base" "$1" | sort -VC || echo mainline
}

# The versions that the patches are for, on a line.
list_versions() {
	local directory versions=()
	for directory in "$series_directory"/[0-9]*/; do versions+=("$(basename "$directory")"); done
	echo "${versions[@]}" "$(cat "$series_directory/mainline/base")"
}

list_all() { # VERSION
	local series
	series=$(name_series "$1")
	[ -z "$series" ] || find "$series_directory/$series" -name '*.patch' | sort
}

# The one without which this version does not build, if there is one.
list_stock() { # VERSION
	list_all "$1" | grep "/0001-[^/]*-let-$1-be-built.patch\$" || true
}

list_patches() { # VERSION SELECTION: nothing, all (but RFC), rfc (really all), or a number
	case $2 in
	'') list_stock "$1" ;;
	all) list_all "$1" | xargs -r grep -LE '^Subject: \[[^]]*RFC' || true ;;
	rfc) list_all "$1" ;;
	*) list_all "$1" | head -n "$2" ;;
	esac
}

# The hunks of patches for the files that a kernel is made of.
image_diffs() { # PATCH...
	[ $# -eq 0 ] ||
		awk 'FNR == 1 { shown = 0 }
			/^diff --git / { shown = $3 !~ "^a/(Documentation|tools/testing)/" }
			shown' "$@"
}

# The hunks for the kernel's own tests.
test_diffs() { # PATCH...
	[ $# -eq 0 ] ||
		awk 'FNR == 1 { shown = 0 }
			/^diff --git / { shown = $3 ~ "^a/tools/testing/" }
			shown' "$@"
}

touched_files() { # PATCH...
	sed -nE 's#^(---|\+\+\+) [ab]/([^\t]*).*#\2#p' "$@" | sort -u
}

# A file that a patch creates is not in the tarball, which is no error here.
unpack_files() { # TARBALL DIRECTORY FILE...
	local tarball=$1 directory=$2
	shift 2
	mkdir -p "$directory"
	tar -C "$directory" -I 'xz -T0' -xf "$tarball" --strip-components=1 \
		--wildcards --no-wildcards-match-slash "${@/#/*/}" 2>/dev/null || true
}

# Applies patches in order, without fuzz; stops at the first that does not fit, and prints it.
apply_series() { # DIRECTORY PATCH...
	local directory=$1 patch
	for patch in "${@:2}"; do
		if ! patch -s -f -p1 -F0 --dry-run -d "$directory" <"$patch" >/dev/null 2>&1; then
			echo "$patch"
			return 1
		fi
		patch -s -f -p1 -F0 --no-backup-if-mismatch -d "$directory" <"$patch" || return
	done
}
