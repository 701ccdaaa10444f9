/* SPDX-License-Identifier: MIT */
/* Finds the fields that a histogram of the kernel is asked for, and the kernel's view of them. */
#include "kernel_counts.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/records/tracepoint.h"
#include "kernel/control/instance.h"

/* Fields of every event. */
static const struct {
	const char *name, *in_trigger;
	int is_signed;
} common[] = {
	{ "tid", "common_pid", 1 },
	{ "cpu", "common_cpu", 0 },
	{ "common_pid", "common_pid", 1 },
	{ "common_cpu", "common_cpu", 0 },
};

#define COMMON (sizeof(common) / sizeof(common[0]))

static int find_common(const char *name, struct key_field *field)
{
	for (size_t i = 0; i < COMMON; i++) {
		if (strcmp(common[i].name, name))
			continue;
		*field = (struct key_field){
			.name = xstrdup(common[i].in_trigger),
			.is_signed = common[i].is_signed,
			.size = 4,
		};
		return 0;
	}
	return -1;
}

static const char *nearest_field(const struct tracepoint *tracepoint, const char *name)
{
	struct words names = { 0 };

	kernel_field_names(tracepoint, &names);
	words_add(&names, "tid");
	words_add(&names, "cpu");
	return nearest(name, names.items, names.count, sizeof(*names.items));
}

static int find_own(const struct tracepoint *tracepoint, const char *name,
		    struct kernel_field *field)
{
	return !kernel_field_find(tracepoint, name, strlen(name), kernel_version(),
				  field) && field->own;
}

static int complain_of_name(const struct tracepoint *tracepoint,
			    const struct listed_event *event, const char *name,
			    const char *verb)
{
	const char *near = nearest_field(tracepoint, name);

	if (tracepoint->format.is_eventheader)
		message("cannot %s \"%s\": the kernel does not know the fields of the EventHeader "
			"event %s; \"userevents hist\" and \"userevents latency\" do", verb, name,
			event->name);
	else if (near)
		message("cannot %s \"%s\": %s:%s has no such field; did you mean \"%s\"?", verb,
			name, event->system, event->name, near);
	else
		message("cannot %s \"%s\": %s:%s has no such field; its format is in tracefs, in "
			"events/%s/%s/format", verb, name, event->system, event->name,
			event->system, event->name);
	return -1;
}

/* Why the kernel cannot count by this field; NULL: it can. */
static const char *obstacle(const struct listed_event *event,
			    const struct kernel_field *field)
{
	const int is_text = kernel_field_is_copied_text(field) && !field->own->is_array;

	if (is_text && !strncmp(event->system, SYSTEM, strlen(SYSTEM)) &&
	    kernel_version() < 6004)
		return "it is a text of a user event, which kernels before 6.4 take for a number; "
		       "\"userevents stat\" and \"userevents latency\" take it for a text";
	if (is_text)
		return field->size ? NULL :
				     "it is a text whose length the kernel does not know";
	if (!field->is_number)
		return "it is neither an integer nor a text";
	if (field->own->format == UE_FORMAT_FLOAT)
		return "it is a floating point number, which the kernel cannot count; "
		       "\"userevents hist\" can";
	return NULL;
}

static int take_key(const struct listed_event *event, const struct kernel_field *found,
		const char *name, const char *verb, struct key_field *field)
{
	const char *why = obstacle(event, found);

	if (why) {
		message("cannot %s \"%s\": %s", verb, name, why);
		return -1;
	}
	field->name = xstrdup(name);
	field->is_text = !found->is_number;
	field->is_signed = found->is_number && found->is_signed;
	field->size = found->own->location ? 0 : found->size;
	return 0;
}

int key_field_exists(const struct listed_event *event, const char *name)
{
	struct tracepoint *tracepoint = event_format(event);
	struct kernel_field field;
	const int result = find_own(tracepoint, name, &field);

	tracepoint_free(tracepoint);
	return result;
}

int key_field_is_near(const struct listed_event *event, const char *name)
{
	struct tracepoint *tracepoint = event_format(event);
	const int result = nearest_field(tracepoint, name) != NULL;

	tracepoint_free(tracepoint);
	return result;
}

int key_field_find(const struct listed_event *event, const char *name, const char *verb,
		   struct key_field *field)
{
	struct tracepoint *tracepoint = event_format(event);
	struct kernel_field found;
	int result;

	*field = (struct key_field){ .size = 0 };
	if (find_own(tracepoint, name, &found))
		result = take_key(event, &found, name, verb, field);
	else if (!find_common(name, field))
		result = 0;
	else
		result = complain_of_name(tracepoint, event, name, verb);
	tracepoint_free(tracepoint);
	return result;
}

char *key_field_declare(const struct key_field *field, const char *name)
{
	if (field->is_text && field->size)
		return xprintf("char %s[%u]", name, field->size);
	if (field->is_text)
		return xprintf("char %s[]", name);
	return xprintf("%c%u %s", field->is_signed ? 's' : 'u', field->size * 8, name);
}

int64_t key_field_signed(const struct key_field *field, uint64_t printed)
{
	const unsigned int unused = field->size && field->size < 8 ? 64 - field->size * 8 : 0;

	return (int64_t)(printed << unused) >> unused;
}

void key_field_free(struct key_field *field)
{
	free(field->name);
	*field = (struct key_field){ .size = 0 };
}
