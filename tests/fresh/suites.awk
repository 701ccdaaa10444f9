# SPDX-License-Identifier: MIT
#
# awk -v release=NAME -v names=REGEX -v format=list|sources -f suites.awk FILE
#
# Gives one of apt's lists of sources the suites of a release of Debian: names matches those
# that Debian's releases have there. Other suites stay. An entry that has no suite then is
# left out: sid has no updates and no security.

function renamed(words,   list, n, i, suffix, seen, all) {
	n = split(words, list)
	for (i = 1; i <= n; i++) {
		suffix = list[i]
		if (sub("^(" names ")", "", suffix) && suffix ~ /^(-.*)?$/)
			list[i] = release == "sid" && suffix != "" ? "" : release suffix
		if (list[i] != "" && !seen[list[i]]++)
			all = all " " list[i]
	}
	return all
}

# An entry of deb822 is a paragraph.
function end_paragraph() {
	suites = renamed(suites)
	if (suites != "" || !named)
		printf "%s%s", entry, named ? "Suites:" suites "\n" : ""
	entry = suites = ""
	named = in_suites = 0
}

format == "list" {
	if (match($0, /^deb(-src)?[ \t]+(\[[^]]*\][ \t]+)?[^ \t]+[ \t]+/)) {
		source = substr($0, 1, RLENGTH - 1)
		$0 = substr($0, RLENGTH + 1)
		suite = renamed($1)
		$1 = ""
		if (suite == "")
			next
		$0 = source suite $0
	}
	print
	next
}
/^[ \t]*$/ { end_paragraph(); print; next }
/^#/ { entry = entry $0 "\n"; next }
# A line that begins with a space continues the field.
/^[^ \t]/ { in_suites = tolower($0) ~ /^suites:/ }
in_suites { named = 1; sub(/^[^ \t:]*:/, ""); suites = suites " " $0; next }
{ entry = entry $0 "\n" }
END { if (format != "list") end_paragraph() }
