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

# Unpacks what the patches for a version change and checkpatch.pl reads. A tarball unpacks to 1.3 GB,
# so these files are kept, named after it and their names. A file that a patch creates is in none.
unpack_files() { # VERSION DIRECTORY PATCH...
	local tarball=/usr/src/linux-source-$1.tar.xz kept files
	mapfile -t files < <(touched_files "${@:3}")
	files+=(Makefile scripts/{checkpatch.pl,spelling.txt,const_structs.checkpatch})
	kept=${XDG_CACHE_HOME:-$HOME/.cache}/libuserevents/sources/linux-$1-$(
		{ stat -c 'files of %s %Y' "$tarball" && echo "${files[@]}"; } | sha256sum | cut -c 1-16)
	[ -d "$kept" ] || keep_files "$tarball" "$kept" "${files[@]/#/*/}" || return
	mkdir -p "$2" && cp -a "$kept/." "$2"
}

keep_files() { # TARBALL DIRECTORY PATTERN...
	local new status=0
	mkdir -p "${2%/*}" && new=$(mktemp -d "$2.XXXXXX") || return
	LC_ALL=C tar -C "$new" -I 'xz -T0' -xf "$1" --strip-components=1 --wildcards \
		--no-wildcards-match-slash "${@:3}" 2>"$new.said" || status=$?
	if grep -vE 'Not found in archive|Exiting with failure status' "$new.said" || [ "$status" -gt 2 ] ||
		[ ! -s "$new/Makefile" ]; then
		echo "cannot unpack $1: see above"
		rm -r "$new" "$new.said"
		return 1
	fi
	rm "$new.said"
	chmod 755 "$new"
	mv -T "$new" "$2" 2>/dev/null || rm -r "$new" # another run was faster
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
