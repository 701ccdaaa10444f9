#!/bin/bash
# SPDX-License-Identifier: MIT
# The commands of userevents-write.service let a group write events and read none, and its
# end takes that back. Run here as systemd would, for another group that exists everywhere.
# Arguments: the unit, the example 01_program, the tool.
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tap.sh"
unit=$1
program=$2
tool=$3
group=daemon
tracing=/sys/kernel/tracing
[ -e $tracing/user_events_data ] || skip_all "this kernel has no user_events"

commands() { # KEY: with "-" before those that may fail
	sed -n "s/^$1=//p" "$unit" | sed "s/userevents-write/$group/g"
}

run_commands() { # KEY
	local command
	while read -r command; do
		case $command in
		-*) ${command#-} 2>/dev/null || true ;;
		*) $command || { echo "failed: $command"; return 1; } ;;
		esac
	done < <(commands "$1")
}

as_member() { # COMMAND...
	setpriv --reuid 65534 --regid 65534 --groups $group -- "$@"
}

as_other() { # COMMAND...
	setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"
}

# It names the error of opening or registering.
is_traced() { # WHO
	local said
	said=$("$1" "$program" 2>&1) && [ -z "$said" ] || { echo "$said"; return 1; }
}

fails() { # COMMAND...
	! "$@"
}

# The event of the program arrives in the kernel's buffer.
event_arrives() {
	"$tool" watch -e shop_request --register 'shop_request u32 status; u64 latency_ns; __rel_loc char[] path' \
		setpriv --reuid 65534 --regid 65534 --groups $group -- "$program" |
		grep 'shop_request.*status=200.*latency_ns=1234567'
}

modes() { # also of the directory and a file beside
	stat -c '%A %u %g %n' $tracing{,/user_events_data,/user_events_status,/trace,/events}
}

# Other tests may have left other modes.
run_commands ExecStop
before=$(modes)
check "before it starts, a member cannot write" fails is_traced as_member
check "it starts" run_commands ExecStart
check "a member registers and writes" is_traced as_member
check "... and the event is recorded" event_arrives
check "another user cannot" fails is_traced as_other
check "a member cannot list tracefs" fails as_member ls $tracing
check "... nor read the trace" fails as_member cat $tracing/trace
check "... nor enable events" fails as_member sh -c "echo 1 >$tracing/events/enable"
check "it starts again" run_commands ExecStart
check "it stops" run_commands ExecStop
check "a member cannot write any more" fails is_traced as_member
check "all is as it was before" [ "$(modes)" = "$before" ]
finish
