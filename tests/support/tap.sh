# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# TAP for shell tests: source this file, call check() for each test, then finish(). If a
# check fails, the output of its command is printed as a comment, followed by the output
# of explain() if the test defines this function.
tap_count=0
tap_failed=0

result() { # STATUS NAME [TEXT]
	tap_count=$((tap_count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_count - $2"
		return
	fi
	tap_failed=1
	echo "not ok $tap_count - $2"
	[ -z "${3:-}" ] || sed 's/^/# /' <<<"$3"
	[ "$(type -t explain)" != function ] || explain | sed 's/^/# /'
}

# The command sees the variables of the test, so these have names of their own.
check() { # NAME COMMAND...
	local tap_name=$1 tap_output tap_status=0
	shift
	tap_output=$("$@" 2>&1) || tap_status=$?
	result $tap_status "$tap_name" "$tap_output"
}

# For check(): the command exits with STATUS and prints TEXT.
says() { # STATUS TEXT COMMAND...
	local tap_status=$1 tap_text=$2 tap_said tap_ended=0
	shift 2
	tap_said=$("$@" 2>&1) || tap_ended=$?
	[ $tap_ended = "$tap_status" ] && [[ $tap_said == *"$tap_text"* ]] ||
		{ echo "$tap_ended $tap_said"; return 1; }
}

# For check(): the command must succeed within a generous time.
wait_until() { # COMMAND...
	for _ in {1..600}; do
		"$@" 2>/dev/null && return
		sleep 0.1
	done
	echo "It did not happen within 60 s: $*"
	return 1
}

finish() {
	echo "1..$tap_count"
	exit $tap_failed
}

# Only some checks cannot run here.
skip() { # NAME REASON
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# The whole test cannot run here.
skip_all() { # REASON
	echo "1..0 # SKIP $1"
	exit 77
}
