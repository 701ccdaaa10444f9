/* SPDX-License-Identifier: MIT */
/*
 * Asks for events whose fields have sizes that no record can have.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "surprises.h"

/* The end of the last field is 2^32 bytes after that of the first. */
#define WRAPS "struct s a 2147483647; __rel_loc char[] b; struct s c 2147483647"

static void ask_to_register(const char *definition)
{
	int fd = open_tracefs("user_events_data", O_RDWR);

	answer("%s", verdict(register_raw(fd, definition, NULL)));
	close(fd);
}

static void wrapping_sizes(void)
{
	ask_to_register("wrapping_sizes " WRAPS);
}

static void size_of_2_to_the_32(void)
{
	ask_to_register("negative_size struct s a 4294967295");
}

/* The string's location is searched 2 GiB before the record. */
static void write_of_wrapped_event(void)
{
	int fd = open_tracefs("user_events_data", O_RDWR);
	unsigned int record[4] = { 0 };
	int result = register_raw(fd, "wrapped_event " WRAPS, &record[0]);

	if (!result) {
		put_tracefs("events/user_events/wrapped_event/enable", "1");
		result = write(fd, record, sizeof(record)) < 0 ? -1 : 0;
		put_tracefs("events/user_events/wrapped_event/enable", "0");
	}
	answer("%s", verdict(result));
	close(fd);
}

const struct surprise size_surprises[] = {
	{ "sizes-wrap", "registering fields of 4 GiB in total", wrapping_sizes },
	{ "size-negative", "registering a field of 4294967295 bytes",
	  size_of_2_to_the_32 },
	{ "write-wrapped", "writing 12 bytes to an event with fields of 4 GiB in total",
	  write_of_wrapped_event },
	{ 0 },
};
