/* SPDX-License-Identifier: MIT */
/* Captures the record of a shape, and sends it without the library, in several ways. */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kernel/system_call.h"
#include "state/binding.h"
#include "measure.h"

/* One page holds any record but the largest: crossing a page costs the kernel more. */
char record[8192] __attribute__((aligned(4096)));
size_t record_size;
static struct iovec pieces[MAX_FIELDS];
static int piece_count;

void write_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0 || write(fd, value, strlen(value)) < 0) {
		perror(path);
		fail("This file could not be written.");
	}
	close(fd);
}

void enable(const struct shape *shape, int on)
{
	const char *definition = shape->event->definition;
	char path[128];

	snprintf(path, sizeof(path), TRACING "events/user_events/%.*s/enable",
		 (int)strcspn(definition, " "), definition);
	write_file(path, on ? "1" : "0");
	write_file(TRACING "trace", "");
	if (ue_enabled(shape->event) != on)
		fail("The kernel did not enable or disable the event in the program.");
}

unsigned long long event_id(const struct shape *shape)
{
	const char *definition = shape->event->definition;
	unsigned long long id = 0;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), TRACING "events/user_events/%.*s/id",
		 (int)strcspn(definition, " "), definition);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%llu", &id) != 1)
		fail("The number of an event cannot be read.");
	fclose(file);
	return id;
}

/* A packet socket captures UE_WRITE()'s bytes. */
void catch_record(const struct shape *shape)
{
	struct ue_event *event = shape->event;
	ssize_t size;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		fail("There are no packet sockets.");
	const uint64_t binding = event->ue__binding;
	const uint32_t word = *event->word, write_call = event->ue__write_call;
	const int real = session;

	event->ue__binding = ue__binding(ends[0], ue__binding_index(binding));
	event->ue__write_call = SYS_write;
	*event->word = UE__WORD_LISTENED;
	session = ends[0];
	shape->write();
	size = recv(ends[1], record, sizeof(record), MSG_DONTWAIT);
	session = real;
	*event->word = word;
	event->ue__write_call = write_call;
	event->ue__binding = binding;
	close(ends[0]);
	close(ends[1]);
	if (size < 0)
		fail("UE_WRITE() sent nothing.");
	record_size = (size_t)size;
}

void cut(const size_t *sizes, int count)
{
	size_t at = 0;

	for (piece_count = 0; piece_count < count && sizes[piece_count]; piece_count++) {
		pieces[piece_count] = (struct iovec){ record + at, sizes[piece_count] };
		at += sizes[piece_count];
	}
	if (at != record_size)
		fail("The pieces of a shape are not its record.");
}

void write_record(void)
{
	write(session, record, record_size);
}

void pwrite_record(void)
{
	ue__system_write(SYS_pwrite64, session, record, record_size);
}

void write_pieces(void)
{
	writev(session, pieces, piece_count);
}

/* The number of events in the trace after a call. */
static int arrived(void (*call)(void))
{
	char line[256];
	int count = -1;
	FILE *trace;

	write_file(TRACING "trace", "");
	call();
	trace = fopen(TRACING "trace", "re");
	if (!trace)
		fail("The trace cannot be read.");
	while (count < 0 && fgets(line, sizeof(line), trace))
		sscanf(line, "# entries-in-buffer/entries-written: %d/", &count);
	fclose(trace);
	return count;
}

void require(int count, void (*call)(void))
{
	const int got = arrived(call);

	if (got != count) {
		fprintf(stderr, "bench: %d events arrived instead of %d.\n", got, count);
		fail("The numbers would mean nothing.");
	}
}

void prepare_shapes(void)
{
	int error;

	for (size_t i = 0; i < sizeof(blob); i++)
		blob[i] = (unsigned char)i;
	session = ue_open(NULL);
	for (int i = 0; i < SHAPES; i++) {
		error = ue_register(session, shapes[i].event);
		/* Shapes of one tracepoint share it. */
		if (error && error != -EALREADY)
			fail("An event could not be registered.");
	}
	write_file(TRACING "options/overwrite", "1");
}
