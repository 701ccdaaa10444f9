/* SPDX-License-Identifier: MIT */
/*
 * Loses events in the program itself: one that is too large, one with a wrong descriptor,
 * and one in a child. Writes one.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/userevents.h>

UE_EVENT(wrong_size, UE_U32(number), UE_STRING(text));

static char text[70000];

static int write_too_large(int fd)
{
	return UE_WRITE(fd, wrong_size, 2, text) != -EMSGSIZE;
}

int main(void)
{
	int fd = ue_open(NULL), failed, status;
	pid_t child;

	if (fd < 0 || ue_register_all(fd))
		return 1;
	memset(text, 'x', sizeof(text) - 1);
	failed = UE_WRITE(fd, wrong_size, 1, "short") != 0;
	failed |= write_too_large(fd);
	failed |= UE_WRITE(STDIN_FILENO, wrong_size, 3, "elsewhere") >= 0;
	child = fork();
	if (!child)
		_exit(write_too_large(fd));
	waitpid(child, &status, 0);
	return failed || status;
}
