/* SPDX-License-Identifier: MIT */
/* Prints the parts of an event's name, and its listeners. */
#include <inttypes.h>
#include <stdio.h>

#include <userevents/decode/status.h>
#include <userevents/eventheader_name.h>

#include "common/cli/safe_text.h"
#include "event_summary.h"

static const char *level_name(unsigned int level)
{
	static const char *const names[] = {
		[UE_LEVEL_CRITICAL_ERROR] = " (critical error)",
		[UE_LEVEL_ERROR] = " (error)",
		[UE_LEVEL_WARNING] = " (warning)",
		[UE_LEVEL_INFORMATION] = " (information)",
		[UE_LEVEL_VERBOSE] = " (verbose)",
	};

	return level && level < sizeof(names) / sizeof(names[0]) ? names[level] : "";
}

int eventheader_print(const char *before, const char *name, size_t length)
{
	struct ue_eventheader_name parts;

	if (ue_eventheader_name_parse(name, length, &parts, NULL))
		return 0;
	printf("%sprovider ", before);
	controls_print(parts.provider, parts.provider_length);
	printf(", level %u%s, keyword 0x%" PRIx64, parts.level, level_name(parts.level),
	       parts.keyword);
	if (parts.group_length) {
		printf(", group ");
		controls_print(parts.group, parts.group_length);
	}
	return 1;
}

void eventheader_print_json(const char *name, size_t length)
{
	struct ue_eventheader_name parts;

	if (ue_eventheader_name_parse(name, length, &parts, NULL))
		return;
	json_member("provider", parts.provider, parts.provider_length, 0);
	printf(",\"level\":%u,\"keyword\":\"0x%" PRIX64 "\"", parts.level, parts.keyword);
	if (parts.options_length)
		json_member("options", parts.options, parts.options_length, 0);
}

/* Listeners */

static const struct {
	uint32_t user;
	const char *name;
} known[] = {
	{ UE_USER_FTRACE, "ftrace" },
	{ UE_USER_PERF, "perf" },
	{ UE_USER_OTHER, "other" },
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

void listeners_print(uint32_t users)
{
	const char *before = "";

	if (!users)
		fputs("none", stdout);
	for (size_t i = 0; i < KNOWN; i++)
		if (users & known[i].user) {
			printf("%s%s", before, known[i].name);
			before = " ";
		}
}

void listeners_print_json(uint32_t users)
{
	const char *before = "";

	fputs(",\"listeners\":[", stdout);
	for (size_t i = 0; i < KNOWN; i++)
		if (users & known[i].user) {
			printf("%s\"%s\"", before, known[i].name);
			before = ",";
		}
	putchar(']');
}
