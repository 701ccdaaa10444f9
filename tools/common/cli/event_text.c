/* SPDX-License-Identifier: MIT */
/* Completes and checks definitions, and gives them the form in which the kernel lists them. */
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
	const char *fields;

	/* dynamic_events lists a definition so */
	if (!strncmp(text, "u:", 2))
		text += 2 + strspn(text + 2, " ");
	fields = is_bare_eventheader(text) ? " " UE_EVENTHEADER_FIELDS : "";
	return xprintf("%s%s", text, fields);
}

char *definition_canonical(const char *definition)
{
	const char *at = strchrnul(definition, ' '), *separator = " ";
	/* each ';' may gain a blank */
	char *text = xmalloc(2 * strlen(definition) + 1);
	char *end = mempcpy(text, definition, (size_t)(at - definition));

	while (at += strspn(at, " "), *at) {
		const size_t length = strcspn(at, ";");

		end = stpcpy(end, separator);
		end = mempcpy(end, at, length);
		separator = "; ";
		at += length + (at[length] == ';');
	}
	while (end > text && end[-1] == ' ')
		end--;
	*end = '\0';
	return text;
}

const char *definition_complete(const char *text, uint32_t flags, const char *place)
{
	struct ue_definition_error error;
	char *definition = copy(text), *canonical = NULL;

	if (ue_definition_check(definition, flags, &error))
		message("cannot register \"%s\"%s: \"%.*s\" at byte %zu: %s", definition, place,
			(int)error.length, definition + error.offset, error.offset + 1,
			error.reason);
	else
		canonical = definition_canonical(definition);
	free(definition);
	return canonical;
}
