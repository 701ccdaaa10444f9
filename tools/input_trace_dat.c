/* SPDX-License-Identifier: MIT */
/*
 * trace.dat files of trace-cmd(1), read by libtracecmd, which wants a file: what is
 * not one is spooled.
 */
#include "input.h"

#include <string.h>

#include "cursor.h"

static const char magic[] = "\x17\x08\x44tracing";

volatile sig_atomic_t input_is_in_libtracecmd;

int input_is_trace_dat(const uint8_t *bytes, size_t length)
{
	return length >= sizeof(magic) - 1 && !memcmp(bytes, magic, sizeof(magic) - 1);
}

#ifdef HAVE_LIBTRACECMD

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <trace-cmd.h>
#include <unistd.h>

/* One buffer of the file: the main one, or that of an instance. */
struct buffer {
	struct tracecmd_input *handle;
	struct tep_record **next; /* of each processor; NULL: none left */
	int cpus;
};

struct trace_dat {
	struct tracecmd_input *file;
	struct buffer *buffers;
	int count;
	struct tep_record *last; /* that was handed out */
	int is_cut_off;
	struct tracepoint **tracepoints; /* by id */
};

#define IDS 65536u

/* No header that says more is right. */
#define LONGEST ((uint64_t)1 << 44)

#define SMALLEST_PAGE 4096u

/* Formats, symbols and names stand before all pages; those may be far, behind a hole. */
#define HEADER_LONGEST ((size_t)256 << 20)

/*
 * libtracecmd adds what the file says to times, but does not tell. No machine was up for
 * 31 years, and no file is older than 2001.
 */
#define CERTAINLY_SINCE_1970 ((uint64_t)1000000000 * 1000000000)

/* Tracepoints: libtraceevent has parsed their formats; here they are text again. */

static void print_field(FILE *file, const struct tep_format_field *field)
{
	fprintf(file, "\tfield:%s %s;\toffset:%d;\tsize:%d;\tsigned:%d;\n", field->type,
		field->name, field->offset, field->size,
		!!(field->flags & TEP_FIELD_IS_SIGNED));
}

static char *format_text(const struct tep_event *event, size_t *length)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, length);
	const struct tep_format_field *field;

	if (!file)
		return NULL;
	fprintf(file, "name: %s\nID: %d\nformat:\n", event->name, event->id);
	for (field = event->format.common_fields; field; field = field->next)
		print_field(file, field);
	putc('\n', file);
	for (field = event->format.fields; field; field = field->next)
		print_field(file, field);
	return fclose(file) ? NULL : text;
}

static struct tracepoint *new_tracepoint(struct tep_handle *tep, int id)
{
	const struct tep_event *event = tep_find_event(tep, id);
	struct tracepoint_parts parts = {
		.system = event ? event->system : "",
		.name = event ? event->name : "",
		.is_big_endian = tep_is_file_bigendian(tep),
	};
	struct tracepoint *tracepoint;
	char *text = NULL;

	if (event)
		text = format_text(event, &parts.format_length);
	parts.format = text;
	parts.system_length = strlen(parts.system);
	parts.name_length = strlen(parts.name);
	tracepoint = tracepoint_new(&parts);
	free(text);
	return tracepoint;
}

static struct tracepoint *find_tracepoint(struct trace_dat *dat, struct tep_handle *tep,
					  struct tep_record *record)
{
	int id = tep_data_type(tep, record);
	struct tracepoint **place = &dat->tracepoints[(uint32_t)id % IDS];

	if (!*place)
		*place = new_tracepoint(tep, id);
	return *place;
}

/* Records, by time over buffers and processors */

static struct tep_record **earliest(struct trace_dat *dat, struct buffer **buffer)
{
	struct tep_record **best = NULL;

	for (int b = 0; b < dat->count; b++) {
		for (int cpu = 0; cpu < dat->buffers[b].cpus; cpu++) {
			struct tep_record **next = &dat->buffers[b].next[cpu];

			if (!*next || (best && (*best)->ts <= (*next)->ts))
				continue;
			best = next;
			*buffer = &dat->buffers[b];
		}
	}
	return best;
}

static int next_record(struct input *input, struct record *record)
{
	struct trace_dat *dat = input->state;
	struct tep_record **place, *got;
	struct buffer *buffer;
	struct tep_handle *tep;

	if (dat->last)
		tracecmd_free_record(dat->last);
	dat->last = NULL;
	place = earliest(dat, &buffer);
	if (!place && dat->is_cut_off)
		return input_fails(input, "%s is cut off: it ends before the last of its "
				   "events.", input->shown);
	if (!place)
		return 0;
	got = dat->last = *place;
	*place = tracecmd_read_data(buffer->handle, (int)(place - buffer->next));
	if (got->missed_events) /* less than 0: nobody knows how many */
		input->lost += got->missed_events > 0 ? (uint64_t)got->missed_events : 1;
	tep = tracecmd_get_tep(buffer->handle);
	record->tracepoint = find_tracepoint(dat, tep, got);
	if (!record->tracepoint)
		return input_fails_with(input, ENOMEM);
	record->bytes = got->data;
	record->length = (size_t)(got->size > 0 ? got->size : 0);
	record->sample = (struct ue_sample){
		.size = sizeof(record->sample),
		.present = UE_META_TIME | UE_META_CPU | UE_META_TID,
		.time = (int64_t)got->ts,
		.is_wall_clock = got->ts > CERTAINLY_SINCE_1970,
		.cpu = (uint32_t)got->cpu,
		.tid = (uint32_t)tep_data_pid(tep, got),
	};
	return 1;
}

static int next(struct input *input, struct record *record)
{
	int result;

	input_is_in_libtracecmd = 1;
	result = next_record(input, record);
	input_is_in_libtracecmd = 0;
	return result;
}

static void close_trace_dat(struct input *input)
{
	struct trace_dat *dat = input->state;

	if (dat->last)
		tracecmd_free_record(dat->last);
	for (int b = 0; b < dat->count; b++) {
		for (int cpu = 0; cpu < dat->buffers[b].cpus; cpu++)
			if (dat->buffers[b].next[cpu])
				tracecmd_free_record(dat->buffers[b].next[cpu]);
		free(dat->buffers[b].next);
		if (dat->buffers[b].handle != dat->file)
			tracecmd_close(dat->buffers[b].handle);
	}
	for (uint32_t id = 0; dat->tracepoints && id < IDS; id++)
		tracepoint_free(dat->tracepoints[id]);
	if (dat->file)
		tracecmd_close(dat->file);
	free(dat->tracepoints);
	free(dat->buffers);
	free(dat);
}

static const struct input_kind kind = { next, close_trace_dat };

/* Opening */

static int add_buffer(struct trace_dat *dat, struct tracecmd_input *handle)
{
	struct buffer *buffer = &dat->buffers[dat->count];
	int cpus = tep_get_cpus(tracecmd_get_tep(handle));

	buffer->handle = handle;
	buffer->next = calloc((size_t)cpus + 1, sizeof(struct tep_record *));
	if (!buffer->next)
		return -1;
	dat->count++;
	buffer->cpus = cpus;
	for (int cpu = 0; cpu < cpus; cpu++)
		buffer->next[cpu] = tracecmd_read_cpu_first(handle, cpu);
	return 0;
}

static int add_buffers(struct input *input, struct trace_dat *dat)
{
	int instances = tracecmd_buffer_instances(dat->file);

	dat->buffers = calloc((size_t)instances + 1, sizeof(*dat->buffers));
	dat->tracepoints = calloc(IDS, sizeof(struct tracepoint *));
	if (!dat->buffers || !dat->tracepoints || add_buffer(dat, dat->file))
		return input_fails_with(input, ENOMEM);
	for (int i = 0; i < instances; i++) {
		struct tracecmd_input *handle =
			tracecmd_buffer_instance_handle(dat->file, i);

		if (handle && add_buffer(dat, handle))
			return input_fails_with(input, ENOMEM);
	}
	return 0;
}

static struct tracecmd_input *open_fd(int fd)
{
	struct tracecmd_input *file;

	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return NULL;
	file = tracecmd_open_fd(fd, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!file)
		close(fd);
	return file;
}

/* Behind a word in the header; at the end of the file when there is none. */
static struct cursor behind(const struct source *source, const char *word, size_t length)
{
	size_t room = source->size < HEADER_LONGEST ? source->size : HEADER_LONGEST;
	const uint8_t *at = memmem(source->map, room, word, length);
	size_t offset = at ? (size_t)(at - source->map) + length : source->size;

	return cursor_of(source->map + offset, source->size - offset,
			 source->size > 12 && source->map[12]);
}

/*
 * How long a file of version 6 should be by its header, and where its first page is; 0
 * when the header is not there.
 */
static uint64_t wanted_size(const struct source *source, uint64_t *first)
{
	struct cursor cpus = behind(source, "options  ", 10);
	struct cursor places = behind(source, "flyrecord", 10);
	uint64_t wanted = 0;
	uint32_t count;

	if (source->size < 12 || memcmp(source->map + 10, "6", 2) ||
	    !cursor_left(&places))
		return 0;
	cpus.at -= 10 + sizeof(count);
	for (count = cursor_u32(&cpus); count && !places.is_short; count--) {
		uint64_t offset = cursor_u64(&places), length = cursor_u64(&places), end;

		if (__builtin_add_overflow(offset, length, &end) || end > LONGEST)
			return 0;
		if (length && offset < *first)
			*first = offset;
		if (length && end > wanted)
			wanted = end;
	}
	return places.is_short ? 0 : wanted;
}

/*
 * libtracecmd 3.1 refuses a file that ends before the last of its pages, or crashes.
 * With zeros behind the last whole page, which are pages without events, it shows the
 * others.
 */
static int open_file(struct input *input, struct trace_dat *dat)
{
	uint64_t first = UINT64_MAX, wanted = wanted_size(&input->source, &first);
	size_t length = input->source.size & ~(size_t)(SMALLEST_PAGE - 1);
	int fd;

	dat->is_cut_off = wanted > input->source.size;
	if (length < first) /* in the middle of the header, not of a page */
		length = input->source.size;
	fd = dat->is_cut_off ? source_copy(&input->source, length, wanted) :
			       dup(input->source.fd);
	dat->file = open_fd(fd);
	if (dat->file)
		return add_buffers(input, dat);
	return input_fails(input, "%s is damaged: libtracecmd cannot read its beginning.",
			   input->shown);
}

int input_open_trace_dat(struct input *input)
{
	struct trace_dat *dat = calloc(1, sizeof(*dat));
	int result;

	if (!dat)
		return input_fails_with(input, ENOMEM);
	input->state = dat;
	input->kind = &kind;
	result = source_spool(&input->source);
	if (result)
		return input_fails_with(input, -result);
	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	input_is_in_libtracecmd = 1;
	result = open_file(input, dat);
	input_is_in_libtracecmd = 0;
	return result;
}

#else

int input_open_trace_dat(struct input *input)
{
	return input_fails(input, "%s is a trace.dat file, and this userevents was built "
			   "without libtracecmd.", input->shown);
}

#endif
