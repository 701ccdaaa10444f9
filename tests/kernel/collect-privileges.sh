#!/bin/bash
# SPDX-License-Identifier: MIT
#
# collect-privileges.sh TOOL GUESTS: the capabilities that a collector needs, taken away one by
# one: packaging/kubernetes and packaging/systemd give these, and no others.
set -uo pipefail

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/support/tap.sh
. "$tree/tests/support/tap.sh"
work=$(mktemp -d)
keeper=
trap 'kill "$keeper" 2>/dev/null; rm -rf "$work"' EXIT
chmod 755 "$work"

# Other users may not enter root's folder. The libraries lie beside the tool as they were built.
copy_tool() { # TOOL
	local build
	build=$(cd "$(dirname "$1")/.." && pwd)
	mkdir "$work"/{tools,lib}
	find "$build/tools" -maxdepth 1 -type f -name 'userevents*' -perm -1 -exec cp -t "$work/tools" {} +
	cp -a "$build"/lib/*.so* "$work/lib"
}

# Sets pid; what it says is left in $work/said, what it counts in $work/m.prom.
# shellcheck disable=SC2317 # called by check
start() { # USER CAPABILITIES OPTION...
	local directory
	directory=$(mktemp -d "$work/run.XXXXXX")
	chmod 777 "$directory"
	ln -sfn "$directory/m.prom" "$work/m.prom"
	LD_LIBRARY_PATH=$work/lib setpriv --reuid "$1" --regid "$1" --clear-groups --no-new-privs --bounding-set "-all$2" \
		--inh-caps "-all$2" --ambient-caps "-all$2" \
		"$work/tools/userevents" collect --metrics "$directory/m.prom" --metrics-interval 1 \
		--record "$directory/files" "${@:3}" >"$work/said" 2>&1 &
	pid=$!
}

# Status 0: it recorded an event of the program, and then collected until SIGTERM.
# shellcheck disable=SC2317
records() { # USER CAPABILITIES OPTION...
	local status=0
	start "$@"
	until grep -qs '^userevents_recorded_events_total [1-9]' "$work/m.prom"; do
		kill -0 "$pid" 2>/dev/null || break
		printf x >"$work/input"
		sleep 0.1
	done
	kill -TERM "$pid" 2>/dev/null
	wait "$pid" || status=$?
	[ "$status" = 0 ] || cat "$work/said"
	return "$status"
}

# It ends by itself.
# shellcheck disable=SC2317
refused_for() { # TEXT USER CAPABILITIES OPTION...
	start "${@:2}"
	! wait "$pid" && grep -qF -e "$1" "$work/said" && return
	cat "$work/said"
	return 1
}

# shellcheck disable=SC2317
takes_rings() { # PROGRAM USER CAPABILITIES: PROGRAM writes into one
	start "${@:2}" --socket "$work/sockets/one"
	until [ -S "$work/sockets/one" ]; do
		kill -0 "$pid" 2>/dev/null || { cat "$work/said"; return 1; }
		sleep 0.1
	done
	until grep -qs '^userevents_recorded_events_total [1-9]' "$work/m.prom"; do
		USEREVENTS_SOCKET=$work/sockets/one "$1" count 1
		sleep 0.1
	done
	kill -TERM "$pid"
	wait "$pid"
}

kernel=(-e 'user_events:guest*')
copy_tool "$1"
# The tracepoint exists as long as a program has it.
mkfifo "$work/input"
"$2" ask <>"$work/input" >"$work/output" &
keeper=$!
wait_until grep -q ready "$work/output" >/dev/null

check "another user with both records the kernel's events" \
	records 65534 ,+perfmon,+dac_read_search "${kernel[@]}"
check "... without CAP_DAC_READ_SEARCH cannot read tracefs" \
	refused_for "cannot read /sys/kernel/tracing" 65534 ,+perfmon "${kernel[@]}"
check "... without CAP_PERFMON cannot record" \
	refused_for "CAP_PERFMON" 65534 ,+dac_read_search "${kernel[@]}"
check "... cannot register events" refused_for "cannot open user_events" 65534 \
	,+perfmon,+dac_read_search "${kernel[@]}" --register 'guest2 u32 a'
check "root with CAP_PERFMON alone records them: tracefs is its own" records 0 ,+perfmon "${kernel[@]}"
check "... without it cannot" refused_for "CAP_PERFMON" 0 "" "${kernel[@]}"
check "the manifest gives root that one" grep -qx ' *add: \[PERFMON\]' "$tree/packaging/kubernetes/daemonset.yaml"
check "the unit gives its user both" grep -qx 'AmbientCapabilities=CAP_PERFMON CAP_DAC_READ_SEARCH' \
	"$tree/packaging/systemd/userevents-collect.service"
# The settings of the manifest, as far as they can be judged without a look at the node.
sed -n '/collect.conf: |/,/^---/{ s/^    //p }' "$tree/packaging/kubernetes/daemonset.yaml" >"$work/collect.conf"
check "its settings are valid" "$work/tools/userevents" collect --check --config "$work/collect.conf"
mkdir -m 777 "$work/sockets"
check "rings of the socket need none" takes_rings "$2" 65534 ""
finish
