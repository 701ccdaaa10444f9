#!/bin/bash
# SPDX-License-Identifier: MIT
# A plugin with an event calls the library once when it is unloaded, however it is compiled
# and linked. Arguments: the source and the build folder.
set -u
pass=$1/tests/compile/pass
include=$1/include
library=$2/lib
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0
failed=0
events='
#include <userevents/userevents.h>
UE_EVENT(in_plugin, UE_U32(value));
UE__EXTERN __attribute__((visibility("default"))) void work(void);
void work(void)
{
	ue_register_module(1000);
	UE_WRITE(1, in_plugin, 1);
}'

build() { # COMPILER STANDARD LANGUAGE LINKER-FLAGS FLAGS...
	"$1" -std="$2" -x "$3" -Wall -Wextra -Wpedantic -Werror -I"$include" "${@:5}" -fPIC \
		-c - -o "$dir/plugin.o" <<<"$events" &&
		"$1" "${@:5}" $4 -shared "$dir/plugin.o" -o "$dir/plugin.so" \
			-L"$library" -luserevents -Wl,-rpath,"$library"
}

run() {
	"$dir/program" "$dir/plugin.so" >"$dir/output" &&
		[ "$(<"$dir/output")" = "loaded
left $dir/plugin.so
unloaded" ] || { cat "$dir/output"; return 1; }
}

check() { # COMPILER STANDARD LANGUAGE LINKER-FLAGS FLAGS...
	local result=ok output
	count=$((count + 1))
	output=$( (build "$@" && run) 2>&1) || { result='not ok'; failed=1; }
	echo "$result $count - $1 $2${4:+ $4} ${*:5}"
	[ "$result" = ok ] || sed 's/^/# /' <<<"$output"
}

gcc -std=gnu11 -D_GNU_SOURCE -I"$include" "$pass/unloaded.c" -o "$dir/program" -rdynamic || exit 1
apart="-ffunction-sections -fdata-sections"
while read -r compiler; do
	# shellcheck disable=SC2086
	for flags in "-O0" "-O2" "-O2 -fvisibility=hidden"; do
		check $compiler "" $flags
	done
	# shellcheck disable=SC2086
	check $compiler -Wl,--gc-sections -O2 $apart
done <<'END'
gcc c11 c
g++ c++17 c++
clang c11 c
clang++ c++17 c++
END
check gcc c11 c "" -O2 -flto
check g++ c++17 c++ "" -O2 -flto
# shellcheck disable=SC2086
check gcc c11 c -Wl,--gc-sections -O2 -flto -fvisibility=hidden $apart
if command -v ld.lld >/dev/null; then
	# shellcheck disable=SC2086
	check clang c11 c "-fuse-ld=lld -Wl,--gc-sections" -O2 $apart
fi
echo "1..$count"
exit $failed
