/* SPDX-License-Identifier: MIT */
/* Finds fields in the format files of events. */
#include "event_field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "kernel/control/control_file.h"

struct line {
	const char *declaration; /* "unsigned int status" */
	size_t length;
	const char *name;
	size_t name_length;
	unsigned int size;
	int is_signed;
};

/* Split "field:DECLARATION; offset:O; size:S; signed:B;": 0 or -1. */
static int split(const char *text, struct line *line)
{
	const char *end = strchr(text, ';'), *bracket;
	unsigned int offset;

	if (!end || sscanf(end, ";\toffset:%u;\tsize:%u;\tsigned:%d;", &offset, &line->size,
			   &line->is_signed) != 3)
		return -1;
	line->declaration = text;
	line->length = (size_t)(end - text);
	line->name = end;
	while (line->name > text && !strchr(" *", line->name[-1]))
		line->name--;
	bracket = memchr(line->name, '[', (size_t)(end - line->name));
	line->name_length = (size_t)((bracket ? bracket : end) - line->name);
	return 0;
}

#define FIELD "\tfield:"

/* The first line at or behind a place of the format, and the place behind it; or NULL. */
static const char *next_line(const char *text, struct line *line)
{
	while (text && (text = strstr(text, FIELD))) {
		text += strlen(FIELD);
		if (!split(text, line))
			return line->declaration + line->length;
	}
	return NULL;
}

static int has(const struct line *line, const char *word)
{
	return memmem(line->declaration, line->length, word, strlen(word)) != NULL;
}

static enum event_field_kind kind_of(const struct line *line)
{
	const int is_number = line->size == 1 || line->size == 2 || line->size == 4 ||
			      line->size == 8;

	if (has(line, "char[") || (has(line, "char") && has(line, "[")))
		return has(line, "unsigned") ? FIELD_OTHER : FIELD_TEXT;
	if (has(line, "[") || has(line, "struct ") || has(line, "__rel_loc") ||
	    has(line, "__data_loc") || has(line, "char *"))
		return FIELD_OTHER;
	return is_number ? FIELD_NUMBER : FIELD_OTHER;
}

static int has_own_type(const struct line *line)
{
	char type[16];

	snprintf(type, sizeof(type), "s%u ", line->size * 8);
	return line->is_signed && strncmp(line->declaration, type, strlen(type));
}

int event_field_find(const struct listed_event *event, const char *name,
		     struct event_field *field)
{
	const char *text = event->format;
	struct line line;

	/* the kernel's histograms have it in addition */
	if (!strcmp(name, "common_cpu")) {
		*field = (struct event_field){ .size = sizeof(unsigned int) };
		return 0;
	}
	while ((text = next_line(text, &line))) {
		if (strlen(name) != line.name_length ||
		    memcmp(name, line.name, line.name_length))
			continue;
		*field = (struct event_field){ kind_of(&line), line.size, line.is_signed,
					       has_own_type(&line) };
		return 0;
	}
	return -1;
}

void event_field_names(const struct listed_event *event, struct words *names)
{
	const char *text = event->format;
	struct line line;

	while ((text = next_line(text, &line)))
		if (strncmp(line.name, "common_", strlen("common_")))
			words_add(names, xstrndup(line.name, line.name_length));
}

int event_field_text_works(const struct listed_event *event)
{
	const int is_of_users = !strcmp(event->system, SYSTEM) ||
				!strcmp(event->system, SYSTEM_MULTI);

	return !is_of_users || kernel_version() >= 6004;
}
