/* SPDX-License-Identifier: MIT */
/*
 * Asks for events whose names damage the directory of events.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/abi.h"
#include "surprises.h"

#define DIRECTORY "/sys/kernel/tracing/events/user_events"

/* Linux 6.1 keeps an event until it is deleted, and knows no system without events. */
static void delete_event(int fd, const char *name)
{
	close(fd);
	fd = open_tracefs("user_events_data", O_RDWR);
	ioctl(fd, UE__IOC_DEL, name);
	close(fd);
}

static const char *result_of_listing(void)
{
	DIR *directory = opendir(DIRECTORY);
	const char *result;

	if (!directory)
		return "cannot be opened";
	errno = 0;
	while (readdir(directory))
		;
	result = errno ? strerrorname_np(errno) : "works";
	closedir(directory);
	return result;
}

static void name_with_slash(void)
{
	int fd = open_tracefs("user_events_data", O_RDWR);

	if (register_raw(fd, "with/slash u32 a", NULL) < 0) {
		answer("%s", verdict(-1));
		close(fd);
		return;
	}
	answer("is registered, listing: %s", result_of_listing());
	delete_event(fd, "with/slash");
}

static void name_of_control_file(void)
{
	int fd = open_tracefs("user_events_data", O_RDWR);
	struct stat status = { 0 };

	if (register_raw(fd, "enable u32 a", NULL) < 0) {
		answer("%s", verdict(-1));
		close(fd);
		return;
	}
	answer("is registered, enable is %s",
	       stat(DIRECTORY "/enable", &status)	? "absent"
	       : S_ISDIR(status.st_mode)		? "a directory"
							: "a file");
	delete_event(fd, "enable");
}

static void ask_to_register(const char *definition, const char *name)
{
	int fd = open_tracefs("user_events_data", O_RDWR);

	answer("%s", verdict(register_raw(fd, definition, NULL)));
	delete_event(fd, name);
}

static void dots(void)
{
	ask_to_register(".. u32 a", "..");
}

static void newline(void)
{
	ask_to_register("two\nlines u32 a", "two\nlines");
}

/* Programs have such names, so the kernel must not refuse them. */
static void usual_characters(void)
{
	ask_to_register("Grüße.My-Provider_L4K1 u32 a", "Grüße.My-Provider_L4K1");
}

const struct surprise name_surprises[] = {
	{ "name-slash", "listing the events while one has a slash in its name",
	  name_with_slash },
	{ "name-enable", "the file enable of all user events while one has its name",
	  name_of_control_file },
	{ "name-dots", "registering an event called ..", dots },
	{ "name-newline", "registering an event with a newline in its name", newline },
	{ "name-usual", "registering an event with dots, dashes and umlauts in its name",
	  usual_characters },
	{ 0 },
};
