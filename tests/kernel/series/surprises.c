/* SPDX-License-Identifier: MIT */
/*
 * Asks the running kernel one question: surprises NAME. Without a name it lists them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kernel/abi.h"
#include "surprises.h"

static const struct surprise *const lists[] = {
	definition_surprises,
	size_surprises,
	name_surprises,
	request_surprises,
	record_surprises,
	backport_surprises,
	write_surprises,
	absent_surprises,
	probe_surprises,
	synth_surprises,
	srcu_surprises,
	process_surprises,
	race_surprises,
};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

void answer(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	putchar('\n');
	fflush(stdout);
}

const char *verdict(long result)
{
	return result < 0 ? strerrorname_np(errno) : "works";
}

int open_tracefs(const char *name, int flags)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/%s", name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0) {
		perror(path);
		exit(2);
	}
	return fd;
}

int is_6_1(void)
{
	struct utsname name;

	return !uname(&name) && !strncmp(name.release, "6.1.", 4);
}

int put_tracefs(const char *name, const char *text)
{
	int fd = open_tracefs(name, O_WRONLY | O_APPEND), error;
	ssize_t written = write(fd, text, strlen(text));

	error = errno;
	close(fd);
	errno = error;
	return written < 0 ? -1 : 0;
}

int register_raw(int fd, const char *definition, unsigned int *write_index)
{
	static uint32_t word;
	struct ue__enable_address_reg reg = {
		.size = sizeof(reg),
		.enable_size = sizeof(word),
		.enable_addr = (uintptr_t)&word,
		.name_args = (uintptr_t)definition,
	};
	struct ue__status_page_reg old = {
		.size = sizeof(old),
		.name_args = (uintptr_t)definition,
	};
	int result = ioctl(fd, UE__IOC_REG, is_6_1() ? (void *)&old : (void *)&reg);

	if (!result && write_index)
		*write_index = is_6_1() ? old.write_index : reg.write_index;
	return result;
}

static int ask(const char *name)
{
	for (size_t i = 0; i < LISTS; i++)
		for (const struct surprise *row = lists[i]; row->name; row++)
			if (!strcmp(row->name, name)) {
				row->ask();
				return 0;
			}
	fprintf(stderr, "surprises: there is no question %s\n", name);
	return 2;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return ask(argv[1]);
	for (size_t i = 0; i < LISTS; i++)
		for (const struct surprise *row = lists[i]; row->name; row++)
			printf("%s\t%s\n", row->name, row->question);
	return 0;
}
