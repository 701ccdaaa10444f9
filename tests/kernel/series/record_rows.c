/* SPDX-License-Identifier: MIT */
/*
 * Asks how the kernel describes fields and passes on records.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "surprises.h"

#define ARRAY_EVENT "array_event"
#define STRING_EVENT "string_event"
#define LARGE_EVENT "large_event"
#define STRUCT_EVENT "struct_event"
#define SYSTEM "events/user_events/"

/* Reads a file of tracefs into a string. */
static void get_tracefs(const char *name, char *text, size_t size)
{
	int fd = open_tracefs(name, O_RDONLY);
	ssize_t had = 0, got;

	while ((got = read(fd, text + had, size - 1 - had)) > 0)
		had += got;
	text[had] = '\0';
	close(fd);
}

/* Definitions that are refused leave their text in memory of the size of a field. */
static void leave_text_in_memory(int fd)
{
	char text[61];
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	memset(text, 'A', sizeof(text) - 1);
	text[0] = ':';
	text[sizeof(text) - 1] = '\0';
	for (int i = 0; i < 100; i++)
		register_raw(fd, text, NULL);
}

static void length_of_array(void)
{
	int fd = open_tracefs("user_events_data", O_RDWR);
	char format[4096], *field;

	leave_text_in_memory(fd);
	if (register_raw(fd, ARRAY_EVENT " char[4] data", NULL) < 0) {
		answer("%s", verdict(-1));
		return;
	}
	get_tracefs(SYSTEM ARRAY_EVENT "/format", format, sizeof(format));
	field = strstr(format, "field:char data");
	answer("%s", field ? strtok(field, ";") : "no such field");
	close(fd);
}

/* The string is after 4 bytes that do not belong to it. */
static void write_string(int fd, unsigned int index)
{
	struct {
		uint32_t index, location;
		char before[4], text[8];
	} record = { index, 6 << 16 | 4, { '1', '2', '3', '4' }, "hello" };

	if (write(fd, &record, sizeof(record)) < 0)
		perror("write");
}

static void string_of_event_probe(void)
{
	int fd = open_tracefs("user_events_data", O_RDWR);
	unsigned int index = 0;
	char trace[4096], *text;

	register_raw(fd, STRING_EVENT " __rel_loc char[] text", &index);
	if (put_tracefs("dynamic_events",
			"e:series/probe user_events." STRING_EVENT " text=$text:string")) {
		answer("%s", verdict(-1));
		return;
	}
	close(open_tracefs("trace", O_WRONLY | O_TRUNC)); /* empties it */
	put_tracefs("events/series/probe/enable", "1");
	write_string(fd, index);
	put_tracefs("events/series/probe/enable", "0");
	get_tracefs("trace", trace, sizeof(trace));
	put_tracefs("dynamic_events", "-:series/probe");
	text = strstr(trace, "(user_events." STRING_EVENT ")");
	text = text ? strstr(text, "text=") : NULL;
	answer("%s", text ? strtok(text, "\n") : "nothing recorded");
	close(fd);
}

/* Linux 6.1 does not print fields, but a dump without the event's name. */
static void struct_in_the_output(void)
{
	int fd = open_tracefs("user_events_data", O_RDWR);
	struct {
		uint32_t index;
		char bytes[20];
	} record = { 0, "12345678901234567890" };
	char trace[4096], *printed;

	register_raw(fd, STRUCT_EVENT " struct s a 20", &record.index);
	close(open_tracefs("trace", O_WRONLY | O_TRUNC)); /* empties it */
	put_tracefs(SYSTEM STRUCT_EVENT "/enable", "1");
	if (write(fd, &record, sizeof(record)) < 0)
		perror("write");
	put_tracefs(SYSTEM STRUCT_EVENT "/enable", "0");
	get_tracefs("trace", trace, sizeof(trace));
	printed = strstr(trace, STRUCT_EVENT ": ");
	answer("%s", printed ? strtok(strstr(printed, "a="), "\n") : "a dump");
	close(fd);
}

static int open_perf(const char *id_file)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attributes),
		.sample_type = PERF_SAMPLE_RAW,
		.sample_period = 1,
	};
	char id[32];

	get_tracefs(id_file, id, sizeof(id));
	attributes.config = strtoul(id, NULL, 10);
	return syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}

static void set_panic_on_warn(const char *value)
{
	int fd = open("/proc/sys/kernel/panic_on_warn", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, value, 1) < 0)
		perror("panic_on_warn");
	close(fd);
}

/* Some systems are configured so that a warning of the kernel stops them. */
static void large_record_for_perf(void)
{
	static unsigned int record[9000 / 4];
	int fd = open_tracefs("user_events_data", O_RDWR), perf;
	ssize_t written;

	register_raw(fd, LARGE_EVENT, &record[0]);
	perf = open_perf(SYSTEM LARGE_EVENT "/id");
	set_panic_on_warn("1");
	written = write(fd, record, sizeof(record));
	set_panic_on_warn("0");
	answer("%s", perf < 0 ? "perf cannot listen" : verdict(written));
	close(perf);
	close(fd);
}

const struct surprise record_surprises[] = {
	{ "array-length", "a field char[4] in the event's format", length_of_array },
	{ "eprobe-string", "a string hello after the bytes 1234, read by an event probe",
	  string_of_event_probe },
	{ "struct-output", "a struct of 20 bytes in ftrace's output", struct_in_the_output },
	{ "perf-large", "writing 9000 bytes to perf with panic_on_warn set",
	  large_record_for_perf },
	{ 0 },
};
