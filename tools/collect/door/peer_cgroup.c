/* SPDX-License-Identifier: MIT */
/*
 * Reads /proc/PID/cgroup of a process that connected.
 *
 * It may have ended before its offer is looked at, and its pid may be that of another
 * process by then. Since Linux 6.5 the socket has a descriptor of the process itself,
 * which says whether it still has its pid after the file was read. Before, a process
 * that began after the connection was accepted is certainly another one; of an offer
 * that waited long in the socket's queue nothing tells.
 */
#include "peer_cgroup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cli/memory.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

#define SECOND ((int64_t)1000000000)

static FILE *open_of(pid_t pid, const char *name)
{
	AUTO_FREE char *path = xprintf("/proc/%d/%s", (int)pid, name);
	FILE *file = fopen(path, "re");

	return file;
}

/* A line "0::PATH". */
static char *read_cgroup(pid_t pid)
{
	FILE *file = open_of(pid, "cgroup");
	char *line = NULL, *cgroup = NULL;
	size_t size = 0;

	while (file && !cgroup && getline(&line, &size, file) > 0)
		if (!strncmp(line, "0::", 3))
			cgroup = xstrndup(line + 3, strcspn(line + 3, "\n"));
	free(line);
	if (file)
		fclose(file);
	return cgroup ? cgroup : xstrdup("");
}

/*
 * The 22nd field, in ticks of a clock; the second one is a name that may have any
 * bytes.
 */
static int began_after(pid_t pid, int64_t since)
{
	const int64_t tick = SECOND / sysconf(_SC_CLK_TCK);
	FILE *file = open_of(pid, "stat");
	char text[1024] = "", *at;
	int64_t began = 0;
	size_t length;

	if (!file)
		return 1;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	at = strrchr(text, ')');
	if (!at ||
	    sscanf(at + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
		   "%*d %*d %*d %" SCNd64,
		   &began) != 1)
		return 1;
	return began * tick > since;
}

/* -ENOPROTOOPT: the kernel has none; another error: the process is gone. */
static int process_of(int connection)
{
	int process = -1;
	socklen_t length = sizeof(process);

	return getsockopt(connection, SOL_SOCKET, SO_PEERPIDFD, &process, &length) ?
		       -errno :
		       process;
}

static int is_same(int process, pid_t pid, int64_t since)
{
	int is_gone;

	if (process == -ENOPROTOOPT || process == -EMFILE || process == -ENFILE)
		return !began_after(pid, since);
	if (process < 0)
		return 0;
	is_gone = syscall(SYS_pidfd_send_signal, process, 0, NULL, 0) && errno != EPERM;
	close(process);
	return !is_gone;
}

char *peer_cgroup(int connection, pid_t pid, int64_t since)
{
	const int process = process_of(connection);
	char *cgroup = read_cgroup(pid);

	if (*cgroup && !is_same(process, pid, since))
		*cgroup = '\0';
	else if (!*cgroup && process >= 0)
		close(process);
	return cgroup;
}
