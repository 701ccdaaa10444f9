#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bare-root.sh ARCHITECTURE RELEASE [PURPOSE...] [-- PACKAGE...]: prints the path of a directory
# with packages of a release of Debian, as scripts/packages lists them for the purposes, and all
# that they need. Makes it first if the cache has none.
# Packages are downloaded with an apt of its own state, and unpacked, not installed, so this needs
# no privileges and changes nothing on this machine. In the one for arm64, scripts/vm --arch arm64
# runs its command and scripts/vm-arm64 compiles; from the others, later programs than this
# release has are run with their own libraries.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
architecture=$1
release=$2
work=

fail() { # SENTENCE
	echo "vm: cannot make a root of Debian $release for $architecture: $1" >&2
	exit 1
}

# The site that apt takes Debian from: each has all releases.
find_mirror() {
	# shellcheck disable=SC2016 # apt's variables
	apt-get indextargets -o Dir::State::lists=/dev/null --no-release-info --format '$(RELEASE) $(SITE)' |
		awk '$1 ~ /^(bookworm|trixie|forky|sid|(old)?stable|testing|unstable)$/ && !site { site = $2 }
			END { print site }'
}

apt() { # ARGUMENT...
	apt-get -q -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
		-o Dir::State="$work/state" -o Dir::State::status="$work/status" \
		-o Dir::Cache="$work/cache" -o Dir::Etc::sourcelist="$work/sources" \
		-o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false \
		-o Acquire::Languages=none "$@" >>"$work/log" 2>&1
}

download() { # MIRROR PACKAGE...
	echo "deb $1 $release main" >"$work/sources"
	shift
	: >"$work/status"
	mkdir -p "$work"/state/lists/partial "$work"/cache/archives/partial
	if ! { apt update && apt install -y --download-only "$@"; }; then
		tail -n 20 "$work/log" >&2
		fail "apt could not download its packages, see above; repair apt's configuration or the network"
	fi
}

# The scripts of packages would run on another processor. The system works without what
# they do, apart from these.
unpack() { # DIRECTORY
	local package directory
	for directory in bin sbin lib lib64; do
		mkdir -p "$1/usr/$directory"
		ln -s "usr/$directory" "$1/$directory"
	done
	for package in "$work"/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -C "$1" -x --keep-directory-symlink ||
			fail "unpacking $package failed, see above; make room in ${work%/*}"
	done
	register "$1/var/lib/dpkg"
	[ -e "$1/usr/bin/awk" ] || ln -s mawk "$1/usr/bin/awk"
	[ ! -e "$1/usr/share/base-passwd" ] || {
		cp "$1/usr/share/base-passwd/passwd.master" "$1/etc/passwd"
		cp "$1/usr/share/base-passwd/group.master" "$1/etc/group"
	}
}

# Tells dpkg of the packages, so that it installs others.
register() { # DIRECTORY
	local package
	mkdir -p "$1"/{info,updates,triggers,alternatives}
	for package in "$work"/cache/archives/*.deb; do
		dpkg-deb -f "$package"
		printf 'Status: install ok installed\n\n'
	done >"$1/status"
}

make_root() { # RESULT MIRROR PACKAGE...
	work=$(mktemp -d "$1.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	echo "vm: unpacking packages of Debian $release for $architecture (kept in ${1%/*})" >&2
	download "${@:2}"
	mkdir "$work/root"
	unpack "$work/root"
	mv -T "$work/root" "$1"
}

main() { # [PURPOSE...] [-- PACKAGE...]
	local cache=${XDG_CACHE_HOME:-$HOME/.cache}/libuserevents/roots list=() purposes=() key mirror
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		purposes+=("$1")
		shift
	done
	[ ${#purposes[@]} = 0 ] ||
		read -r -d '' -a list < <("$here/../../scripts/packages" "${purposes[@]}") || true
	list+=("${@:2}")
	key=$(cat "${BASH_SOURCE[0]}" - <<<"$release ${list[*]}" | sha256sum)
	local root=$cache/$architecture-${key:0:16}
	if [ ! -e "$root" ]; then
		mirror=$(find_mirror)
		[ "$mirror" ] || fail "no mirror of Debian in apt's configuration; add one, and run apt-get update"
		mkdir -p "$cache"
		exec 9>"$cache/lock"
		flock 9
		[ -e "$root" ] || make_root "$root" "$mirror" "${list[@]}"
	fi
	echo "$root"
}

main "${@:3}"
