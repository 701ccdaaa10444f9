/* SPDX-License-Identifier: MIT */
/*
 * Speaks with the service manager: notifies it (sd_notify(3)), takes the descriptors
 * that it passes, and lets it keep rings of programs. Also makes and locks the
 * directory of a collector.
 *
 * The name of a kept descriptor has what a collector knows of its guest, and nothing else does:
 *
 *	ring.INODE.USER.PID.CGROUP
 *
 * It has at most 255 bytes, is of ASCII without a colon, and so the path is written as that of a
 * URL. A path that does not fit is left out. The inode makes the name one ring's.
 */
#include "service_rings.h"

#include <ctype.h>
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
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"

/* Writes to the service manager's socket. */

/* "@name" is in the abstract namespace. 0: the name is none, or too long. */
static socklen_t address_of(const char *name, struct sockaddr_un *address)
{
	const size_t length = strlen(name);

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if ((*name != '/' && *name != '@') || !name[1] ||
	    length >= sizeof(address->sun_path))
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

/*
 * Send lines, with a descriptor unless it is -1. 0, also without a manager; or -errno:
 * -EAGAIN when its queue is full.
 */
static int service_notify_with(const char *lines, int with)
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

void service_notify(const char *lines)
{
	service_notify_with(lines, -1);
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
	if (errno == EWOULDBLOCK)
		message("cannot record into %s: another collector does; give each a "
			"directory of its own", path);
	else
		message("cannot lock %s: its file system has no locks; use a directory "
			"of another one", path);
	close(fd);
	return -1;
}

#define FIRST 3 /* SD_LISTEN_FDS_START */
#define NAME_MOST 255

/* The descriptors that are left, and their names, which are separated by colons. */
static struct {
	int next, end;
	char *names, *at;
	int listener;
} given = { .listener = -1 };

/* Names */

static void add_escaped(struct bytes *name, const char *text)
{
	for (; *text; text++) {
		const unsigned char byte = (unsigned char)*text;

		bytes_addf(name, isgraph(byte) && byte < 0x80 && !strchr(":%", byte) ? "%c" : "%%%02x",
			   byte);
	}
}

static char *name_of(const struct door_guest *guest)
{
	struct bytes name = { 0 };
	size_t head;

	bytes_addf(&name, "ring.%llu.%u.%d.", (unsigned long long)guest->inode,
		   (unsigned)guest->user, (int)guest->pid);
	head = name.length;
	add_escaped(&name, guest->cgroup);
	if (name.length > NAME_MOST)
		name.length = head;
	bytes_add(&name, "", 1);
	return (char *)name.at;
}

/* The text is changed. */
static void unescape(char *text)
{
	char *to = text;
	unsigned byte;

	for (; *text; text++) {
		if (*text == '%' && sscanf(text + 1, "%2x", &byte) == 1 && byte) {
			*to++ = (char)byte;
			text += 2;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* 0 if it is no name of a ring. */
static int parse_name(char *name, unsigned *user, int *pid, const char **cgroup)
{
	int end = 0;

	if (sscanf(name, "ring.%*u.%u.%d.%n", user, pid, &end) != 2 || !end)
		return 0;
	unescape(name + end);
	*cgroup = name + end;
	return 1;
}

/* Taking */

static char *next_name(void)
{
	static char none[1];
	char *name = given.at;

	if (!name)
		return none;
	given.at = strchr(name, ':');
	if (given.at)
		*given.at++ = '\0';
	return name;
}

static int is_listener(int fd)
{
	int listens = 0, type = 0;
	socklen_t length = sizeof(listens);

	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) && listens &&
	       !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) && type == SOCK_SEQPACKET;
}

/* The socket comes before or after the rings. */
static void find_listener(void)
{
	for (int fd = FIRST; fd < given.end; fd++) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		if (given.listener < 0 && is_listener(fd))
			given.listener = fd;
	}
	if (given.listener >= 0)
		fcntl(given.listener, F_SETFL, O_NONBLOCK);
}

/* An administrator who forgot a setting would look for events that nobody reads. */
static void close_all(void)
{
	for (int fd = FIRST; fd < given.end; fd++)
		close(fd);
	message("what the service manager has passed is not used: without --socket, "
		"nothing is read from programs");
	given.next = given.end;
	given.listener = -1;
}

/* Not more than are open: then it is no manager's number, and they are not a manager's. */
static long count_of(const char *count, const char *pid)
{
	long found = 0, said = 0;

	if (count && pid && strtoll(pid, NULL, 10) == getpid())
		said = strtol(count, NULL, 10);
	while (found < said && fcntl(FIRST + (int)found, F_GETFD) >= 0)
		found++;
	if (found == said)
		return found;
	message("what the service manager has passed is not used: LISTEN_FDS is %s, and only %ld "
		"descriptors are open from %d on", count, found, FIRST);
	return 0;
}

void service_rings_begin(int is_with_socket)
{
	const char *count = getenv("LISTEN_FDS"), *pid = getenv("LISTEN_PID");
	const char *names = getenv("LISTEN_FDNAMES");
	const long passed = count_of(count, pid);

	if (passed <= 0)
		return;
	given.next = FIRST;
	given.end = FIRST + (int)passed;
	if (is_with_socket) {
		given.names = given.at = xstrdup(names ? names : "");
		find_listener();
	} else {
		close_all();
	}
	unsetenv("LISTEN_FDS"); /* they are not meant for processes that are started */
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDNAMES");
}

/* Programs that were told another path would find nobody. */
int service_listener(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t length = sizeof(address) - 1;

	if (given.listener >= 0 &&
	    !getsockname(given.listener, (struct sockaddr *)&address, &length) &&
	    strcmp(address.sun_path, path))
		message("the service manager listens on %s, and --socket is %s; programs "
			"need USEREVENTS_SOCKET=%s",
			address.sun_path, path, address.sun_path);
	return given.listener;
}

struct door_guest *service_kept(struct ring_door *door)
{
	struct door_guest *guest = NULL;

	while (given.next < given.end && !guest) {
		const int fd = given.next++;
		char *name = next_name();
		const char *cgroup;
		unsigned user;
		int pid;

		if (fd == given.listener)
			continue;
		if (!parse_name(name, &user, &pid, &cgroup)) {
			close(fd);
			continue;
		}
		guest = ring_door_adopt(door, fd, pid, user, cgroup);
		if (guest)
			guest->is_kept = 1;
	}
	if (given.next >= given.end) {
		free(given.names);
		given.names = given.at = NULL;
	}
	return guest;
}

/* Keeping */

/*
 * Names of rings that are to be forgotten, and were kept: no more than the manager has.
 */
static struct words forgotten;

/* 0 or -errno. */
static int tell(const char *verb, const char *name, int fd)
{
	AUTO_FREE char *lines = xprintf("%s=1\nFDNAME=%s", verb, name);

	return service_notify_with(lines, fd);
}

void service_keep(struct door_guest *guest)
{
	AUTO_FREE char *name = name_of(guest);

	guest->is_kept = !tell("FDSTORE", name, guest->ring);
}

/*
 * One that would be kept could be read again by the next collector, and be counted
 * twice.
 */
void service_forget(struct door_guest *guest)
{
	char *name;

	if (!guest->is_kept)
		return;
	name = name_of(guest);
	if (forgotten.count || tell("FDSTOREREMOVE", name, -1))
		words_add(&forgotten, name);
	else
		free(name);
	guest->is_kept = 0;
}

static void forget_again(void)
{
	size_t sent = 0;

	while (sent < forgotten.count &&
	       !tell("FDSTOREREMOVE", forgotten.items[sent], -1))
		free((void *)(uintptr_t)forgotten.items[sent++]);
	forgotten.count -= sent;
	memmove(forgotten.items, forgotten.items + sent,
		forgotten.count * sizeof(*forgotten.items));
}

int service_tell_again(struct door_guest *guests)
{
	int is_all = 1;

	if (forgotten.count)
		forget_again();
	for (; guests && is_all && !forgotten.count; guests = guests->next) {
		if (!guests->is_kept)
			service_keep(guests);
		is_all = guests->is_kept;
	}
	return is_all && !forgotten.count;
}
