# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Sourced: need_packages PURPOSE PACKAGE... installs the Debian packages that
# are missing, or says in a sentence what to install and exits 1.

is_installed() { # PACKAGE
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

can_install() {
	command -v apt-get >/dev/null || return
	[ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }
}

apt_get() {
	# Somebody else may be installing something.
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@"
}

# The lists of packages may be absent or out of date.
install_packages() { # PACKAGE...
	apt_get install -y --no-install-recommends "$@" ||
		{ apt_get update && apt_get install -y --no-install-recommends "$@"; }
}

need_packages() { # PURPOSE PACKAGE...
	local purpose=$1 missing=() package
	shift
	for package; do
		is_installed "$package" || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	if ! can_install; then
		echo "${program:-vm}: To $purpose, these Debian packages are missing: ${missing[*]}." \
			"Installing them needs apt-get, and root or sudo without a password;" \
			"run: apt-get install --no-install-recommends ${missing[*]}" >&2
		exit 1
	fi
	echo "${program:-vm}: To $purpose, installing ${missing[*]}." >&2
	if ! install_packages "${missing[@]}" >&2; then
		echo "${program:-vm}: apt-get could not install ${missing[*]}, needed to $purpose;" \
			"its words are above." >&2
		exit 1
	fi
}
