/* SPDX-License-Identifier: MIT */
/*
 * userevents-trace-dat: reads the trace.dat file on its standard input with libtracecmd, and
 * sends its records to its standard output in the order of their times, for
 * read/input/from_trace_dat.c.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <trace-cmd.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/records/byte_cursor.h"
#include "open_input.h"

/* The records of a processor in the main buffer of the file, or in that of an instance. */
struct queue {
	struct tracecmd_input *handle;
	int cpu;
	struct tep_record *next; /* NULL: none left */
};

struct trace_dat {
	struct input *input;
	struct queue *queues;
	size_t count;
	int is_cut_off;
	uint64_t page_size; /* of the header */
	uint8_t is_sent[DAT_IDS]; /* tracepoints */
};

/* A header with a larger size is damaged. */
#define LONGEST ((uint64_t)1 << 44)

#define SMALLEST_PAGE 4096u

/* Every record begins with type, flags, preemption count and process. */
#define COMMON_SIZE 8

/* Formats, symbols and names stand before the pages, which may begin behind a hole. */
#define HEADER_LONGEST ((size_t)256 << 20)

/* Messages stay in its buffer until that is full, libtracecmd crashes, or the file ends. */
static FILE *out;
static char out_buffer[64 << 10];

static void on_crash(int number)
{
	fflush(out); /* NOLINT(bugprone-signal-handler): the process ends in any case */
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

/* Send a message of a head and two parts; -1 if the reader has gone. */
static int send_message(enum dat_kind kind, const void *first, size_t first_length,
			const void *second, size_t second_length)
{
	const struct dat_head head = {
		.kind = kind, .length = (uint32_t)(first_length + second_length),
	};

	fwrite(&head, sizeof(head), 1, out);
	if (first_length) /* the parts may be NULL, which fwrite() may not take */
		fwrite(first, 1, first_length, out);
	if (second_length)
		fwrite(second, 1, second_length, out);
	return ferror(out) ? -1 : 0;
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

static void print_format(FILE *file, const struct tep_event *event)
{
	const struct tep_format_field *field;

	fprintf(file, "name: %s\nID: %d\nformat:\n", event->name, event->id);
	for (field = event->format.common_fields; field; field = field->next)
		print_field(file, field);
	putc('\n', file);
	for (field = event->format.fields; field; field = field->next)
		print_field(file, field);
}

/* Without fields that libtraceevent could parse, the bytes are shown. */
static int is_parsed(const struct tep_event *event)
{
	return event && (event->format.fields || !(event->flags & TEP_EVENT_FL_FAILED));
}

static int send_tracepoint(struct trace_dat *dat, struct tep_handle *tep, uint32_t id)
{
	const struct tep_event *event = tep_find_event(tep, (int)id);
	const struct dat_tracepoint head = { id, (uint32_t)tep_is_file_bigendian(tep) };
	size_t length = 0;
	char *text = NULL;
	FILE *file = open_memstream(&text, &length);
	int result;

	if (!file)
		return -1;
	fprintf(file, "%s%c%s%c", event ? event->system : "", 0, event ? event->name : "", 0);
	if (is_parsed(event))
		print_format(file, event);
	fclose(file);
	dat->is_sent[id] = 1;
	result = send_message(DAT_TRACEPOINT, &head, sizeof(head), text, length);
	free(text);
	return result;
}

/* Records */

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

/* The file has the last name of each thread; libtraceevent names the missing part. */
static void set_comm(struct dat_record *head, struct tep_handle *tep)
{
	const char *comm = tep_is_pid_registered(tep, (int)head->tid) ?
				   tep_data_comm_from_pid(tep, (int)head->tid) : NULL;

	if (comm && head->tid)
		memcpy(head->comm, comm, strnlen(comm, sizeof(head->comm)));
}

static int send_record(struct trace_dat *dat, const struct queue *queue)
{
	const struct tep_record *record = queue->next;
	struct tep_handle *tep = tracecmd_get_tep(queue->handle);
	struct dat_record head = { .time = record->ts, .cpu = (uint32_t)record->cpu };

	if (!is_whole(dat, queue->handle, record))
		return input_fails(dat->input, "it is damaged: an event of processor %d is "
				   "longer than its page", record->cpu);
	head.id = (uint32_t)tep_data_type(tep, queue->next) % DAT_IDS;
	head.tid = (uint32_t)tep_data_pid(tep, queue->next);
	set_comm(&head, tep);
	if (record->missed_events) /* less than 0: an unknown number */
		head.lost = record->missed_events > 0 ? (uint64_t)record->missed_events :
							1;
	if (!dat->is_sent[head.id] && send_tracepoint(dat, tep, head.id))
		return -1;
	return send_message(DAT_RECORD, &head, sizeof(head), record->data,
			    (size_t)record->size);
}

static void add_queues(struct trace_dat *dat, struct tracecmd_input *handle)
{
	const int cpus = handle ? tep_get_cpus(tracecmd_get_tep(handle)) : 0;

	dat->queues = xrealloc(dat->queues, (dat->count + (size_t)cpus) *
						    sizeof(*dat->queues));
	for (int cpu = 0; cpu < cpus; cpu++)
		dat->queues[dat->count++] = (struct queue){
			handle, cpu, tracecmd_read_cpu_first(handle, cpu),
		};
}

static struct queue *earliest(const struct trace_dat *dat)
{
	struct queue *best = NULL;

	for (struct queue *at = dat->queues; at != dat->queues + dat->count; at++)
		if (at->next && (!best || at->next->ts < best->next->ts))
			best = at;
	return best;
}

/*
 * All records in the order of their times. tracecmd_iterate_events_multi() would end at a
 * lost event before one whose format is not in the file.
 */
static int send_records(struct trace_dat *dat, struct tracecmd_input *file)
{
	const int instances = tracecmd_buffer_instances(file);
	struct queue *queue;

	add_queues(dat, file);
	for (int i = 0; i < instances; i++)
		add_queues(dat, tracecmd_buffer_instance_handle(file, i));
	while ((queue = earliest(dat))) {
		if (send_record(dat, queue))
			return -1;
		tracecmd_free_record(queue->next);
		queue->next = tracecmd_read_data(queue->handle, queue->cpu);
	}
	if (dat->is_cut_off)
		return input_fails(dat->input, "it is cut off: it ends before the last of its "
				   "events");
	return 0;
}

/* Opening */

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

/* It follows magic, version, byte order and the size of long. */
static uint64_t header_page_size(const struct source *source)
{
	return source->size >= 18 ? load_u32(source->map + 14, source->map[12] != 0) : 0;
}

/*
 * libtracecmd 3.1 rejects a file that ends before its last page, or crashes. Give it a
 * copy with zeros behind the last whole page: pages without events.
 */
static struct tracecmd_input *open_file(struct input *input, struct trace_dat *dat)
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
	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return NULL;
	return tracecmd_open_fd(fd, TRACECMD_FL_LOAD_NO_PLUGINS);
}

/* Leaves files open: the process ends. 0, or -1 if the reader has gone. */
static int send_file(struct input *input, int fd)
{
	struct trace_dat *dat = xcalloc(1, sizeof(*dat));
	struct tracecmd_input *file;
	int result;

	out = fdopen(fd, "w");
	if (!out)
		return -1;
	setvbuf(out, out_buffer, _IOFBF, sizeof(out_buffer));
	catch_crashes();
	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	dat->input = input;
	file = open_file(input, dat);
	result = file ? send_records(dat, file) :
			input_fails(input, "it is damaged: libtracecmd cannot read its header");
	if (result && !*input->problem) /* the reader has gone, or memory */
		return -1;
	return send_message(DAT_END, input->problem, strlen(input->problem), NULL, 0) ||
	       fflush(out) ? -1 : 0;
}

/* libtracecmd may print, so messages leave by a descriptor that it does not know. */
int main(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	struct input input = { 0 };

	prctl(PR_SET_DUMPABLE, 0); /* a crash means a damaged file, and leaves no core */
	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ||
	    source_open(&input.source, "-") || !input.source.map) {
		fprintf(stderr, "userevents-trace-dat: userevents starts this program; run "
				"userevents decode FILE\n");
		return 2;
	}
	return send_file(&input, fd) ? 1 : 0;
}
