/* SPDX-License-Identifier: MIT */
/*
 * Checks the format of a user event before it is enabled.
 *
 * The kernel gives each field the sum of the sizes before it as its offset, in 32 bits. With
 * sizes whose sum wraps, strings are looked up far behind the record (user_event_validate()
 * in kernel/trace/trace_events_user.c). A sum wraps only behind a field that ends beyond
 * 64 KiB, which is more than a listener takes, and it leaves a field before its predecessor's
 * end. A format that does not parse may hide such a field: its names have a newline.
 */
#include "format_trust.h"

#include <stdlib.h>
#include <string.h>

#include <userevents/decode/record.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "tracing_files.h"

/* An event of perf is at most 64 KiB with all its headers, and so are its 16-bit sizes. */
#define RECORD_MAX 65536u

#define BEYOND_LIMIT "beyond what the kernel can record"

static char *fault_of_fields(const struct ue_record_layout *layout)
{
	uint64_t last = layout->common_size;

	for (uint32_t i = 0; i < layout->field_count; i++) {
		const struct ue_record_field *field = &layout->fields[i];
		uint64_t begin = (uint64_t)layout->common_size + field->offset;
		uint64_t end = begin + field->size;

		if (end > RECORD_MAX)
			return xprintf("its field %.*s ends at byte %llu, " BEYOND_LIMIT,
				       (int)field->name_length, field->name,
				       (unsigned long long)end);
		if (begin < last)
			return xprintf("its field %.*s begins at byte %llu, within the field "
				       "before it, so its offsets cannot be true",
				       (int)field->name_length, field->name,
				       (unsigned long long)begin);
		last = end;
	}
	return NULL;
}

char *format_fault(const struct listed_event *event)
{
	struct ue_record_layout layout;
	struct ue_record_field *fields;
	char *fault;
	int count;

	if (strcmp(event->system, SYSTEM) && strcmp(event->system, SYSTEM_MULTI))
		return NULL;
	count = ue_record_layout_parse(&layout, event->system, event->format,
				       event->format_length, NULL, 0, 0);
	if (count < 0)
		return xstrdup("its format is malformed, which may hide a field " BEYOND_LIMIT);
	fields = xcalloc((size_t)count + 1, sizeof(*fields));
	ue_record_layout_parse(&layout, event->system, event->format, event->format_length,
			       fields, (size_t)count, 0);
	fault = fault_of_fields(&layout);
	free(fields);
	return fault;
}

static int check(const struct listed_event *event, const char *fix)
{
	char *fault = format_fault(event);

	if (!fault)
		return 0;
	message("cannot enable %s:%s: %s; writing it could crash the kernel; %s",
		event->system, event->name, fault, fix);
	free(fault);
	return -1;
}

int event_check_trust(const struct listed_event *event)
{
	return check(event, "end the programs that register it");
}

int event_leave_out_untrusted(const struct listed_event *event)
{
	return check(event, "it is left out");
}

int event_check_trust_of(const char *directory, const char *name)
{
	struct listed_event event = {
		.system = (char *)(uintptr_t)SYSTEM, .name = (char *)(uintptr_t)name,
	};
	char *path = xprintf("%s/events/" SYSTEM "/%s/format", directory, name);
	int result;

	event.format = tracing_read(path, &event.format_length);
	result = event.format ? event_check_trust(&event) : -1;
	free(event.format);
	free(path);
	return result;
}
