/* SPDX-License-Identifier: MIT */
/*
 * Open a session, and look it up.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "kernel/capture_session.h"
#include "close.h"
#include "util/errno_guard.h"
#include "event.h"
#include "fork.h"
#include "kernel/kernel.h"
#include "lineage.h"
#include "util/sized_struct.h"
#include "state/session.h"
#include "kernel/tracefs_path.h"

struct ue__session *ue__sessions(void)
{
	return ue__first_session;
}

struct ue__session *ue__session_find(int fd)
{
	struct ue__session *session = ue__first_session;

	while (session && session->fd != fd)
		session = session->next;
	return session;
}

struct ue__session *ue__session_of_writer(int fd)
{
	struct ue__session *session = __atomic_load_n(&ue__first_session, __ATOMIC_SEQ_CST);

	while (session && session->fd != fd)
		session = __atomic_load_n(&session->next, __ATOMIC_SEQ_CST);
	return session;
}

struct ue__session *ue__session_detach(int fd)
{
	struct ue__session **at = &ue__first_session;
	struct ue__session *session;

	while (*at && (*at)->fd != fd)
		at = &(*at)->next;
	session = *at;
	if (session)
		__atomic_store_n(at, session->next, __ATOMIC_SEQ_CST);
	return session;
}

static void attach(struct ue__session *session)
{
	session->next = ue__first_session;
	__atomic_store_n(&ue__first_session, session, __ATOMIC_SEQ_CST);
}

int ue__session_is_open(const struct ue__session *session)
{
	struct stat file;

	if (fstat(session->fd, &file))
		return errno != EBADF;
	return file.st_dev == session->device && file.st_ino == session->inode;
}

static int open_again(const struct ue__session *session)
{
	char path[4096];
	int fd;

	if (!session->directory)
		return -EBADF;
	snprintf(path, sizeof(path), "%s/" UE__DATA_FILE, session->directory);
	fd = ue__open_data(path);
	return fd < 0 ? -EBADF : fd;
}

struct ue__borrowed ue__session_borrow(const struct ue__session *session)
{
	int fd;

	if (ue__session_is_open(session))
		return (struct ue__borrowed){ session->fd, 0 };
	for (const struct ue__session *one = ue__first_session; one; one = one->next)
		if (one->abi == session->abi && ue__session_is_open(one))
			return (struct ue__borrowed){ one->fd, 0 };
	fd = open_again(session);
	return (struct ue__borrowed){ fd, fd >= 0 };
}

void ue__session_put_back(struct ue__borrowed borrowed)
{
	if (borrowed.is_own)
		close(borrowed.fd);
}

/* Options */

#define OPEN_FLAGS (UE_OPEN_FD | UE_OPEN_NO_ENVIRONMENT)
#define OPTS_SIZE_0_1 sizeof(struct ue_open_opts)

static int check_opts(const struct ue_open_opts *opts)
{
	if (opts->size < OPTS_SIZE_0_1)
		return -EINVAL;
	if (ue__has_tail(opts, sizeof(*opts), opts->size))
		return -E2BIG;
	if (opts->flags & ~OPEN_FLAGS || opts->spare)
		return -EINVAL;
	if (opts->flags & UE_OPEN_FD && opts->path)
		return -EINVAL;
	if (opts->payload_max && (opts->payload_max < UE_PAYLOAD_MAX_LEAST ||
				  opts->payload_max > UE_PAYLOAD_MAX_PERF))
		return -EINVAL;
	return 0;
}

/* Finding the file */

/*
 * A write cannot tell when the program closed the session's descriptor by accident and
 * opened another file under its number. Daemons close all descriptors and put others in
 * the place of the standard streams. So the number is one that files rarely get, and
 * never a standard stream's.
 */
static int duplicate(int fd)
{
	static const int lowest[] = { 200, 64, STDERR_FILENO + 1 };
	int copy = -1;

	for (unsigned i = 0; copy < 0 && i < sizeof(lowest) / sizeof(lowest[0]); i++)
		copy = fcntl(fd, F_DUPFD_CLOEXEC, lowest[i]);
	if (copy >= 0)
		return copy;
	/* EINVAL means that RLIMIT_NOFILE is lower still. */
	return errno == EINVAL ? -EMFILE : -errno;
}

static int move_away(int fd)
{
	int moved = duplicate(fd);

	if (moved < 0 && fd > STDERR_FILENO)
		return fd;
	close(fd);
	return moved;
}

static int open_environment(const char *text)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (end == text || *end || errno || number < 0 || number > INT32_MAX)
		return -EINVAL;
	return duplicate((int)number);
}

static int open_file(const char *path)
{
	return path ? ue__open_data(path) :
		      ue__tracefs_open_data(UE__WELL_KNOWN_DATA, UE__MOUNTS);
}

static int open_any(const struct ue_open_opts *opts)
{
	const char *text = NULL;
	int fd;

	if (opts->flags & UE_OPEN_FD)
		return opts->fd < 0 ? -EBADF : duplicate(opts->fd);
	if (!opts->path && !(opts->flags & UE_OPEN_NO_ENVIRONMENT))
		text = secure_getenv(UE_ENVIRONMENT_FD);
	if (text)
		return open_environment(text);
	fd = open_file(opts->path);
	return fd < 0 ? fd : move_away(fd);
}

/* What was found */

/* The file system first: an ioctl must not reach a file that is not tracefs. */
static int check_file(int fd)
{
	struct statfs fs;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fstatfs(fd, &fs))
		return -errno;
	if (fs.f_type != TRACEFS_MAGIC)
		return -ENOTTY;
	if (flags & O_PATH || (flags & O_ACCMODE) == O_RDONLY)
		return -EACCES;
	return 0;
}

/*
 * Which generation, by asking. Neither question is known to a 32-bit process on a
 * 64-bit kernel, whose user_events has no compat entry (6.1 and 6.12).
 */
static int ask_abi(int fd)
{
	int answer = ue__enable_address_probe(fd);

	if (answer)
		return answer < 0 ? answer : UE_ABI_ENABLE_ADDRESS;
	if (ue__status_page_probe(fd))
		return UE_ABI_STATUS_PAGE;
	return sizeof(long) == 4 ? -EOPNOTSUPP : -ENOTTY;
}

/* The directory of the open file, through /proc; NULL when that is not to be had. */
static char *directory_of(int fd)
{
	char link[64], path[4096];
	ssize_t length;
	char *slash;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0 || path[0] != '/')
		return NULL;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (strcmp(slash + 1, UE__DATA_FILE))
		return NULL;
	*slash = '\0';
	return strdup(path);
}

/*
 * Without the page (a descriptor from a process with more rights) the kernel's
 * answer to a write has to do: every registered event counts as listened to.
 */
static int use_status_page(const char *directory)
{
	char path[4096];

	if (!directory)
		return 0;
	snprintf(path, sizeof(path), "%s/" UE__STATUS_FILE, directory);
	ue__status_page_map(path);
	return 0;
}

/* Make a session of it */

/*
 * The largest payload that both listeners deliver. A record in an ftrace buffer
 * must fit a page less its head (16), the event's head (8) and the common fields
 * (8): kernel/trace/ring_buffer.c, BUF_MAX_DATA_SIZE. Instances may have larger
 * sub-buffers (6.8), but each its own, and what does not fit is dropped without
 * an error, so only the page is relied upon.
 */
static uint32_t default_payload_max(void)
{
	long ftrace = sysconf(_SC_PAGESIZE) - 16 - 8 - 8;

	return ftrace < (long)UE_PAYLOAD_MAX_PERF ? (uint32_t)ftrace :
						    UE_PAYLOAD_MAX_PERF;
}

static int start(struct ue__session *session)
{
	struct stat file;
	int result;

	if (fstat(session->fd, &file))
		return -errno;
	session->device = file.st_dev;
	session->inode = file.st_ino;
	if (S_ISSOCK(file.st_mode)) {
		session->abi = UE_ABI_CAPTURE;
		return ue__capture_attach(session->fd, &session->capture);
	}
	result = check_file(session->fd);
	if (result)
		return result;
	result = ask_abi(session->fd);
	if (result < 0)
		return result;
	session->abi = (enum ue_abi)result;
	session->directory = directory_of(session->fd);
	if (session->abi == UE_ABI_STATUS_PAGE)
		return use_status_page(session->directory);
	return ue__lineage_begin(session->fd);
}

void ue__session_free(struct ue__session *session)
{
	if (session->capture)
		ue__capture_detach(session->capture);
	free(session->directory);
	free(session);
}

static void discard(struct ue__session *session)
{
	close(session->fd);
	ue__session_free(session);
}

/*
 * A session of this number can only be one that was closed behind the library's back.
 * Its events must not be taken for the new one's; the new descriptor serves to
 * unregister them, as any would.
 */
static void evict(int fd)
{
	struct ue__session *stale = ue__session_detach(fd);

	if (!stale)
		return;
	ue__events_close(stale);
	stale->fd = -1;
	ue__retire(stale);
}

/* Under the lock, so that a fork in another thread finds all of it or nothing. */
static int open_session(const struct ue_open_opts *opts)
{
	struct ue__session *session = calloc(1, sizeof(*session));
	int result;

	if (!session)
		return -ENOMEM;
	session->fd = open_any(opts);
	if (session->fd < 0) {
		result = session->fd;
		free(session);
		return result;
	}
	result = start(session);
	if (result) {
		discard(session);
		return result;
	}
	session->payload_max = opts->payload_max ? opts->payload_max :
						   default_payload_max();
	evict(session->fd);
	attach(session);
	return session->fd;
}

UE__PUBLIC int ue_open(const struct ue_open_opts *opts)
{
	UE__UNDISTURBED;
	static const struct ue_open_opts defaults = { .size = sizeof(defaults) };
	int result;

	if (!opts)
		opts = &defaults;
	result = check_opts(opts);
	if (!result)
		result = ue__watch_forks();
	if (result)
		return result;
	ue__lock();
	ue__close_retired();
	result = open_session(opts);
	ue__unlock();
	return result;
}

/*
 * Mostly there is one thread now, from which all others will descend. What fails here is
 * tried again by ue_open(), which says so.
 */
static __attribute__((constructor(101))) void at_load(void)
{
	UE__KEEP_ERRNO;
	const char *inherited = secure_getenv(UE_ENVIRONMENT_FD);
	int fd;

	ue__watch_forks();
	if (ue__lineage_is_too_late())
		return;
	fd = inherited ? open_environment(inherited) :
			  ue__open_data(UE__WELL_KNOWN_DATA);
	if (fd < 0)
		return;
	if (!check_file(fd) && ue__enable_address_probe(fd) > 0) {
		ue__lock();
		ue__lineage_begin(fd);
		ue__unlock();
	}
	close(fd);
}

UE__PUBLIC int ue_abi(int fd)
{
	const struct ue__session *session;
	int result;

	ue__lock();
	session = ue__session_find(fd);
	result = session ? (int)session->abi : -EBADF;
	ue__unlock();
	return result;
}

UE__PUBLIC int ue_payload_max(int fd)
{
	const struct ue__session *session;
	int result;

	ue__lock();
	session = ue__session_find(fd);
	result = session ? (int)session->payload_max : -EBADF;
	ue__unlock();
	return result;
}
