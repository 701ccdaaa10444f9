/* SPDX-License-Identifier: MIT */
/*
 * Checks filters as the tool does, many in one process:
 *
 *	check_filters FORMAT <FILTERS
 *
 * FORMAT is the format file of an event, FILTERS has one in a line. Prints for each "accepted",
 * "malformed", or "unable".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "kernel/control/instance.h"
#include "kernel/filter/kfilter.h"

static const char *verdict(const char *text, const struct tracepoint *tracepoint)
{
	struct kfilter_faults faults = { 0 };
	const char *result = "accepted";

	if (kfilter_check(text, tracepoint, kernel_version(), &faults))
		result = kfilter_refusal(&faults)->kind == KFILTER_UNABLE ? "unable" : "malformed";
	kfilter_faults_free(&faults);
	return result;
}

int main(int argc, char **argv)
{
	size_t length;
	char *format = argc == 2 ? read_file(argv[1], &length) : NULL, line[8192];
	struct tracepoint *tracepoint;

	if (!format)
		return 2;
	tracepoint = tracepoint_new("user_events", NULL, format, length, 0);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		puts(verdict(line, tracepoint));
	}
	tracepoint_free(tracepoint);
	free(format);
	return 0;
}
