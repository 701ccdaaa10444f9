/* SPDX-License-Identifier: MIT */
/*
 * Parse user_events_status, of both kernel generations.
 *
 * Linux 6.4 and later:            Linux 6.1 to 6.3:
 *
 *	tick # Used by ftrace perf	1:tick # Used by ftrace
 *	tock				2:tock
 *	(empty line)			(empty line)
 *	Active: 2			Active: 2
 *	Busy: 1				Busy: 1
 *					Max: 32768
 */
#include <errno.h>
#include <string.h>

#include <userevents/decode/status.h>

#include "util/sized_struct.h"
#include "util/span.h"

UE__PUBLIC void ue_status_begin_sized(struct ue_status *status, size_t size,
				      const char *text, size_t length)
{
	const struct ue_status made = {
		.size = size < sizeof(made) ? size : sizeof(made),
		.text = text,
		.length = length,
	};

	ue__hand_out(status, size, &made, sizeof(made));
}

static struct ue__span rest_of(const struct ue_status *status)
{
	return (struct ue__span){ status->text + status->offset,
				  status->length - status->offset };
}

static int next_line(struct ue_status *status, struct ue__span *line)
{
	struct ue__span rest = rest_of(status);
	int found = ue__span_line(&rest, line);

	status->offset = status->length - rest.length;
	return found;
}

static int take_users(struct ue__span *line, uint32_t *users)
{
	*users = 0;
	if (!line->length)
		return 1;
	if (!ue__span_drop(line, " # Used by"))
		return 0;
	while (line->length) {
		if (ue__span_drop(line, " ftrace"))
			*users |= UE_USER_FTRACE;
		else if (ue__span_drop(line, " perf"))
			*users |= UE_USER_PERF;
		else if (ue__span_drop(line, " other"))
			*users |= UE_USER_OTHER;
		else
			return 0;
	}
	return 1;
}

/* "12:" before a name: the older generation. A name itself has no ':'. */
static void take_bit(struct ue_status *status, struct ue__span *line,
		     struct ue_status_entry *entry)
{
	struct ue__span rest = *line;

	entry->status_bit = 0;
	if (ue__span_number(&rest, &entry->status_bit) && ue__span_drop(&rest, ":")) {
		status->abi = UE_ABI_STATUS_PAGE;
		*line = rest;
	} else {
		entry->status_bit = 0;
	}
}

static int take_event(struct ue_status *status, struct ue__span line,
		      struct ue_status_entry *entry)
{
	const char *blank;

	take_bit(status, &line, entry);
	blank = memchr(line.at, ' ', line.length);
	entry->name = line.at;
	entry->name_length = blank ? (size_t)(blank - line.at) : line.length;
	line = ue__span_after(line, entry->name_length);
	return take_users(&line, &entry->users);
}

static int take_total(struct ue__span line, const char *label, uint32_t *value)
{
	return ue__span_drop(&line, label) && ue__span_number(&line, value) && !line.length;
}

static int take_totals(struct ue_status *status)
{
	struct ue__span line;
	int result = 0;

	while (next_line(status, &line))
		if (!take_total(line, "Active: ", &status->active) &&
		    !take_total(line, "Busy: ", &status->busy) &&
		    !take_total(line, "Max: ", &status->max))
			result = -EBADMSG;
	if (!status->abi)
		status->abi = status->max ? UE_ABI_STATUS_PAGE :
					    UE_ABI_ENABLE_ADDRESS;
	return result;
}

/* An empty line before the totals; elsewhere it is an event without a name. */
static int is_end(const struct ue_status *status, const struct ue__span *line)
{
	struct ue__span rest = rest_of(status);

	return !line->length && (!rest.length || ue__span_drop(&rest, "Active: "));
}

UE__PUBLIC int ue_status_next_sized(struct ue_status *status,
				    struct ue_status_entry *entry, size_t size)
{
	struct ue_status_entry found;
	struct ue__span line;

	if (!next_line(status, &line))
		return 0;
	if (is_end(status, &line))
		return take_totals(status);
	found.size = size < sizeof(found) ? size : sizeof(found);
	if (!take_event(status, line, &found))
		return -EBADMSG;
	ue__hand_out(entry, size, &found, sizeof(found));
	return 1;
}
