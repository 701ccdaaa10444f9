/* SPDX-License-Identifier: MIT */
/* Makes names that hold their owner, and finds out whether that runs. */
#include "instance.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"

#define PREFIX "userevents_"

/* After "unshare --pid" without --mount-proc, /proc has the numbers of other processes. */
static int is_proc_ours(void)
{
	char text[24] = "";

	return readlink("/proc/self", text, sizeof(text) - 1) > 0 && atoi(text) == getpid();
}

/*
 * The time at which a process started, in clock ticks since boot; 0: there is none, or it
 * has ended; -1: there is one, but /proc does not show it.
 */
static int64_t start_of(int pid)
{
	char *path = xprintf("/proc/%d/stat", pid), *text = read_file(path, NULL);
	/* fields 3 and 22; the name before them may have any characters */
	const char *rest = text && is_proc_ours() ? strrchr(text, ')') : NULL;
	int64_t start = 0;
	char state = 0;

	if (!rest || sscanf(rest, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
			    "%*d %*d %*d %*d %*d %" SCNd64, &state, &start) != 2)
		start = kill(pid, 0) && errno == ESRCH ? 0 : -1;
	else if (state == 'Z' || state == 'X')
		start = 0;
	free(path);
	free(text);
	return start;
}

/* 0 if the kernel has no namespaces. */
static uint64_t namespace_of_pids(void)
{
	struct stat stat_of;

	return stat("/proc/self/ns/pid", &stat_of) ? 0 : (uint64_t)stat_of.st_ino;
}

char *own_name(const char *purpose)
{
	const int64_t start = start_of(getpid());

	/* without /proc nobody can tell whether it runs, which a 0 says */
	return xprintf(PREFIX "%d_%" PRId64 "_%" PRIu64 "_%s", (int)getpid(),
		       start < 0 ? 0 : start, namespace_of_pids(), purpose);
}

/* Take "NUMBER_", as printf() writes it: 1, or 0 if the text begins otherwise. */
static int take_number(const char **text, uint64_t *number)
{
	const char *at = *text;

	if (!isdigit((unsigned char)*at) || (*at == '0' && at[1] != '_'))
		return 0;
	for (*number = 0; isdigit((unsigned char)*at); at++) {
		if (*number > INT64_MAX / 10)
			return 0;
		*number = *number * 10 + (uint64_t)(*at - '0');
	}
	*text = at + 1;
	return *at == '_';
}

static int is_identifier(const char *text)
{
	if (!*text || isdigit((unsigned char)*text))
		return 0;
	while (isalnum((unsigned char)*text) || *text == '_')
		text++;
	return !*text;
}

enum owner own_name_owner(const char *name)
{
	const char *rest = name + strlen(PREFIX);
	uint64_t pid, start, space;
	int64_t now;

	if (strncmp(name, PREFIX, strlen(PREFIX)) || !take_number(&rest, &pid) ||
	    !take_number(&rest, &start) || !take_number(&rest, &space) ||
	    !is_identifier(rest) || !pid || pid > INT_MAX)
		return OWNER_NONE;
	if (!start || space != namespace_of_pids())
		return OWNER_UNKNOWN;
	now = start_of((int)pid);
	if (now < 0)
		return OWNER_UNKNOWN;
	return (uint64_t)now == start ? OWNER_ALIVE : OWNER_DEAD;
}
