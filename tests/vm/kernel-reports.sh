# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# How to find what a kernel reports of itself in its log: source this file.

# First lines of what the kernel prints when something is wrong with it.
# A user program may print the same words: only what reached the log counts.
# Lockdep begins with WARNING or BUG, apart from keys; the debugging of objects with WARNING.
# SLUB names the cache after BUG. Kmemleak only scans when a test asks for it.
readonly kernel_reports='((WARNING|BUG|Oops|UBSAN|KASAN|KCSAN|KFENCE): |BUG [^ :]+ \((Not t|T)ainted|kernel BUG at |Kernel panic - |general protection fault, |INFO: (task .* blocked|rcu_.* stall|trying to register non-static key)|kmemleak: [0-9]+ new suspected memory leaks|Watchdog detected hard LOCKUP)'

# The reports in a log on standard input, without those that match an allowed expression;
# status 1 without one.
find_kernel_reports() { # [ALLOWED...]
	local allowed
	mapfile -t allowed < <(printf '%s\n' "$@" | grep .)
	tr -d '\r' | grep -aE "^(\[[ 0-9.]+\] )?(.*: )?$kernel_reports" |
		if [ ${#allowed[@]} -gt 0 ]; then grep -avE "${allowed[@]/#/-e}"; else cat; fi
}

# Stock 6.12 and 7.3 may lose a page when a process executes another program (doc/security.md, and
# the table in doc/kernel/README.md), which one run in a hundred meets. Prints an expression that
# matches this report.
known_kernel_report() { # VERSION OPTIONS-OF-SCRIPTS/VM
	[[ $1 != 6.12 && $1 != newest ]] || [[ $2 == *--patched* ]] || echo "BUG: Bad rss-counter state"
}
