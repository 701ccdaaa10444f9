/* SPDX-License-Identifier: MIT */
/*
 * Open a session.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <userevents/abi/ring_socket.h>
#include <userevents/ring.h>

#include "close.h"
#include "event.h"
#include "fork.h"
#include "kernel/tracefs_path.h"
#include "ring_file.h"
#include "socket/offer_ring.h"
#include "state/loss_page.h"
#include "state/session.h"
#include "util/errno_guard.h"
#include "util/sized_struct.h"

/* Options */

#define OPEN_FLAGS (UE_OPEN_FD | UE_OPEN_NO_ENVIRONMENT)
/* The size in 0.1. */
#define OPTS_SIZE_MIN UE__SIZE_UP_TO(struct ue_open_opts, spare)

static int check_opts(const struct ue_open_opts *opts)
{
	if (opts->size < OPTS_SIZE_MIN)
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

/* The size of a ring that is offered, unless UE_ENVIRONMENT_RING_SIZE says otherwise. */
#define OFFERED_BYTES (4u << 20)

/*
 * A write cannot notice that the program closed the session's descriptor by accident and
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

int ue__inherited_descriptor(void)
{
	const char *text = secure_getenv(UE_ENVIRONMENT_FD);
	char *end;
	long number;

	if (!text)
		return -ENOENT;
	errno = 0;
	number = strtol(text, &end, 10);
	if (end == text || *end || errno || number < 0 || number > INT32_MAX)
		return -EINVAL;
	return duplicate((int)number);
}

/* directory: set if it is known without asking. */
static int open_file(const char *path, const char **directory)
{
	int fd = ue__open_data(path ? path : UE__WELL_KNOWN_DATA);

	if (!path && fd >= 0)
		*directory = ue__well_known_directory;
	else if (!path)
		fd = ue__tracefs_open_data(UE__WELL_KNOWN_DATA, UE__MOUNTS);
	return fd < 0 ? fd : move_away(fd);
}

/* A variable of the environment; NULL if it is unset or empty. */
static const char *variable(const char *name)
{
	const char *text = secure_getenv(name);

	return text && *text ? text : NULL;
}

/* Bytes, "k" or "M"; 0 if it is no size. */
static uint64_t read_size(const char *text)
{
	uint64_t size = 0;

	for (; *text >= '0' && *text <= '9' && size <= UE_RING_OFFER_BYTES_MOST; text++)
		size = size * 10 + (uint64_t)(*text - '0');
	if (*text == 'k' || *text == 'K')
		size <<= 10;
	else if (*text == 'M')
		size <<= 20;
	if (*text && (text[1] || !strchr("kKM", *text)))
		return 0;
	return size;
}

/* The size of a ring that the environment asks for: the variable's, or that. */
static int choose_size(struct ue_ring_opts *opts, uint64_t bytes)
{
	const char *text = variable(UE_ENVIRONMENT_RING_SIZE);

	opts->bytes = text ? read_size(text) : bytes;
	if (opts->bytes < UE_RING_BYTES_LEAST || opts->bytes > UE_RING_OFFER_BYTES_MOST)
		return -EINVAL;
	return 0;
}

/* The ring that the environment names; it is created if it does not exist. */
static int open_ring_of_environment(void)
{
	struct ue_ring_opts opts = { .size = sizeof(opts), .flags = UE_RING_MAY_EXIST };
	const char *path = variable(UE_ENVIRONMENT_RING);
	int fd;

	if (!path)
		return -ENOENT;
	fd = choose_size(&opts, UE_RING_BYTES_DEFAULT);
	if (fd)
		return fd;
	fd = ue__ring_create_file(path, &opts);
	if (fd >= 0)
		return move_away(fd);
	/* There is no such directory. ENOENT would go on to the kernel's file. */
	return fd == -ENOENT ? -ENOTDIR : fd;
}

/* The file and facts about it. */
struct found {
	const char *directory; /* that of the well-known path; NULL: another one */
	struct ue__offer *offer; /* NULL: none */
};

/* Is there any of the library's variables? Each of them costs a search through all. */
static int has_environment(void)
{
	static const char begin[] = "USEREVENTS_";

	for (char **at = environ; at && *at; at++) {
		size_t same = 0;

		while (begin[same] && (*at)[same] == begin[same])
			same++;
		if (!begin[same])
			return 1;
	}
	return 0;
}

/* A ring for the collector that the environment names. */
static int open_ring_to_offer(struct ue__offer **offer)
{
	struct ue_ring_opts opts = { .size = sizeof(opts), .mode = UE_RING_DROP };
	const char *path = variable(UE_ENVIRONMENT_SOCKET);
	int result;

	if (!path)
		return -ENOENT;
	result = choose_size(&opts, OFFERED_BYTES);
	if (!result)
		result = ue__offer_make(path, offer);
	if (!result)
		result = ue__ring_create_file(NULL, &opts);
	return result < 0 ? result : move_away(result);
}

static int open_of_environment(struct ue__offer **offer)
{
	int fd = ue__inherited_descriptor();

	if (fd == -ENOENT)
		fd = open_ring_of_environment();
	return fd == -ENOENT ? open_ring_to_offer(offer) : fd;
}

static int open_any(const struct ue_open_opts *opts, uint32_t flags, struct found *found)
{
	int fd = -ENOENT;

	if (flags & UE_OPEN_FD)
		return opts->fd < 0 ? -EBADF : duplicate(opts->fd);
	if (!opts->path && !(flags & UE_OPEN_NO_ENVIRONMENT))
		fd = open_of_environment(&found->offer);
	return fd == -ENOENT ? open_file(opts->path, &found->directory) : fd;
}

/* Starting the session */

/*
 * The largest payload that both listeners deliver. A record in an ftrace buffer
 * must fit a page less its head (16), the event's head (8) and the common fields
 * (8): kernel/trace/ring_buffer.c, BUF_MAX_DATA_SIZE. Instances may have larger
 * sub-buffers (6.8), but each its own, and a larger event is dropped without an
 * error, so only the page is relied upon.
 */
static uint32_t default_payload_max(void)
{
	static long page_size;
	long ftrace;

	if (!page_size)
		page_size = sysconf(_SC_PAGESIZE);
	ftrace = page_size - 16 - 8 - 8;

	return ftrace < (long)UE_PAYLOAD_MAX_PERF ? (uint32_t)ftrace :
						    UE_PAYLOAD_MAX_PERF;
}

/*
 * Find the back end of a descriptor by asking each. A 32-bit process on a 64-bit kernel
 * finds none, as user_events has no compat entry (6.1 and 6.12); the patches of doc/kernel
 * add one.
 */
static int find_back_end(struct ue__session *session)
{
	const struct ue__back_end *const *at = ue__process.back_ends;
	int result = 0;

	ue__channel_examine(&session->channel);
	for (; *at && !result; at++) {
		session->back_end = *at;
		result = (*at)->probe(&session->channel);
	}
	if (result)
		return result < 0 ? result : 0;
	return sizeof(long) == 4 ? -EOPNOTSUPP : -ENOTTY;
}

/* An earlier session had the same file, so that it need not be examined again. */
static int is_known(struct ue__session *session)
{
	const struct ue__kernel *kernel = &ue__process.kernel;

	if (!session->channel.directory || !kernel->back_end ||
	    session->channel.device != kernel->device ||
	    session->channel.inode != kernel->inode)
		return 0;
	session->back_end = kernel->back_end;
	return 1;
}

static void note_known(const struct ue__session *session)
{
	struct ue__kernel *kernel = &ue__process.kernel;

	kernel->device = session->channel.device;
	kernel->inode = session->channel.inode;
	kernel->back_end = session->back_end;
}

static int start(struct ue__session *session, int fd)
{
	int result = ue__channel_begin(&session->channel, fd);

	if (!result && !is_known(session))
		result = find_back_end(session);
	if (result)
		return result;
	if (session->channel.directory)
		note_known(session);
	session->abi = session->back_end->abi;
	session->write_call = SYS_pwrite64;
	session->channel.kernel = &ue__process.kernel;
	result = session->back_end->attach(&session->channel);
	/* Only now, as its place in the ring is locked. */
	if (!result && session->channel.offer)
		result = ue__offer_ring(session->channel.offer, fd);
	return result;
}

/*
 * A session of this number can only be one whose descriptor was closed by another way than
 * ue_close(). Its events must not be taken for the new one's; the new descriptor serves to
 * unregister them, as any would.
 */
static void evict(int fd)
{
	struct ue__session *stale = ue__session_detach(fd);

	if (!stale)
		return;
	ue__events_close(stale);
	ue__session_forget_descriptor(stale);
	ue__retire(stale);
}

static int open_session_on(int fd, const struct ue_open_opts *opts, const struct found *found)
{
	/*
	 * glibc's calloc() takes none of the memory that was freed last, and costs more.
	 * gcc makes a calloc() of memset().
	 */
	struct ue__session *session = malloc(sizeof(*session));
	int result;

	if (!session) {
		free(found->offer);
		return -ENOMEM;
	}
	*session = (struct ue__session){
		.channel.directory = found->directory, .channel.offer = found->offer,
	};
	result = start(session, fd);
	if (result) {
		ue__session_free(session);
		return result;
	}
	session->payload_max = opts->payload_max ? opts->payload_max :
						   default_payload_max();
	evict(fd);
	ue__session_attach(session);
	return fd;
}

/* The lock is held, so that a fork in another thread finds all of it or nothing. */
static int open_session(const struct ue_open_opts *opts, uint32_t flags)
{
	struct found found = { NULL, NULL };
	int fd = open_any(opts, flags, &found), result;

	if (fd < 0) {
		free(found.offer);
		return fd;
	}
	result = open_session_on(fd, opts, &found);
	if (result < 0)
		close(fd);
	return result;
}

UE__PUBLIC int ue_open(const struct ue_open_opts *opts)
{
	UE__UNDISTURBED;
	static const struct ue_open_opts defaults = { .size = sizeof(defaults) };
	uint32_t flags;
	int result;

	if (!opts)
		opts = &defaults;
	result = check_opts(opts);
	if (!result)
		result = ue__watch_forks();
	if (result)
		return result;
	flags = opts->flags | (has_environment() ? 0 : UE_OPEN_NO_ENVIRONMENT);
	ue__lock();
	ue__close_retired();
	if (!(flags & UE_OPEN_NO_ENVIRONMENT))
		ue__loss_page_open();
	result = open_session(opts, flags);
	ue__unlock();
	return result;
}

static int is_kernels(struct ue__channel *channel)
{
	ue__channel_examine(channel);
	return ue__enable_address.probe(channel) > 0;
}

/*
 * Mostly there is one thread now, from which all others will descend. A failure here is
 * no loss: ue_open() tries again, and reports it.
 */
static __attribute__((constructor(101))) void at_load(void)
{
	UE__KEEP_ERRNO;
	struct ue__channel channel = { 0 };
	int fd;

	ue__process.kernel.lineage.can_be_unloaded = !ue__stay_loaded();
	ue__watch_forks_at_load();
	if (ue__lineage_is_too_late())
		return;
	fd = ue__inherited_descriptor();
	if (fd == -ENOENT)
		fd = ue__open_data(UE__WELL_KNOWN_DATA);
	if (fd < 0)
		return;
	if (!ue__channel_begin(&channel, fd) && is_kernels(&channel)) {
		ue__lock();
		ue__lineage_begin(&ue__process.kernel.lineage, fd);
		ue__unlock();
	}
	close(fd);
}

/* Both count as writers, so that they neither wait nor make a system call. */

UE__PUBLIC int ue_abi(int fd)
{
	uint32_t *entered = ue__enter(&fd);
	const struct ue__session *session = ue__session_of_writer(fd);
	int result = session ? (int)session->abi : -EBADF;

	ue__leave(entered);
	return result;
}

UE__PUBLIC int ue_payload_max(int fd)
{
	uint32_t *entered = ue__enter(&fd);
	const struct ue__session *session = ue__session_of_writer(fd);
	int result = session ? (int)session->payload_max : -EBADF;

	ue__leave(entered);
	return result;
}
