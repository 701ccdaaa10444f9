/* SPDX-License-Identifier: MIT */
/*
 * Open and close a session.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <userevents/status.h>

#include "capture_session.h"
#include "errno_guard.h"
#include "event.h"
#include "file_text.h"
#include "kernel.h"
#include "sized_struct.h"
#include "session.h"
#include "tracefs_path.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ue__session *sessions;

void ue__lock(void)
{
	pthread_mutex_lock(&lock);
}

void ue__unlock(void)
{
	pthread_mutex_unlock(&lock);
}

struct ue__session *ue__session_find(int fd)
{
	struct ue__session *session = sessions;

	while (session && session->fd != fd)
		session = session->next;
	return session;
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
	if (opts->payload_max > UE_PAYLOAD_MAX_PERF)
		return -EINVAL;
	return 0;
}

/* Finding the file */

static int duplicate(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -errno : copy;
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

static int open_any(const struct ue_open_opts *opts)
{
	const char *text;

	if (opts->flags & UE_OPEN_FD)
		return opts->fd < 0 ? -EBADF : duplicate(opts->fd);
	if (opts->path)
		return ue__open_data(opts->path);
	if (!(opts->flags & UE_OPEN_NO_ENVIRONMENT)) {
		text = secure_getenv(UE_ENVIRONMENT_FD);
		if (text)
			return open_environment(text);
	}
	return ue__tracefs_open_data(UE__WELL_KNOWN_DATA, UE__MOUNTS);
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
 * Linux 5.18 to 6.0 gave every event a byte of the page, 6.1 gives it a bit, and
 * the requests are the same. The text tells: it ends with the number of events
 * that fit.
 */
static int is_byte_per_event(const char *path)
{
	struct ue_status status;
	struct ue_status_entry entry;
	size_t length;
	char *text = ue__file_text(path, &length);

	if (!text)
		return 0;
	ue_status_begin(&status, text, length);
	while (ue_status_next(&status, &entry))
		;
	free(text);
	return status.max && status.max == (uint32_t)sysconf(_SC_PAGESIZE);
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
	if (is_byte_per_event(path))
		return -EPROTONOSUPPORT;
	ue__lock();
	ue__status_page_map(path);
	ue__unlock();
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

static int start_capture(struct ue__session *session)
{
	int result;

	session->abi = UE_ABI_CAPTURE;
	ue__lock();
	result = ue__capture_attach(session->fd, &session->capture);
	ue__unlock();
	return result;
}

static int start(struct ue__session *session)
{
	struct stat file;
	int result;

	if (fstat(session->fd, &file))
		return -errno;
	session->device = file.st_dev;
	session->inode = file.st_ino;
	if (ue__capture_is_socket(session->fd))
		return start_capture(session);
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
	return ue__enable_address_anchor(session->fd);
}

/* Under the lock. */
static void release(struct ue__session *session)
{
	if (session->capture)
		ue__capture_detach(session->capture);
	free(session->directory);
	free(session);
}

static void discard(struct ue__session *session)
{
	close(session->fd);
	release(session);
}

/* Take the session out of the list; NULL when it is none. Under the lock. */
static struct ue__session *detach(int fd)
{
	struct ue__session **at = &sessions;
	struct ue__session *session;

	while (*at && (*at)->fd != fd)
		at = &(*at)->next;
	session = *at;
	if (session)
		*at = session->next;
	return session;
}

/*
 * A session of this number can only be one that was closed behind the library's back.
 * Its events must not be taken for the new one's; the new descriptor serves to
 * unregister them, as any would.
 */
static void evict(int fd)
{
	struct ue__session *stale = detach(fd);

	if (!stale)
		return;
	ue__events_close(stale, 1);
	release(stale);
}

int ue__word_is_used(const uint32_t *word)
{
	for (struct ue__session *s = sessions; s; s = s->next)
		for (struct ue_event *event = s->events; event; event = event->ue__next)
			if (event->word == word)
				return 1;
	return 0;
}

UE_API int ue_open(const struct ue_open_opts *opts)
{
	UE__KEEP_ERRNO;
	static const struct ue_open_opts defaults = { .size = sizeof(defaults) };
	struct ue__session *session;
	int result;

	if (!opts)
		opts = &defaults;
	result = check_opts(opts);
	if (result)
		return result;
	session = calloc(1, sizeof(*session));
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
	ue__lock();
	evict(session->fd);
	session->next = sessions;
	sessions = session;
	ue__unlock();
	return session->fd;
}

/* 0 when the descriptor was closed behind the library's back, and perhaps reused. */
static int is_still_open(const struct ue__session *session)
{
	struct stat file;

	return !fstat(session->fd, &file) && file.st_dev == session->device &&
	       file.st_ino == session->inode;
}

UE_API int ue_close(int fd)
{
	UE__KEEP_ERRNO;
	struct ue__session *session;
	int result, is_open;

	ue__lock();
	session = detach(fd);
	if (!session) {
		ue__unlock();
		return -EBADF;
	}
	is_open = is_still_open(session);
	result = ue__events_close(session, is_open);
	if (is_open)
		discard(session);
	else
		release(session);
	ue__unlock();
	return result;
}

UE_API int ue_abi(int fd)
{
	const struct ue__session *session;
	int result;

	ue__lock();
	session = ue__session_find(fd);
	result = session ? (int)session->abi : -EBADF;
	ue__unlock();
	return result;
}

UE_API int ue_payload_max(int fd)
{
	const struct ue__session *session;
	int result;

	ue__lock();
	session = ue__session_find(fd);
	result = session ? (int)session->payload_max : -EBADF;
	ue__unlock();
	return result;
}
