/* SPDX-License-Identifier: MIT */
/* Reads struct ue_event, of both word sizes. */
#include "module_events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/abi/eventheader.h>
#include <userevents/event.h>
#include <userevents/eventheader_name.h>
#include <userevents/tracepoint.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"

/*
 * Members of struct ue_event and struct ue_tracepoint_parts, by the size of a pointer: 32
 * bits align 64-bit members as well.
 */
#define SIZE_AT 0u
#define FLAGS_AT 4u
#define DEFINITION_AT 8u
#define PARTS_AT(word) (24 + 3 * (word))
#define REGISTRATION_AT(word) (32 + 4 * (word))
#define PROVIDER_AT 0u
#define GROUP_AT(word) (word)
#define KEYWORD_AT(word) (2 * (word))
#define LEVEL_AT(word) (2 * (word) + 8)

/* A program that was built with an earlier version has less than today's struct. */
#define EVENT_READ(word) (REGISTRATION_AT(word) + (word))

#define OFFSET(type, member) offsetof(struct type, member)
#define WORD sizeof(void *)

static_assert(OFFSET(ue_event, size) == SIZE_AT && OFFSET(ue_event, flags) == FLAGS_AT &&
	      OFFSET(ue_event, definition) == DEFINITION_AT &&
	      OFFSET(ue_event, ue__parts) == PARTS_AT(WORD) &&
	      OFFSET(ue_event, ue__registration) == REGISTRATION_AT(WORD) &&
	      OFFSET(ue_tracepoint_parts, provider) == PROVIDER_AT &&
	      OFFSET(ue_tracepoint_parts, group) == GROUP_AT(WORD) &&
	      OFFSET(ue_tracepoint_parts, keyword) == KEYWORD_AT(WORD) &&
	      OFFSET(ue_tracepoint_parts, level) == LEVEL_AT(WORD), "the struct's layout");

static uint32_t read_u32(const struct event_image *image, uint64_t address)
{
	uint32_t number = 0;

	image->read(image->context, address, &number, sizeof(number));
	return number;
}

static uint64_t read_pointer(const struct event_image *image, uint64_t address)
{
	uint64_t pointer;

	return image->read_pointer(image->context, address, &pointer) ? 0 : pointer;
}

/* The text at a pointer, as much as fits; "" without one. */
static size_t read_text(const struct event_image *image, uint64_t pointer, char *to,
			size_t size)
{
	size_t length = pointer ? image->read(image->context, pointer, to, size - 1) : 0;

	to[length] = '\0';
	return strlen(to);
}

/* Registering makes the definition of its parts. */
static char *define_tracepoint(const struct event_image *image, uint64_t parts,
			       const char **problem)
{
	char text[UE_TRACEPOINT_TEXT], provider[256], group[256];
	uint64_t provider_at = read_pointer(image, parts + PROVIDER_AT);
	uint64_t group_at = read_pointer(image, parts + GROUP_AT(image->word));
	uint32_t level = read_u32(image, parts + LEVEL_AT(image->word));
	struct ue_eventheader_error error;
	struct ue_eventheader_name name = {
		.provider = provider,
		.provider_length = read_text(image, provider_at, provider, 256),
		.group = group,
		.group_length = read_text(image, group_at, group, 256),
		.level = level <= UINT8_MAX ? (uint8_t)level : 0,
	};

	image->read(image->context, parts + KEYWORD_AT(image->word), &name.keyword,
		    sizeof(name.keyword));
	if (ue_eventheader_name_make(&name, text, sizeof(text), &error) >= 0)
		return xprintf("%s %s", text, UE_EVENTHEADER_FIELDS);
	*problem = error.reason;
	return xstrdup(provider);
}

static char *read_definition(const struct event_image *image, uint64_t address,
			     uint32_t flags, const char **problem)
{
	struct ue_definition_error error;
	char text[1024];

	read_text(image, read_pointer(image, address + DEFINITION_AT), text, sizeof(text));
	*problem = ue_definition_check(text, flags, &error) ? error.reason : NULL;
	return *problem ? xstrdup(text) : definition_canonical(text);
}

int image_event_read(const struct event_image *image, uint64_t address,
		     struct image_event *event)
{
	*event = (struct image_event){
		.flags = read_u32(image, address + FLAGS_AT),
		.is_registered =
			read_pointer(image, address + REGISTRATION_AT(image->word)) != 0,
	};
	return read_u32(image, address + SIZE_AT) < EVENT_READ(image->word) ? -1 : 0;
}

void image_event_define(const struct event_image *image, uint64_t address,
			struct image_event *event)
{
	uint64_t parts = read_pointer(image, address + PARTS_AT(image->word));

	event->definition = parts ? define_tracepoint(image, parts, &event->problem) :
				    read_definition(image, address, event->flags,
						    &event->problem);
}
