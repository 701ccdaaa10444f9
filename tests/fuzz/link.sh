#!/bin/bash
# SPDX-License-Identifier: MIT
# Each target of scripts/fuzz can be built and run. Arguments: the source and the build
# folder.
set -u
count=0
failed=0
export FUZZ_BUILD=$2/fuzz

for target in $("$1/scripts/fuzz" --list); do
	count=$((count + 1))
	result=ok
	output=$("$1/scripts/fuzz" --try "$target" 2>&1) || { result='not ok'; failed=1; }
	echo "$result $count - $target"
	[ "$result" = ok ] || tail -n 40 <<<"$output" | sed 's/^/# /'
done
[ "$count" != 0 ] || failed=1
echo "1..$count"
exit $failed
