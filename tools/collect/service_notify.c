/* SPDX-License-Identifier: MIT */
/* Writes to the service manager's socket. */
#include "service_notify.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/message.h"

/* "@name" is in the abstract namespace. 0: the name is none, or too long. */
static socklen_t address_of(const char *name, struct sockaddr_un *address)
{
	const size_t length = strlen(name);

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if ((*name != '/' && *name != '@') || !name[1] || length >= sizeof(address->sun_path))
		return 0;
	memcpy(address->sun_path, name, length);
	if (*name == '@')
		address->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

static int send_lines(int socket, const struct sockaddr_un *address, socklen_t length,
		      const char *lines, int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header = {
		.cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	} };
	struct iovec piece = { (void *)(uintptr_t)lines, strlen(lines) };
	const struct msghdr message = {
		.msg_name = (void *)(uintptr_t)address,
		.msg_namelen = length,
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = fd < 0 ? NULL : &control,
		.msg_controllen = fd < 0 ? 0 : sizeof(control),
	};

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

void service_notify(const char *lines)
{
	service_notify_with(lines, -1);
}

int service_notify_with(const char *lines, int with)
{
	const char *name = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address;
	socklen_t length = name ? address_of(name, &address) : 0;
	int fd, result;

	if (!length)
		return 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	result = send_lines(fd, &address, length, lines, with);
	close(fd);
	return result;
}

void service_notify_reload(void)
{
	char lines[64];

	snprintf(lines, sizeof(lines), "RELOADING=1\nMONOTONIC_USEC=%lld",
		 (long long)(clock_now(CLOCK_MONOTONIC) / 1000));
	service_notify(lines);
}

int64_t service_watchdog(void)
{
	const char *wanted = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");

	if (!wanted || (pid && strtoll(pid, NULL, 10) != getpid()))
		return 0;
	return strtoll(wanted, NULL, 10) * 1000 / 2;
}

/* Makes and locks a directory. */

int owned_directory_open(const char *path)
{
	int fd;

	if (mkdir(path, 0700) && errno != EEXIST) {
		message("cannot make the directory %s: %s", path, strerror(errno));
		return -1;
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		message("cannot record into %s: %s", path, strerror(errno));
		return -1;
	}
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	message(errno == EWOULDBLOCK ?
		"cannot record into %s: another collector does; give each a directory of its own" :
		"cannot lock %s: its file system has no locks; use a directory of another one",
		path);
	close(fd);
	return -1;
}
