/* SPDX-License-Identifier: MIT */
/*
 * Checks the error of ue_open() in a 32-bit program on a 64-bit kernel. Uses no cmocka,
 * which is installed for one word size only.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <userevents/userevents.h>

static int check(int number, const char *name, int holds)
{
	printf("%sok %d - %s\n", holds ? "" : "not ", number, name);
	return !holds;
}

int main(void)
{
	struct ue_event event;
	int fd = ue_open(NULL), failed = 0;

	if (fd == -ENODEV) {
		printf("1..0 # SKIP no tracefs\n");
		return 77;
	}
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
