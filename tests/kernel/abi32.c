/* SPDX-License-Identifier: MIT */
/*
 * Checks a 32-bit program on a 64-bit kernel: the error of ue_open(), or, on a kernel with
 * the patches of doc/kernel, that events arrive. Uses no cmocka, which is installed for one
 * word size only.
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

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t written = write(fd, text, strlen(text));

	close(fd);
	return written > 0;
}

static int check_patched(int fd)
{
	static const char enable[] = "/sys/kernel/tracing/events/user_events/wide32/enable";
	struct ue_event event;
	int failed = check(1, "a 32-bit process has a session", fd >= 0);

	ue_event_init(&event, "wide32 u32 a", 0);
	failed += check(2, "registers", ue_register(fd, &event) == 0 && !ue_enabled(&event));
	failed += check(3, "sees listeners", put(enable, "1") && ue_enabled(&event));
	failed += check(4, "writes", ue_write(fd, &event, "1234", 4) == 0);
	failed += check(5, "and sees them go", put(enable, "0") && !ue_enabled(&event));
	failed += check(6, "and closes", ue_close(fd) == 0);
	ue_delete("wide32", NULL); /* 6.12 does so itself */
	printf("1..6\n");
	return failed != 0;
}

static int check_stock(int fd)
{
	struct ue_event event;
	int failed = 0;

	failed += check(1, "a 32-bit process is told so", fd == -EOPNOTSUPP);
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
