/* SPDX-License-Identifier: MIT */
/*
 * Checks the library in a 32-bit program on a 64-bit kernel: ue_open() fails on a stock
 * kernel, and all works on one with the patches of doc/kernel. Uses no cmocka, which is
 * installed for one word size only.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <userevents/userevents.h>

static int check(int number, const char *name, int holds)
{
	printf("%sok %d - %s\n", holds ? "" : "not ", number, name);
	return !holds;
}

static int is_enabled(const struct ue_event *event, int wanted)
{
	int fd = open("/sys/kernel/tracing/events/user_events/of_32_bits/enable", O_WRONLY);
	ssize_t done = write(fd, wanted ? "1" : "0", 1);

	close(fd);
	return done == 1 && ue_enabled(event) == wanted;
}

static int check_patched(int fd)
{
	struct ue_event event;
	int failed = check(1, "a 32-bit process has a session", fd >= 0);

	ue_event_init(&event, "of_32_bits u32 a", 0);
	failed += check(2, "it registers", ue_register(fd, &event) == 0);
	failed += check(3, "its word is set", is_enabled(&event, 1));
	failed += check(4, "it writes", ue_write(fd, &event, "1234", 4) == 0);
	failed += check(5, "its word is cleared", is_enabled(&event, 0));
	failed += check(6, "it unregisters", ue_unregister(&event) == 0);
	failed += check(7, "it closes", ue_close(fd) == 0);
	printf("1..7\n");
	return failed != 0;
}

static int check_stock(int fd)
{
	struct ue_event event;
	int failed = check(1, "a 32-bit process is told so", fd == -EOPNOTSUPP);

	failed += check(2, "in a sentence",
			strstr(ue_explain(UE_CALL_OPEN, fd), "32-bit") != NULL);
	ue_event_init(&event, "wide u32 a", 0);
	failed += check(3, "and stays healthy",
			ue_register(fd, &event) == -EBADF &&
				ue_write(fd, &event, "1234", 4) == 0 &&
				ue_close(fd) == -EBADF);
	printf("1..3\n");
	return failed != 0;
}

int main(void)
{
	int fd = ue_open(NULL);

	if (fd == -ENODEV) {
		printf("1..0 # SKIP no tracefs\n");
		return 77;
	}
	return getenv("UE_VM_PATCHED") ? check_patched(fd) : check_stock(fd);
}
