#!/bin/bash
# SPDX-License-Identifier: MIT
# The archive of a release configures, builds and runs as a shared library, a static one, and both,
# without optimization and with warnings as errors; installed under prefixes of its own,
# and as a subproject and a wrap, and found by CMake. Argument: the source folder.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
source_dir=$1
dir=$(mktemp -d "${TMPDIR:-/tmp}/ue-variants-XXXXXX")
trap 'rm -rf "$dir"' EXIT
unset LD_LIBRARY_PATH USEREVENTS_FD DESTDIR
export CCACHE_BASEDIR=$dir CCACHE_NOHASHDIR=1

# The archive that scripts/dist makes of the tree.
release=$dir/release

# Under a hook of another repository, and with files that the user's git ignores.
unpack_release() {
	git init -q "$dir/other" && mkdir -p "$dir/config/git" && echo '*.md' >"$dir/config/git/ignore" &&
		mkdir "$release" && GIT_DIR=$dir/other/.git XDG_CONFIG_HOME=$dir/config \
			"$source_dir/scripts/dist" "$dir" &&
		(cd "$dir" && sha256sum -c libuserevents-*.tar.xz.sha256sum) &&
		tar -C "$release" --strip-components=1 -xf "$dir"/libuserevents-*.tar.xz
}

files_of() { # TREE
	(cd "$1" && find ./*/ ! -path './build*' -type f ! -name '*.pyc' | sort)
}

has_all_files() {
	diff <(files_of "$source_dir") <(files_of "$release")
}

is_without_commits() { # REPOSITORY
	git -C "$1" rev-parse --git-dir && ! git -C "$1" rev-parse -q --verify HEAD
}

configure() { # BUILD SOURCE OPTIONS...
	meson setup --werror -Doptimization=0 -Ddebug=false "${@:3}" "$1" "$2"
}

writes_events() { # BUILD
	"$1/examples/test_events" >"$dir/output" && grep -q '^ok' "$dir/output" &&
		! grep '^not ok' "$dir/output"
}

has() { # FOLDER NAME...: libraries of these names, and no others
	(cd "$1" && printf '%s\n' libuserevents*.*[ao]) | diff - <(printf '%s\n' "${@:2}")
}

prints_version() { # TOOL
	local name
	for name in query export collect; do # programs of their own
		"$1" "$name" --help >/dev/null || return
	done
	"$1" --version | grep -xF "userevents $(sed -n "s/^  version: '\(.*\)',/\1/p" \
		"$release/meson.build")" >/dev/null
}

as_one_library() { # KIND LIBDIR FILE...
	local kind=$1 libdir=$2 build=$dir/$1 prefix=$dir/prefix-$1
	check "default_library=$kind configures" configure "$build" "$release" \
		-Ddefault_library="$kind" --prefix="$prefix" --libdir="$libdir"
	check "... builds" ninja -C "$build"
	check "... writes events" writes_events "$build"
	check "... installs" meson install --no-rebuild -C "$build"
	check "... installs these libraries alone" has "$prefix/$libdir" "${@:3}"
	check "... installs files for other programs" all_exist "$prefix" "$libdir"
	check "... installs a tool that starts" prints_version "$prefix/bin/userevents"
	check "... installs what links in the documents lead to" \
		links_lead_to_files "$prefix/share/doc/libuserevents"
	mv "$prefix" "$prefix-moved"
	check "... a tool that starts after it was moved" \
		prints_version "$prefix-moved/bin/userevents"
	cmake_project "$kind" "$prefix-moved" "$libdir"
}

all_exist() { # PREFIX LIBDIR
	local file missing=0
	for file in "$2"/{pkgconfig/libuserevents{,-decode}.pc,cmake/libuserevents/libuserevents-config{,-version}.cmake} \
		share/{bash-completion/completions/userevents,zsh/site-functions/_userevents} \
		share/fish/vendor_completions.d/userevents.fish \
		lib/{systemd/system/userevents-{write,collect}.service,sysusers.d/userevents-write.conf} \
		share/doc/libuserevents/{README.md,LICENSE,CHANGELOG.md,examples/{01_program,hello}.c}; do
		[ -s "$1/$file" ] || { echo "missing: $file"; missing=1; }
	done
	! find "$1" -name '*.patch' -not -path '*/examples/real/*' | grep . || { echo "LICENSE says otherwise"; missing=1; }
	grep -qF "ExecStart=$1/bin/userevents " "$1/lib/systemd/system/userevents-collect.service" ||
		{ echo "the unit starts another tool"; missing=1; }
	return $missing
}

# Links between documents; those into the sources and tests lead out of what is installed.
links_lead_to_files() { # FOLDER
	local file link missing=0
	for file in "$1"/{README.md,doc/*.md,bindings/{,*/}README.md}; do
		for link in $(grep -oE '\]\([^)#:]+' "$file" | cut -c3-); do
			[[ $link =~ ^(\.\./)*(doc|examples|bindings|packaging|include|(cpp|go|python|rust)/README\.md|[a-z_]+\.md|[A-Z]+\.md)($|/) ]] ||
				continue
			[ -e "${file%/*}/$link" ] || { echo "$file: $link"; missing=1; }
		done
	done
	return $missing
}

# CMake looks into the usual folders of libraries by itself.
cmake_project() { # KIND PREFIX LIBDIR
	local build=$dir/cmake-$1 where=-DCMAKE_PREFIX_PATH=$2
	[ "$3" != lib/some ] || where=-Dlibuserevents_DIR=$2/$3/cmake/libuserevents
	local configure=(cmake -S "$source_dir/tests/install/cmake" -B "$build" -G Ninja "$where"
		-DKIND="$1" -DSOURCES="$source_dir/tests/install")
	check "CMake finds the $1 library" "${configure[@]}"
	check "... builds" cmake --build "$build"
	check "... runs" each_runs "$build"
	check "... but not a later version" says 1 'compatible with requested version "0.99"' \
		"${configure[@]}" -DVERSION=0.99
}

each_runs() { # FOLDER: its programs, and one at least
	local program count=0
	for program in "$1"/*consumer*; do
		[ ! -x "$program" ] || [ -d "$program" ] || { "$program" && count=$((count + 1)); } ||
			return
	done
	[ $count -ge 2 ]
}

superproject() {
	mkdir -p "$dir/super/subprojects" &&
		cp "$source_dir"/tests/install/*consumer.c "$dir/super" &&
		cat >"$dir/super/meson.build" <<-'END'
			project('super', 'c')
			executable('consumer', 'consumer.c',
			  dependencies: dependency('libuserevents', version: '>= 0.1'))
			executable('decode_consumer', 'decode_consumer.c',
			  dependencies: dependency('libuserevents-decode', version: '>= 0.1'))
		END
}

as_folder() {
	cp -r "$release" "$dir/super/subprojects/libuserevents"
}

# The files where the wrap's first lines say.
as_wrap() {
	rm -r "$dir/super/subprojects" && mkdir -p "$dir/super/subprojects/packagefiles" &&
		cp "$release/packaging/meson/libuserevents.wrap" "$dir/super/subprojects" &&
		cp "$dir"/libuserevents-*.tar.xz "$dir/super/subprojects/packagefiles"
}

has_libraries_alone() { # BUILD
	[ "$(meson introspect --tests "$1")" = "[]" ] &&
		! { meson introspect --installed "$1" || echo '["failed"]'; } | jq -r '.[]' |
			grep -v '/include/userevents$\|/include/userevents/.*\.hp*$\|/libuserevents[^/]*$'
}

super_builds() { # NAME OPTIONS...
	local build=$dir/super-$1
	check "a superproject configures" configure "$build" "$dir/super" "${@:2}"
	check "... has none of our tests, and not the tool" has_libraries_alone "$build"
	check "... builds" ninja -C "$build" consumer decode_consumer
	check "... runs" "$build/consumer"
	check "... reads events" "$build/decode_consumer"
}

# pkg-config finds no library, and a header that is included nevertheless is an error.
without_libraries() {
	local build=$dir/without header
	for header in babeltrace2/babeltrace.h curl/curl.h sqlite3.h trace-cmd.h zlib.h zstd.h; do
		mkdir -p "$(dirname "$dir/poison/$header")"
		echo '#error "an optional library"' >"$dir/poison/$header"
	done
	check "without the optional libraries: configures" \
		env PKG_CONFIG_LIBDIR=/nonexistent meson setup --werror -Doptimization=0 -Ddebug=false \
		-Dexamples=false "$build" "$release"
	check "... builds without their headers" env CPATH="$dir/poison" ninja -C "$build"
	check "... the tool starts" "$build/tools/userevents" --version
	check "... and says which program is missing" \
		says 1 "userevents-query" "$build/tools/userevents" query file 'SELECT 1'
}

check "scripts/dist makes an archive" unpack_release
check "... with all files of the tree, tests included" has_all_files
check "... and leaves other repositories alone" is_without_commits "$dir/other"
as_one_library static lib/some libuserevents-decode.a libuserevents.a
as_one_library shared lib/x86_64-linux-gnu libuserevents-decode.so libuserevents.so
as_one_library both lib libuserevents-decode.a libuserevents-decode.so \
	libuserevents.a libuserevents.so
check "a project with a subproject" superproject
check "... as a folder" as_folder
super_builds static -Ddefault_library=static --wrap-mode=forcefallback
super_builds shared -Ddefault_library=shared --wrap-mode=forcefallback
check "... as a wrap" as_wrap
super_builds wrap --wrap-mode=forcefallback
without_libraries
finish
