#!/bin/bash
# SPDX-License-Identifier: MIT
# Each target of scripts/fuzz can be built and run. Arguments: the source and the build
# folder, and the targets for which the whole tool is compiled: those only with
# UE_TEST_FULL, as other tests replay them.
set -u
count=0
failed=0
export FUZZ_BUILD=$2/fuzz

source=$1
shift 2
for target in $("$source/scripts/fuzz" --list); do
	if [ -z "${UE_TEST_FULL:-}" ] && [[ " $* " == *" $target "* ]]; then
		continue
	fi
	count=$((count + 1))
	result=ok
	output=$("$source/scripts/fuzz" --try "$target" 2>&1) || { result='not ok'; failed=1; }
	echo "$result $count - $target"
	[ "$result" = ok ] || tail -n 40 <<<"$output" | sed 's/^/# /'
done
[ "$count" != 0 ] || failed=1
echo "1..$count"
exit $failed
