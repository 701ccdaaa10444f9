/* SPDX-License-Identifier: MIT */
/* Finds out what arguments of probes this kernel takes. */
#include <string.h>

#include "probe.h"

/*
 * README in tracefs lists the types and arguments. Versions would not do: distributions
 * carry changes back.
 */
void grammar_read(struct grammar *grammar, const char *readme)
{
	const char *types = strstr(readme, "     type: s8/");

	*grammar = (struct grammar){
		.has_symstr = strstr(readme, "symstr,") != NULL,
		.has_dentry = strstr(readme, "%pd/%pD") != NULL,
		.has_entry_arguments =
			strstr(readme, "kernel return probes support: $retval, $arg") !=
			NULL,
		.has_variables = strstr(readme, "<argname>") != NULL,
	};
	if (types) {
		const char *found = strstr(types, " char,"), *line = strchr(types, '\n');

		grammar->has_char = found && line && found < line;
	}
}
