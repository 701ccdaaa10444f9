#!/bin/bash
# SPDX-License-Identifier: MIT
# userevents.hpp in each standard and compiler, without a warning; wrong use does not
# compile. format.hpp where std::format() is: in libc++ 19 here, also in g++ 13 and later. Arguments: the source and the build folder.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
source_dir=$1
lib=$2/lib
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual
	-Wold-style-cast -Wzero-as-null-pointer-constant -Werror)

compile() { # COMPILER STANDARD ARGUMENT...
	local more=()
	case $1 in
	g++) more=(-Wuseless-cast) ;;
	clang++-*) more=(-stdlib=libc++) ;;
	esac
	"$1" -std="$2" "${warnings[@]}" "${more[@]}" -O1 -I"$source_dir/include" "${@:3}"
}

passes() { # COMPILER STANDARD ARGUMENT...
	runs cpp.cpp "$@"
}

runs() { # FILE COMPILER STANDARD ARGUMENT...
	compile "${@:2}" -pthread "$source_dir/tests/bindings/$1" -o "$dir/program" \
		"$lib/libuserevents-decode.so" "$lib/libuserevents.so" -Wl,-rpath,"$lib" &&
		"$dir/program"
}

# The header defines nothing, so that a program can ask for it.
lacks_format() { # COMPILER STANDARD
	compile "$@" -x c++ -fsyntax-only - <<<'#include <userevents/format.hpp>
#ifdef UE_FORMAT
#error "there is one"
#endif'
}

has_format() { # COMPILER
	"$1" -std=c++20 "${@:2}" -x c++ -fsyntax-only - <<<'#include <version>
#ifndef __cpp_lib_format
#error
#endif' 2>/dev/null
}

refuses() { # MESSAGE COMPILER STANDARD TEXT
	local said
	said=$(compile "$2" "$3" -x c++ -fsyntax-only - 2>&1 <<<"#include <userevents/userevents.hpp>
$4") && { echo "it compiles"; return 1; }
	grep -qE "error: .*($1)" <<<"$said" || { echo "$said"; return 1; }
}

# Old programs have macros of one capital letter.
letters=()
for name in {A..Z}; do
	letters+=("-D$name=taken($name)")
done

header_alone() { # COMPILER STANDARD ARGUMENT...
	compile "$@" -x c++ -fsyntax-only - <<<'#include <userevents/userevents.hpp>'
}

header='UE_PROVIDER(p, "P"); UE_TRACEPOINT(t, p, 4, 1);
'
for cxx in g++ clang++; do
	for std in c++17 c++20 c++2b; do
		check "$cxx $std: values of C++ are written and read back" passes $cxx $std
	done
	# A temporary object that is read too late may still have its bytes otherwise.
	check "$cxx: the same with sanitizers" passes $cxx c++20 -fsanitize=address,undefined \
		-fno-sanitize-recover=all
	check "$cxx: there is no format in C++17" lacks_format $cxx c++17
	check "$cxx: capital letters are macros" header_alone $cxx c++17 "${letters[@]}"
	check "$cxx: C++14 is named as too old" refuses 'needs C\+\+17' $cxx c++14 ''
	check "$cxx: a view among the members of elements" refuses 'is a view' $cxx c++17 \
		"$header struct item { std::string_view a; };
		UE_EVENTHEADER(t, e, UE_STRUCTS(item, items, UE_STRING_VIEW(a)));"
	check "$cxx: a span in a classic event" refuses 'UE_EVENTHEADER\(\) and' $cxx c++17 \
		'UE_EVENT(e, UE_SPAN(UE_U16(a)));'
	check "$cxx: a span of another type" refuses \
		'could not convert|no viable conversion|no matching|cannot convert' $cxx c++17 \
		"$header"'#include <vector>
		UE_EVENTHEADER(t, e, UE_SPAN(UE_U16(a)));
		int f(int fd, const std::vector<int> &v);
		int f(int fd, const std::vector<int> &v) { return UE_WRITE(fd, e, v); }'
done
for std in c++17 c++20 c++2b; do
	check "libc++ $std: values of C++ are written and read back" passes clang++-19 $std
done
# Debian 12 has it in libc++ 19, Debian 13 in g++, too.
formats=(clang++-19)
! has_format g++ || formats+=(g++)
for cxx in "${formats[@]}"; do
	for std in c++20 c++2b; do
		check "$cxx $std: texts of std::format()" runs cpp_format.cpp $cxx $std
		check "$cxx $std: a format for other values" refuses 'constant expression|immediate' $cxx $std \
			"#include <userevents/format.hpp>
			UE_EVENT(note, UE_STRING(text));
			int f(int fd);
			int f(int fd) { return UE_FORMAT(fd, note, \"{:d}\", \"x\"); }"
	done
	check "$cxx: the same with sanitizers" runs cpp_format.cpp $cxx c++20 -fsanitize=address,undefined \
		-fno-sanitize-recover=all
done
# The programs of the page, and the names of their events.
readme_runs() { # SOURCE BUILD
	local page
	awk -v dir="$dir" '/^```cpp$/ { file = dir "/page" ++n ".cpp"; next } /^```$/ { file = "" }
		file { print >file }' "$1/bindings/cpp/README.md"
	for page in "$dir"/page*.cpp; do
		clang++-19 -stdlib=libc++ -std=c++20 -Wall -Wextra -Werror -I"$1/include" "$page" \
			-o "$dir/program" "$lib/libuserevents.so" -Wl,-rpath,"$lib" &&
			"$2/tools/userevents" run "$dir/program" || return
	done >"$dir/lines"
	awk '{ count[$3]++ } END { for (name in count) print name, count[name] }' "$dir/lines" |
		LC_ALL=C sort >"$dir/events"
	diff "$dir/events" - <<-END
		MyCompany_Shop:Log 1
		MyCompany_Shop:basket 1
		MyCompany_Shop:charged 1
		MyCompany_Shop:checkout 2
		MyCompany_Shop:payment 2
		user_events:order 1
		user_events:shop_note 1
	END
}
check "the programs of the page run" readme_runs "$@"
has_format g++ || check "g++: there is no format in this version" lacks_format g++ c++20
finish
