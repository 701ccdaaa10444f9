/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int session;

static int abi;

static const char *abi_name(int which)
{
	return which == UE_ABI_STATUS_PAGE    ? "status-page" :
	       which == UE_ABI_ENABLE_ADDRESS ? "enable-address" :
						"none";
}

int is_status_page(void)
{
	return abi == UE_ABI_STATUS_PAGE;
}

/* The interface of the kernel, or the reason for its absence. */
static int ask_abi(void)
{
	int fd = ue_open(NULL);

	if (fd < 0)
		return fd;
	abi = ue_abi(fd);
	ue_close(fd);
	return 0;
}

int run_on_kernel(const struct CMUnitTest *tests, size_t count, int argc, char **argv)
{
	const char *wanted = getenv("UE_TEST_ABI");
	int result = ask_abi();
	struct utsname system;

	(void)argc;
	uname(&system);
	printf("# %s: Linux %s, interface: %s\n", argv[0], system.release,
	       abi_name(abi));
	if (wanted && strcmp(wanted, abi_name(abi))) {
		printf("not ok 1 - interface is %s: %s\n", wanted,
		       result ? ue_explain(UE_CALL_OPEN, result) : abi_name(abi));
		return 1;
	}
	if (result) {
		printf("1..0 # SKIP %s\n", ue_explain(UE_CALL_OPEN, result));
		return 77;
	}
	fflush(stdout);
	return _cmocka_run_group_tests("kernel", tests, count, NULL, NULL);
}

int open_session(void **state)
{
	(void)state;
	session = ue_open(NULL);
	return session < 0 ? -1 : 0;
}

int close_session(void **state)
{
	(void)state;
	write_file("set_event", "");
	ue_close(session);
	return 0;
}

const char *unique(const char *definition)
{
	static unsigned count;
	char *text;

	if (asprintf(&text, "t%d_%u_%s", (int)getpid(),
		     __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED), definition) < 0)
		abort();
	return text;
}

const char *name_of(const char *definition)
{
	return strndup(definition, strcspn(definition, " "));
}

static const char *full_path(const char *path)
{
	static char full[4096];

	if (path[0] == '/')
		return path;
	snprintf(full, sizeof(full), TRACING "/%s", path);
	return full;
}

/* O_TRUNC only for set_event: it has side effects on other files. */
int write_file(const char *path, const char *text)
{
	int flags = strcmp(path, "set_event") ? O_WRONLY : O_WRONLY | O_TRUNC;
	int fd = open(full_path(path), flags), error = 0;

	if (fd < 0)
		return -errno;
	if (*text && write(fd, text, strlen(text)) < 0)
		error = -errno;
	close(fd);
	return error;
}

const char *read_file(const char *path)
{
	static char text[1 << 20];
	int fd = open(full_path(path), O_RDONLY);
	size_t length = 0;
	ssize_t got;

	text[0] = '\0';
	if (fd < 0)
		return text;
	while ((got = read(fd, text + length, sizeof(text) - length - 1)) > 0)
		length += (size_t)got;
	close(fd);
	text[length] = '\0';
	/* Linux 6.1 puts a NUL after each record of a trace. */
	for (char *nul = text; (nul = memchr(nul, 0, length - (size_t)(nul - text)));)
		*nul = ' ';
	return text;
}

static void set_listening(const struct ue_event *event, const char *value)
{
	char path[600];

	snprintf(path, sizeof(path), "events/user_events/%s/enable",
		 name_of(event->definition));
	assert_int_equal(write_file(path, value), 0);
}

void listen_to(const struct ue_event *event)
{
	int fd = open(TRACING "/trace", O_WRONLY | O_TRUNC);

	close(fd);
	set_listening(event, "1");
	EVENTUALLY(ue_enabled(event));
}

void stop_listening(const struct ue_event *event)
{
	set_listening(event, "0");
	EVENTUALLY(!ue_enabled(event));
}

const char *recorded(void)
{
	const char *text = read_file("trace");
	int fd = open(TRACING "/trace", O_WRONLY | O_TRUNC);

	close(fd);
	while (*text == '#') {
		const char *newline = strchr(text, '\n');

		if (!newline)
			return "";
		text = newline + 1;
	}
	return text;
}

/* A line that begins with eight digits and a colon continues the dump of a record. */
static int is_record(const char *line)
{
	return *line != '\n' && strspn(line, "0123456789abcdef") != 8;
}

int count_recorded(void)
{
	const char *line = recorded(), *end;
	int count = 0;

	for (; (end = strchr(line, '\n')); line = end + 1)
		count += is_record(line);
	return count;
}

int count_entries(void)
{
	char text[4096], *at;
	int fd = open(TRACING "/trace", O_RDONLY), count = -1;
	ssize_t length = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[length > 0 ? length : 0] = '\0';
	at = strstr(text, "entries-written: ");
	if (at)
		sscanf(at, "entries-written: %*d/%d", &count);
	close(open(TRACING "/trace", O_WRONLY | O_TRUNC));
	return count;
}

/* The common fields end with the process id; the payload follows. */
int was_recorded(const void *payload, size_t length)
{
	static char expected[8192], page[65536];
	char path[96];
	int32_t pid = getpid();
	int found = 0;

	assert_true(length + sizeof(pid) <= sizeof(expected));
	memcpy(expected, &pid, sizeof(pid));
	memcpy(expected + sizeof(pid), payload, length);
	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		ssize_t got;
		int fd;

		snprintf(path, sizeof(path), TRACING "/per_cpu/cpu%ld/trace_pipe_raw", cpu);
		fd = open(path, O_RDONLY | O_NONBLOCK);
		while ((got = read(fd, page, sizeof(page))) > 0)
			found |= memmem(page, (size_t)got, expected,
					length + sizeof(pid)) != NULL;
		close(fd);
	}
	return found;
}

uint64_t count_of_kernel(void)
{
	static const char *const names[] = { "entries: ", "\noverrun: ",
					     "commit overrun: ", "dropped events: ",
					     "read events: " };
	uint64_t sum = 0;
	char path[100];

	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		const char *text;

		snprintf(path, sizeof(path), "per_cpu/cpu%ld/stats", cpu);
		text = read_file(path);
		for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			const char *at = strstr(text, names[i]);

			assert_non_null(at);
			sum += strtoull(at + strlen(names[i]), NULL, 10);
		}
	}
	return sum;
}
