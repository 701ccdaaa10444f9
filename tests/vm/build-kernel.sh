#!/bin/bash
# SPDX-License-Identifier: MIT
#
# build-kernel.sh [--cached] VERSION [FLAVOR...]: prints the path of the test kernel's image, beside
# which are its modules. Builds them first if the cache has none made from the same inputs.
# Progress goes to stderr. A build that is interrupted leaves its directory in the
# cache; the next one with the same inputs continues there. An image that changed since it was
# built is built again. With --cached, fails instead of building.
#
# A flavor is the NAME of a fragment doc/kernel/config.NAME, or one of
#   patched      all patches in doc/kernel/VERSION, apart from RFC
#   patched=rfc  all
#   patched=N    the first N
# A stock kernel has only the patch that it cannot be built without.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
patches=$root/doc/kernel
# shellcheck source=tests/vm/series.sh
. "$here/series.sh"
# shellcheck source=tests/vm/kernel-image.sh
. "$here/kernel-image.sh"

cached=
[ "$1" != --cached ] || { cached=yes && shift; }
version=$1
words=("${@:2}")
patched= # all, rfc, or a number
for word in "${@:2}"; do
	[[ $word != patched* ]] || { patched=${word#patched} && patched=${patched#=} && patched=${patched:-all}; }
done
mapfile -t flavors < <(printf '%s\n' "${@:2}" | sed '/^patched/d; /^$/d' | sort -u)
label="kernel $version"
[ $# -lt 2 ] || label+=" (${*:2})"
tarball=/usr/src/linux-source-$version.tar.xz
cache=${XDG_CACHE_HOME:-$HOME/.cache}/libuserevents
ccache=$cache/ccache
cache=$cache/kernels
fragments=("$patches/config" "${flavors[@]/#/"$patches/config."}")
work=     # the directory of this build: building-KEY in the cache
build=    # of its objects, below that of the source: then make uses relative paths
make_pid= # its make
damaged=() # directories of images that are not as they were built
image=bzImage
# Without these the VM, or a test in it, cannot do its work.
required=(USER_EVENTS PERF_EVENTS KPROBES 9P_FS OVERLAY_FS VIRTIO_CONSOLE DEVTMPFS
	INET SECCOMP_FILTER TRACER_SNAPSHOT FTRACE_SYSCALLS CGROUP_PERF MODULE_UNLOAD
	BLK_DEV_LOOP)
# Files that compiling never needs, but would take most of unpacking's time.
unneeded=('*/Documentation/*.rst' '*/Documentation/*.yaml' '*/Documentation/*.txt'
	'*/arch/[!x]*/*.[chS]' '*/arch/*.dts*' '*/sound/*.[ch]' '*/tools/testing/*' '*/tools/perf/*'
	'*/drivers/'{gpu,media,net/*,staging,infiniband,scsi,usb,iio}'/*.[ch]')

say() { # SENTENCE
	echo "vm: $label: $1" >&2
}

fail() { # SENTENCE
	say "$1"
	exit 1
}

# The changes that a stock kernel does not have.
diff_from_stock() {
	local extra
	mapfile -t extra < <(list_patches "$version" "$patched" | grep -vxFf <(list_stock "$version"; echo -))
	image_diffs "${extra[@]}"
}

# The parts of a kernel's key, a line each. A package that is not installed (any
# more) gives no line, and then an image made with any version of it will do.
list_inputs() {
	local source
	if source=$(dpkg-query -W -f '${Version}' "linux-source-$version" 2>/dev/null) && [ "$source" ]; then
		echo "source $source"
	elif [ -e "$tarball" ]; then
		echo "source $(sha256sum <"$tarball")"
	fi
	if command -v "${CROSS_COMPILE:-}gcc" >/dev/null; then
		echo "compiler $("${CROSS_COMPILE:-}gcc" --version | head -n 1)"
	fi
	local files
	mapfile -t files < <(list_stock "$version")
	files+=("${fragments[@]}")
	# Only those parts of this script that decide how the image comes out.
	echo "files $({ cat "${files[@]}" && diff_from_stock && declare -p unneeded && declare -f configure make_image keep; } | sha256sum)"
}

# Whether the files in a directory of the cache are those that were built. Older builds have no sums.
is_whole() { # DIRECTORY
	if [ -e "$1/sums" ]; then
		(cd "$1" && sha256sum --status -c sums) 2>/dev/null
	else
		[ -s "$1/$image" ] && { [ "$image" != bzImage ] || [ -z "$(find_damage "$1/$image")" ]; }
	fi
}

# Prints the cached image that was made from these inputs, and sets damaged.
find_cached() { # INPUTS
	local dir
	damaged=()
	for dir in "$cache/$version"-*/; do
		if [ -e "$dir/inputs" ] && ! grep -qvxFf "$dir/inputs" <<<"$1"; then
			! is_whole "$dir" || { echo "$dir$image" && return; }
			damaged+=("$dir")
		fi
	done
	return 1
}

unpack() { # DIRECTORY
	local patch excludes=("${unneeded[@]/#/--exclude=}")
	say "unpacking the source"
	mkdir "$1"
	tar -C "$1" --strip-components=1 "${excludes[@]}" -I 'xz -T0' -xf "$tarball" ||
		fail "Unpacking $tarball failed, see above; make room in $cache, or reinstall linux-source-$version."
	list_patches "$version" "$patched" | while read -r patch; do
		image_diffs "$patch" | patch -s -p1 -d "$1" ||
			fail "The patch $patch does not apply to $tarball; doc/kernel/README.md says how to carry it over."
	done
}

configure() { # SOURCE BUILD
	local option missing=()
	cat "${fragments[@]}" >"$2/fragment"
	make -C "$1" O="$2" KCONFIG_ALLCONFIG="$2/fragment" allnoconfig >"$2/log" 2>&1 ||
		fail_with_log "$2/log" "Configuring failed (the log's end is above)."
	for option in "${required[@]}"; do
		grep -qx "CONFIG_$option=y" "$2/.config" || missing+=("$option")
	done
	[ ${#missing[@]} -eq 0 ] ||
		fail "The configuration came out without ${missing[*]}, which the test VM needs; something that they depend on is missing in doc/kernel/config."
}

# Whatever a flavor names has to come out, unless this version does not have it.
check_flavors() { # SOURCE BUILD
	local line name
	[ ${#flavors[@]} -gt 0 ] || return 0
	while read -r line; do
		name=${line%%=*}
		! grep -rqE "^(menu)?config ${name#CONFIG_}\$" --include='Kconfig*' "$1" ||
			fail "The configuration came out without $line, which the flavor wants; something that it depends on is missing in doc/kernel."
	done < <(grep -h ^CONFIG_ "${fragments[@]:1}" | grep -vxFf "$2/.config")
}

fail_with_log() { # LOG SENTENCE
	mkdir -p "$cache"
	tail -n 40 "$1" >&2
	cp "$1" "$cache/failed.log"
	fail "$2 The whole log is $cache/failed.log."
}

count_objects() { # LOG
	grep -cE '^  (CC|AS|HOSTCC) ' "$1" || true
}

# The count of an earlier build tells how far this one is.
expected_objects() {
	cat "$cache/$version"-*/objects 2>/dev/null | tail -n 1 | grep . || echo 1050
}

# Says how far the build is, until it ends: on a terminal in one line.
show_progress() { # PID LOG EXPECTED
	local said=$SECONDS period=15
	[ ! -t 2 ] || period=1
	while kill -0 "$1" 2>/dev/null; do
		if ((SECONDS - said >= period)); then
			said=$SECONDS
			[ ! -t 2 ] || printf '\033[A\033[K' >&2
			say "compiled $(count_objects "$2") of about $3 objects, $SECONDS s"
		fi
		sleep 0.5
	done
}

make_image() { # SOURCE BUILD
	exec setpriv --pdeathsig TERM make -C "$1" O="$2" -j$(($(nproc) + 1)) \
		KBUILD_BUILD_USER=vm KBUILD_BUILD_HOST=vm bzImage modules
}

# The files of the build that the cache keeps, apart from those about the build.
keep() { # BUILD RESULT
	cp "$1/arch/x86/boot/bzImage" "$2/"
	cp "$1/.config" "$2/config"
	mkdir "$2/modules"
	find "$1" -name '*.ko' -exec cp -t "$2/modules" {} +
}

compile() { # SOURCE BUILD
	(make_image "$1" "$2") >>"$2/log" 2>&1 &
	make_pid=$!
	say "compiling"
	show_progress "$make_pid" "$2/log" "$(expected_objects)"
	wait "$make_pid" || fail_with_log "$2/log" "Building failed (the log's end is above)."
	make_pid=
}

# Kernels of one version share most of their objects. Only the environment says so, and
# paths are relative to the source, so the image is the same without ccache.
use_ccache() {
	local name
	for name in "${!CCACHE_@}"; do unset "$name"; done
	# Without CCACHE_DEPEND it runs the preprocessor apart from the compiler.
	export CCACHE_DIR=$ccache CCACHE_MAXSIZE=2G CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
	mkdir -p "$work/bin"
	ln -sf "$(command -v ccache)" "$work/bin/gcc"
	ln -sf "$(command -v ccache)" "$work/bin/${CROSS_COMPILE:-}gcc"
	PATH=$work/bin:$PATH
}

# Whatever ends this script, only a source tree that is complete stays.
clean_up() {
	if [ "$make_pid" ]; then
		kill "$make_pid" 2>/dev/null || true
		wait "$make_pid" 2>/dev/null || true
	fi
	[ -e "$build/configured" ] || rm -rf "$work"
}

# A source tree is complete once it is configured; make continues from there.
prepare() {
	if [ -e "$build/configured" ]; then
		say "continuing the interrupted build in $work"
		return
	fi
	rm -rf "$work"
	mkdir -p "$work"
	unpack "$work/source"
	mkdir "$build"
	configure "$work/source" "$build"
	check_flavors "$work/source" "$build"
	touch "$build/configured"
}

# For people; the key is what counts.
name_flavors() {
	[ ${#flavors[@]} -eq 0 ] || printf -- '-%s' "${flavors[@]}"
	[ -z "$(diff_from_stock)" ] || printf -- '-patched'
}

# Builds in a directory of its own, so that every other entry of the cache is complete.
build() { # INPUTS KEY
	local name
	name=$cache/$version$(name_flavors)-$2
	say "building (once; it is kept in $cache)"
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	prepare
	use_ccache
	compile "$work/source" "$build"

	rm -rf "$work/result"
	mkdir "$work/result"
	keep "$build" "$work/result"
	cp "$build/log" "$work/result/"
	count_objects "$build/log" >"$work/result/objects"
	echo "$1" >"$work/result/inputs"
	echo "$SECONDS" >"$work/result/build-seconds"
	(cd "$work/result" && find "$image" modules -type f -exec sha256sum {} + >sums)
	times >"$work/times" # the second line: of children, user and system
	rm -rf "$name" "${damaged[@]}"
	mv -T "$work/result" "$name"
	say "built in $SECONDS s, of processor time $(tail -n 1 "$work/times" | tr ' ' '+')"
	rm -rf "$work"
	echo "$name/$image"
}

check_arguments() {
	local flavor count
	for flavor in "${flavors[@]}"; do
		[ -e "$patches/config.$flavor" ] ||
			fail "There is no flavor $flavor, as there is no doc/kernel/config.$flavor."
	done
	count=$(list_all "$version" | wc -l)
	[[ $patched =~ ^(all|rfc|)$ ]] || { [[ $patched =~ ^[1-9][0-9]*$ ]] && ((patched <= count)); } ||
		fail "Of $version's $count patches in doc/kernel, the first $patched cannot be taken."
}

# A flavor may need packages: then it is a purpose in scripts/packages.
list_purposes() {
	local flavor
	echo kernel
	for flavor in "${flavors[@]}"; do
		! "$root/scripts/packages" "$flavor" >/dev/null 2>&1 || echo "$flavor"
	done
}

vm_options() {
	local named="--kernel $version ${words[*]/#/--}"
	[[ " ${words[*]} " != *" newest "* ]] || named="--kernel newest ${words[*]/#/--}"
	echo "${named/ --newest/}"
}

main() {
	local inputs key purposes
	# shellcheck source=tests/vm/arm64-kernel.sh
	[[ " ${flavors[*]} " != *" arm64 "* ]] || . "$here/arm64-kernel.sh"
	check_arguments
	find_cached "$(list_inputs)" && return
	[ ${#damaged[@]} -eq 0 ] || say "The cached image is damaged, and is not used: ${damaged[0]}$image"
	[ -z "$cached" ] || fail "It is not built yet; run scripts/vm $(vm_options) --build-only."
	mapfile -t purposes < <(list_purposes)
	"$root/scripts/packages" --install "${purposes[@]}" "linux-source-$version"
	mkdir -p "$cache"
	# Two at once build one after the other, so the second finds the first's.
	exec 9>"$cache/lock"
	flock -n 9 || { say "waiting for a build that is under way" && flock 9; }
	inputs=$(list_inputs)
	find_cached "$inputs" && return
	key=$(sha256sum <<<"$inputs")
	work=$cache/building-${key:0:16}
	build=$work/source/build
	# We hold the lock, so no build uses the others: their inputs are out of date.
	find "$cache" -maxdepth 1 -name 'building*' ! -path "$work" -mtime +1 -exec rm -rf {} +
	SECONDS=0
	build "$inputs" "${key:0:16}"
}

main
