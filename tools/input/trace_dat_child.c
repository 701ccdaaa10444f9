/* SPDX-License-Identifier: MIT */
/*
 * The child that reads a trace.dat file with libtracecmd, and sends its records in the
 * order of their times.
 */
#ifdef HAVE_LIBTRACECMD

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>
#include <unistd.h>

#include "cli/bytes.h"
#include "cli/memory.h"
#include "records/byte_cursor.h"
#include "trace_dat_messages.h"

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
	int is_cut_off;
	uint64_t page_size; /* of the header */
	uint8_t is_sent[DAT_IDS]; /* tracepoints */
	struct bytes message; /* being composed */
};

/* A header with a larger size is damaged. */
#define LONGEST ((uint64_t)1 << 44)

#define SMALLEST_PAGE 4096u

/* Every record begins with type, flags, preemption count and process. */
#define COMMON_SIZE 8

/* Formats, symbols and names stand before the pages, which may begin behind a hole. */
#define HEADER_LONGEST ((size_t)256 << 20)

/*
 * Messages are collected here, where a signal handler can send them if libtracecmd
 * crashes.
 */
static struct {
	int fd;
	size_t used;
	uint8_t bytes[64 << 10];
} out;

static int flush(void)
{
	size_t length = out.used;

	out.used = 0;
	return write_all(out.fd, out.bytes, length) < length ? -1 : 0;
}

static void on_crash(int number)
{
	flush();
	signal(number, SIG_DFL);
	raise(number);
}

static void catch_crashes(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], on_crash);
	signal(SIGPIPE, SIG_DFL);
}

static int put(const void *bytes, size_t length)
{
	if (length > sizeof(out.bytes) - out.used && flush())
		return -1;
	if (length > sizeof(out.bytes))
		return write_all(out.fd, bytes, length) < length ? -1 : 0;
	if (length)
		memcpy(out.bytes + out.used, bytes, length);
	out.used += length;
	return 0;
}

/* Send the bytes of a message, and empty them. */
static int send_message(enum dat_kind kind, struct bytes *bytes)
{
	const struct dat_head head = { .kind = kind, .length = (uint32_t)bytes->length };
	int result = put(&head, sizeof(head)) || put(bytes->at, bytes->length) ? -1 : 0;

	bytes->length = 0;
	return result;
}

/*
 * Tracepoints. libtraceevent keeps their parsed formats only, so the text is made again.
 */

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

/* Without fields that libtraceevent could parse, the bytes are shown. */
static int is_parsed(const struct tep_event *event)
{
	return event && (event->format.fields || !(event->flags & TEP_EVENT_FL_FAILED));
}

static int send_tracepoint(struct trace_dat *dat, struct tep_handle *tep, uint32_t id)
{
	const struct tep_event *event = tep_find_event(tep, (int)id);
	const char *system = event ? event->system : "";
	const char *name = event ? event->name : "";
	struct dat_tracepoint head = {
		.id = id,
		.is_big_endian = (uint32_t)tep_is_file_bigendian(tep),
		.system_length = (uint32_t)strlen(system),
		.name_length = (uint32_t)strlen(name),
	};
	size_t length = 0;
	char *text = is_parsed(event) ? format_text(event, &length) : NULL;

	bytes_add(&dat->message, &head, sizeof(head));
	bytes_add(&dat->message, system, head.system_length);
	bytes_add(&dat->message, name, head.name_length);
	bytes_add(&dat->message, text, text ? length : 0);
	dat->is_sent[id] = 1;
	free(text);
	return send_message(DAT_TRACEPOINT, &dat->message);
}

/* Records in the order of their times, over buffers and processors */

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

/* The library has it, but no header: instances may have larger pages than the file. */
extern int tracecmd_page_size(struct tracecmd_input *handle) __attribute__((weak));

/* Check that a record ends within its page; libtracecmd trusts its size. */
static int is_whole(const struct trace_dat *dat, struct tracecmd_input *handle,
		    const struct tep_record *record)
{
	uint64_t page = tracecmd_page_size ? (uint64_t)tracecmd_page_size(handle) :
					     dat->page_size;
	int64_t head = (int64_t)record->record_size - record->size;

	if (record->size < COMMON_SIZE || head < 0 || !page || !record->data)
		return 0;
	return record->offset % page + (uint64_t)record->record_size <= page;
}

static int send_record(struct trace_dat *dat, struct tracecmd_input *handle,
		       struct tep_record *record)
{
	struct tep_handle *tep = tracecmd_get_tep(handle);
	struct dat_record head = {
		.time = record->ts,
		.id = (uint32_t)tep_data_type(tep, record) % DAT_IDS,
		.cpu = (uint32_t)record->cpu,
		.tid = (uint32_t)tep_data_pid(tep, record),
	};

	if (record->missed_events) /* less than 0: an unknown number */
		head.lost = record->missed_events > 0 ? (uint64_t)record->missed_events :
							1;
	if (!dat->is_sent[head.id] && send_tracepoint(dat, tep, head.id))
		return -1;
	bytes_add(&dat->message, &head, sizeof(head));
	bytes_add(&dat->message, record->data, (size_t)record->size);
	return send_message(DAT_RECORD, &dat->message);
}

/* 1, 0 at the end, or -1; without a reason if the output failed. */
static int send_next(struct input *input, struct trace_dat *dat)
{
	struct buffer *buffer = NULL;
	struct tep_record **place = earliest(dat, &buffer), *record;
	int result;

	if (!place && dat->is_cut_off)
		return input_fails(
			input, "it is cut off: it ends before the last of its events");
	if (!place)
		return 0;
	record = *place;
	if (!is_whole(dat, buffer->handle, record))
		return input_fails(input,
				   "it is damaged: an event of processor %d is longer "
				   "than its page",
				   record->cpu);
	result = send_record(dat, buffer->handle, record);
	*place = tracecmd_read_data(buffer->handle, (int)(place - buffer->next));
	tracecmd_free_record(record);
	return result ? -1 : 1;
}

/* Opening */

static void add_buffer(struct trace_dat *dat, struct tracecmd_input *handle)
{
	struct buffer *buffer = &dat->buffers[dat->count];
	int cpus = tep_get_cpus(tracecmd_get_tep(handle));

	buffer->handle = handle;
	buffer->next = xcalloc((size_t)cpus, sizeof(*buffer->next));
	dat->count++;
	buffer->cpus = cpus;
	for (int cpu = 0; cpu < cpus; cpu++)
		buffer->next[cpu] = tracecmd_read_cpu_first(handle, cpu);
}

static void add_buffers(struct trace_dat *dat)
{
	int instances = tracecmd_buffer_instances(dat->file);

	dat->buffers = xcalloc((size_t)instances + 1, sizeof(*dat->buffers));
	add_buffer(dat, dat->file);
	for (int i = 0; i < instances; i++) {
		struct tracecmd_input *handle =
			tracecmd_buffer_instance_handle(dat->file, i);

		if (handle)
			add_buffer(dat, handle);
	}
}

static struct tracecmd_input *open_fd(int fd)
{
	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return NULL;
	return tracecmd_open_fd(fd, TRACECMD_FL_LOAD_NO_PLUGINS);
}

/* The bytes behind a word in the header; none if it is not there. */
static struct cursor behind(const struct source *source, const char *word, size_t length)
{
	size_t room = source->size < HEADER_LONGEST ? source->size : HEADER_LONGEST;
	const uint8_t *at = memmem(source->map, room, word, length);
	size_t offset = at ? (size_t)(at - source->map) + length : source->size;

	return cursor_of(source->map + offset, source->size - offset,
			 source->size > 12 && source->map[12]);
}

/*
 * The length of a file of version 6 according to its header, and where its first page is;
 * 0 without a header.
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

/* Behind magic, version, byte order and the size of long. */
static uint64_t header_page_size(const struct source *source)
{
	return source->size >= 18 ? load_u32(source->map + 14, source->map[12] != 0) : 0;
}

/*
 * libtracecmd 3.1 rejects a file that ends before its last page, or crashes. Give it a
 * copy with zeros behind the last whole page: pages without events.
 */
static int open_file(struct input *input, struct trace_dat *dat)
{
	uint64_t first = UINT64_MAX, wanted = wanted_size(&input->source, &first);
	size_t length = input->source.size & ~(size_t)(SMALLEST_PAGE - 1);
	int fd;

	dat->is_cut_off = wanted > input->source.size;
	dat->page_size = header_page_size(&input->source);
	if (length < first) /* in the middle of the header, not of a page */
		length = input->source.size;
	fd = dat->is_cut_off ? source_copy(&input->source, length, wanted) :
			       dup(input->source.fd);
	dat->file = open_fd(fd);
	if (!dat->file)
		return input_fails(input,
				   "it is damaged: libtracecmd cannot read its header");
	add_buffers(dat);
	return 0;
}

/* Leaves files open: the process ends. */
int trace_dat_send(struct input *input, int fd)
{
	struct trace_dat *dat = xcalloc(1, sizeof(*dat));
	int result;

	out.fd = fd;
	catch_crashes();
	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	result = open_file(input, dat);
	if (!result)
		while ((result = send_next(input, dat)) > 0)
			;
	if (result && !*input->problem)
		return -1;
	bytes_add(&dat->message, input->problem, strlen(input->problem));
	result = send_message(result ? DAT_PROBLEM : DAT_END, &dat->message);
	return result || flush() ? -1 : 0;
}

#endif
