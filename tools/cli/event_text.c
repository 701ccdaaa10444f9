/* SPDX-License-Identifier: MIT */
/* Completes and checks definitions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/event.h>
#include <userevents/abi/eventheader.h>
#include <userevents/eventheader_name.h>

#include "options.h"
#include "memory.h"
#include "message.h"

static int is_bare_eventheader(const char *text)
{
	struct ue_eventheader_name parts;

	return !strchr(text, ' ') &&
	       !ue_eventheader_name_parse(text, strlen(text), &parts, NULL);
}

static char *copy(const char *text)
{
	const char *fields = is_bare_eventheader(text) ? " " UE_EVENTHEADER_FIELDS : "";

	return xprintf("%s%s", text, fields);
}

const char *definition_complete(const char *text, uint32_t flags, const char *place)
{
	struct ue_definition_error error;
	char *definition = copy(text);

	if (!ue_definition_check(definition, flags, &error))
		return definition;
	message("cannot register \"%s\"%s: \"%.*s\" at byte %zu: %s", definition, place,
		(int)error.length, definition + error.offset, error.offset + 1,
		error.reason);
	free(definition);
	return NULL;
}
