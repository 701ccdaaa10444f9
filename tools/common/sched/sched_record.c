/* SPDX-License-Identifier: MIT */
/* Reads records of the scheduler by the names of their fields. */
#include "sched.h"

#include <stdlib.h>
#include <string.h>

#include "common/records/byte_cursor.h"

/* Layouts */

static struct sched_field field_of(const struct tracepoint *tracepoint, const char *name)
{
	const struct ue_record_layout *format = &tracepoint->format;

	for (uint32_t i = 0; i < format->field_count; i++) {
		const struct ue_record_field *field = &format->fields[i];

		if (field->location == UE_LOCATION_HERE &&
		    field->name_length == strlen(name) &&
		    !memcmp(field->name, name, field->name_length))
			return (struct sched_field){ field->offset, field->size };
	}
	return (struct sched_field){ .size = 0 };
}

static void add_letter(struct sched_layout *layout, uint64_t bit, char letter)
{
	if (bit && layout->letter_count < SCHED_LETTERS) {
		layout->letters[layout->letter_count].bit = bit;
		layout->letters[layout->letter_count++].letter = letter;
	}
}

/*
 * The numbers of states differ between kernels, and stand in the print format, as pairs
 * { 0x00000001, "S" }. The bit of a thread that was preempted is not among them, whatever
 * its number is: so a state without any of these bits is runnable.
 */
static void read_letters(struct sched_layout *layout, const char *text)
{
	const char *at = text ? strstr(text, "print fmt:") : NULL;

	while (at && (at = strchr(at, '{'))) {
		char *end;
		const uint64_t bit = strtoull(++at, &end, 0);

		end += strspn(end, ", ");
		if (end[0] == '"' && end[1] && end[1] != '"' && end[2] == '"')
			add_letter(layout, bit, end[1]);
	}
}

/* Those of Linux 4.14 and later, for a recording without the print format. */
static void use_usual_letters(struct sched_layout *layout)
{
	static const char letters[] = "SDTtXZPI";

	for (size_t i = 0; letters[i]; i++)
		add_letter(layout, 1u << i, letters[i]);
}

static void read_layout(struct sched_layout *layout, const struct tracepoint *tracepoint)
{
	*layout = (struct sched_layout){
		.tracepoint = tracepoint->serial,
		.kind = strcmp(tracepoint->name, "sched_switch") ? SCHED_WAKEUP :
								   SCHED_SWITCH,
	};
	if (layout->kind == SCHED_WAKEUP) {
		layout->pid = field_of(tracepoint, "pid");
		layout->comm = field_of(tracepoint, "comm");
		layout->priority = field_of(tracepoint, "prio");
		return;
	}
	layout->prev_pid = field_of(tracepoint, "prev_pid");
	layout->prev_comm = field_of(tracepoint, "prev_comm");
	layout->prev_priority = field_of(tracepoint, "prev_prio");
	layout->prev_state = field_of(tracepoint, "prev_state");
	layout->pid = field_of(tracepoint, "next_pid");
	layout->comm = field_of(tracepoint, "next_comm");
	layout->priority = field_of(tracepoint, "next_prio");
	read_letters(layout, tracepoint->text);
	if (!layout->letter_count)
		use_usual_letters(layout);
}

static const struct sched_layout *layout_of(struct sched_reader *reader,
					    const struct tracepoint *tracepoint)
{
	struct sched_layout *layout;

	for (size_t i = 0; i < SCHED_LAYOUTS; i++)
		if (reader->layouts[i].tracepoint == tracepoint->serial)
			return &reader->layouts[i];
	layout = &reader->layouts[reader->next++ % SCHED_LAYOUTS];
	read_layout(layout, tracepoint);
	return layout;
}

/* Fields */

struct payload {
	const uint8_t *bytes;
	size_t length;
	int is_big_endian;
};

/* 0, or -1 if there is no such number. */
static int number_of(const struct payload *payload, struct sched_field field,
		     uint64_t *number)
{
	const uint8_t *at = payload->bytes + field.offset;

	if (!field.size || field.offset > payload->length ||
	    field.size > payload->length - field.offset)
		return -1;
	switch (field.size) {
	case 2:
		*number = load_u16(at, payload->is_big_endian);
		return 0;
	case 4:
		*number = load_u32(at, payload->is_big_endian);
		return 0;
	case 8:
		*number = load_u64(at, payload->is_big_endian);
		return 0;
	default:
		return -1;
	}
}

static int task_of(const struct payload *payload, struct sched_field pid,
		   struct sched_field comm, struct sched_field priority,
		   struct sched_task *task)
{
	uint64_t number;
	size_t length;

	if (number_of(payload, pid, &number))
		return -1;
	task->tid = (uint32_t)number;
	task->priority = number_of(payload, priority, &number) ? 0 : (int32_t)number;
	task->comm[0] = '\0';
	if (comm.offset > payload->length || comm.size > payload->length - comm.offset)
		return 0;
	length = strnlen((const char *)payload->bytes + comm.offset,
			 comm.size < SCHED_COMM_MAX ? comm.size : SCHED_COMM_MAX - 1);
	memcpy(task->comm, payload->bytes + comm.offset, length);
	task->comm[length] = '\0';
	return 0;
}

static char letter_of(const struct sched_layout *layout, uint64_t state)
{
	for (uint32_t i = 0; i < layout->letter_count; i++)
		if (state & layout->letters[i].bit)
			return layout->letters[i].letter;
	return 'R';
}

uint32_t sched_thread(const struct record *event)
{
	if (record_common_size(event) >= 8) /* common_pid */
		return load_u32(event->bytes + 4, event->tracepoint->format.big_endian);
	return event->sample.present & UE_META_TID ? event->sample.tid : 0;
}

int sched_read(struct sched_reader *reader, const struct record *record,
	       struct sched_record *to)
{
	const struct sched_layout *layout = layout_of(reader, record->tracepoint);
	const size_t common = record_common_size(record);
	const struct payload payload = {
		record->bytes + common,
		record->length - common,
		record->tracepoint->format.big_endian,
	};
	uint64_t state;

	to->kind = layout->kind;
	to->has_cpu = !!(record->sample.present & UE_META_CPU);
	to->cpu = to->has_cpu ? record->sample.cpu : 0;
	to->time = sched_time(record);
	to->writer = sched_thread(record);
	to->letter = 'R';
	to->is_preempted = 0;
	if (!(record->sample.present & UE_META_TIME) ||
	    task_of(&payload, layout->pid, layout->comm, layout->priority, &to->task))
		return -1;
	if (layout->kind == SCHED_WAKEUP)
		return 0;
	if (number_of(&payload, layout->prev_state, &state) ||
	    task_of(&payload, layout->prev_pid, layout->prev_comm, layout->prev_priority,
		    &to->prev))
		return -1;
	to->letter = letter_of(layout, state);
	to->is_preempted = to->letter == 'R' && state;
	return 0;
}
