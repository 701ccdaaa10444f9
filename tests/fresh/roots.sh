# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# The roots that scripts/fresh keeps in the cache: bare ones, and layers of installed
# packages on them; and the packages that were downloaded.
#
# A root is a directory in $roots, named after what it was made from. Its tree is top/:
# all of a bare root, and of a layer the upper directory of an overlayfs. A run holds a
# shared lock on the file "lock" in each root that it uses. A root gets its name when it is
# complete, and loses it to a script that has its lock exclusively. So no run sees a
# root that is half made, and none loses one that it uses.
#
# The script that sources this sets self, cache and release, and has fail().
# shellcheck disable=SC2154
roots=$cache/fresh/roots
archives=$cache/fresh/archives
kept_days=7
archive_days=14
copying=   # not empty: overlayfs is refused here
lowers=()  # the roots that this run uses, the bare one first
making=    # the directory of the root that is being made
locks=()   # descriptors
namespace= # the process that holds the namespaces of a command

# The names of Debian's releases in apt's configuration.
names='bullseye|bookworm|trixie|forky|sid|oldstable|stable|testing|unstable'

# The site that apt takes a release of Debian from: each mirror has all of them. apt is
# not to read its lists, which takes seconds, and which a new machine does not have.
find_mirror() {
	# shellcheck disable=SC2016 # apt's variables
	apt-get indextargets -o Dir::State::lists=/dev/null -o Dir::State::status=/dev/null \
		--no-release-info --format '$(RELEASE) $(SITE)' |
		awk -v names="^($names)\$" '$1 ~ names { print $2; exit }'
}

# debootstrap fetches with wget, which takes its proxy from the environment.
export_proxy() {
	local proxy
	eval "$(apt-config shell proxy Acquire::http::Proxy)"
	[ -z "${proxy:-}" ] || export http_proxy=$proxy
}

# Makes a lock that is never seen without its owner.
own() { # DIRECTORY: sets owned, the descriptor
	exec {owned}>"$1/starting"
	flock "$owned"
	locks+=("$owned")
	mv "$1/starting" "$1/lock"
}

# Runs a command in namespaces that end with this script, whatever ends it.
contained() { # COMMAND...
	local fd status=0
	(
		for fd in "${locks[@]}"; do exec {fd}>&-; done
		exec setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child "$@"
	) <&0 &
	namespace=$!
	wait $namespace || status=$?
	namespace=
	return $status
}

# Mounts the lower directories with top/ over them at root/, or only top/ where it is a
# copy. Nothing is written to the disk for a program that asks to, such as dpkg.
mount_layers() { # DIRECTORY
	cd "$1" || return
	mount --make-rprivate /
	if [ -d lower ]; then
		mount -t overlay -o "volatile,upperdir=top,workdir=work,lowerdir=$(
			find lower/ -mindepth 1 -maxdepth 1 | sort -r | paste -sd :)" overlay root
	else
		mount --bind top root
	fi
}

# overlayfs may be refused where the upper directory is to be.
overlay_works() { # DIRECTORY: which is removed
	local status=0
	mkdir -p "$1"/{lower/0,top,work,root}
	contained "$self" --mount "$1" true 2>/dev/null || status=1
	rm -rf "$1"
	return $status
}

find_out_whether_to_copy() { # DIRECTORY: of this run
	mkdir -p "$roots"
	making=$(mktemp -d "$roots/making.XXXXXX")
	if ! overlay_works "$making" || ! overlay_works "$1/try"; then
		copying=1
		echo "fresh: overlayfs is refused here; copying the root, which takes longer" >&2
	fi
	making=
}

# Hard links to the packages, below all other layers: a run sees what the cache had when it
# started, and what it changes is its own.
link_archives() { # DIRECTORY
	local here=$archives/$release there=$1/var/cache/apt/archives
	mkdir -p "$here" "$there"
	find "$here" -name '*.deb' -exec cp -lt "$there" {} + 2>/dev/null ||
		find "$here" -name '*.deb' -exec cp -t "$there" {} +
}

# Keeps the packages that a run has downloaded.
keep_archives() { # DIRECTORY
	local deb kept
	for deb in "$1"/top/var/cache/apt/archives/*.deb; do
		kept=$archives/$release/${deb##*/}
		if [ -f "$deb" ] && [ ! -e "$kept" ]; then
			cp "$deb" "$kept.$$" && mv "$kept.$$" "$kept"
		fi
	done
	find "$archives" -type f -mtime +$archive_days -delete
}

# Puts what this run uses below the top/ of DIRECTORY.
stack() { # DIRECTORY
	local i
	mkdir -p "$1"/{top,work,root}
	chmod 755 "$1/top"
	if [ "$copying" ]; then
		[ ${#lowers[@]} = 0 ] || cp -a "${lowers[-1]}/top/." "$1/top"
		link_archives "$1/top"
		return
	fi
	mkdir -p "$1/lower/0"
	link_archives "$1/lower/0"
	for i in "${!lowers[@]}"; do
		ln -s "${lowers[i]}/top" "$1/lower/$((i + 1))"
	done
}

# Takes a kept root for this run, the newest of that name.
take() { # NAME
	local dir fd
	while read -r _ dir; do
		{ exec {fd}<"$dir/lock"; } 2>/dev/null || continue
		# The script that removes it holds the lock.
		if flock -ns "$fd" && [ -e "$dir/lock" ]; then
			locks+=("$fd")
			lowers+=("$dir")
			return
		fi
		exec {fd}<&-
	done < <(find "$roots" -mindepth 1 -maxdepth 1 -name "$1.??????" -mtime -$kept_days \
		-printf '%T@ %p\n' | sort -rn)
	return 1
}

# Makes a root: FUNCTION fills the top/ of a directory.
make() { # NAME FUNCTION [ARGUMENT...]
	making=$(mktemp -d "$roots/making.XXXXXX")
	own "$making"
	stack "$making"
	"$2" "$making" "${@:3}" </dev/null >"$making/log" 2>&1 || {
		tail -n 20 "$making/log" >&2
		fail 1 "cannot make a root: see above"
	}
	keep_archives "$making"
	rm -rf "$making"/{work,root,lower,log} "$making"/top/var/cache/apt/archives/*.deb
	sync -f "$making" # nothing was until now
	mv -T "$making" "$roots/$1.${making##*.}"
	flock -s "$owned"
	lowers+=("$roots/$1.${making##*.}")
	making=
}

# Takes a root, or makes it. Another script may be making the same one.
take_or_make() { # NAME SENTENCE FUNCTION [ARGUMENT...]
	local fd
	! take "$1" || return 0
	exec {fd}>"$cache/fresh/making-$release"
	flock "$fd"
	if ! take "$1"; then
		echo "fresh: $2 (kept for a week)" >&2
		make "$1" "${@:3}"
	fi
	exec {fd}>&-
}

key() { # TEXT...
	printf '%s\n' "$copying" "$@" | sha256sum | cut -c 1-16
}

bootstrap() { # DIRECTORY MIRROR
	contained "$self" --mount "$1" debootstrap --variant=minbase "$release" root "$2"
}

use_bare_root() {
	local mirror
	mirror=$(find_mirror)
	[ "$mirror" ] || fail 1 "cannot make a root: no mirror of Debian in apt's configuration; add one"
	export_proxy
	take_or_make "$release-$(key "$mirror")" "making a bare Debian $release" bootstrap "$mirror"
}

install_layer() { # DIRECTORY COMMAND...
	contained "$self" --inside "$1" "$release" root "" "${@:2}" || return
	rm -rf "$1/top/root/libuserevents"
}

# A layer of what COMMAND installs in what this run uses until now. It replaces the one
# that was made by this command before its inputs changed.
use_layer() { # INPUTS COMMAND...
	local below=${lowers[-1]##*/} name dir
	name=$below+$(key "${@:2}")
	take_or_make "$name-$(key "$1")" "making a root with what \"${*:2}\" installs" \
		install_layer "${@:2}"
	for dir in "$roots/$name"-*; do
		[ "$dir" = "${lowers[-1]}" ] || remove_root "$dir"
	done
}

# Removes a root that no run uses.
remove_root() { # DIRECTORY
	local gone=$roots/gone.${1##*.}
	# Another script may be removing it.
	flock -n "$1/lock" mv -T "$1" "$gone" 2>/dev/null || return 0
	rm -rf --one-file-system "$gone"
}

# Removes what was interrupted, what is a week old, and layers whose lower root is gone.
remove_old_roots() {
	local dir
	rm -rf --one-file-system "$roots"/gone.*
	while read -r dir; do
		remove_root "$dir"
	done < <(find "$roots" -mindepth 1 -maxdepth 1 ! -name 'making.*' -mtime +$((kept_days - 1)))
	for dir in "$roots"/making.*; do
		[ ! -f "$dir/lock" ] || remove_root "$dir"
	done
	for dir in "$roots"/*+*; do
		[ ! -f "$dir/lock" ] || [ -e "${dir%+*}" ] || remove_root "$dir"
	done
}
