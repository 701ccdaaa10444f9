/* SPDX-License-Identifier: MIT */
/*
 * Keep the list of open sessions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel/tracefs_path.h"
#include "session.h"

struct ue__session *ue__session_find(int fd)
{
	struct ue__session *session = ue__process.sessions;

	while (session && session->channel.fd != fd)
		session = session->next;
	return session;
}

struct ue__session *ue__session_walk(int fd)
{
	struct ue__session *session =
		__atomic_load_n(&ue__process.sessions, __ATOMIC_SEQ_CST);

	while (session && session->channel.fd != fd)
		session = __atomic_load_n(&session->next, __ATOMIC_SEQ_CST);
	return session;
}

struct ue__session *ue__indexed_sessions[UE__INDEXED];

/*
 * If two have one number, the program has closed the older one, which comes later in the
 * list.
 */
static void renew_index(int fd)
{
	if ((unsigned)fd < UE__INDEXED)
		__atomic_store_n(&ue__indexed_sessions[fd], ue__session_find(fd),
				 __ATOMIC_SEQ_CST);
}

void ue__session_attach(struct ue__session *session)
{
	session->process = &ue__process;
	session->next = ue__process.sessions;
	__atomic_store_n(&ue__process.sessions, session, __ATOMIC_SEQ_CST);
	renew_index(session->channel.fd);
}

struct ue__session *ue__session_detach(int fd)
{
	struct ue__session **at = &ue__process.sessions;
	struct ue__session *session;

	while (*at && (*at)->channel.fd != fd)
		at = &(*at)->next;
	session = *at;
	if (session) {
		__atomic_store_n(at, session->next, __ATOMIC_SEQ_CST);
		__atomic_store_n(&session->process, NULL, __ATOMIC_RELAXED);
		renew_index(fd);
	}
	return session;
}

int ue__session_is_open(const struct ue__session *session)
{
	return !__atomic_load_n(&session->has_no_descriptor, __ATOMIC_RELAXED) &&
	       ue__channel_is_open(&session->channel);
}

int ue__session_call(const struct ue__session *session, int (*function)(void *),
		     void *argument)
{
	if (!session || !session->back_end->call)
		return function(argument);
	return session->back_end->call(session->channel.kernel, function, argument);
}

void ue__session_free(struct ue__session *session)
{
	if (session->channel.ring)
		session->back_end->detach(&session->channel);
	if (session->channel.directory != ue__well_known_directory)
		free((char *)session->channel.directory);
	free(session->channel.offer);
	free(session);
}

static int open_again(const struct ue__session *session)
{
	char path[4096];

	if (!session->channel.directory)
		return -1;
	snprintf(path, sizeof(path), "%s/" UE__DATA_FILE, session->channel.directory);
	return ue__open_data(path);
}

struct ue__borrowed ue__session_borrow(const struct ue__session *session)
{
	int fd;

	if (!session->back_end->unregister)
		return (struct ue__borrowed){ -1, 0 };
	if (ue__session_is_open(session))
		return (struct ue__borrowed){ session->channel.fd, 0 };
	for (const struct ue__session *one = ue__process.sessions; one; one = one->next)
		if (one->back_end == session->back_end && ue__session_is_open(one))
			return (struct ue__borrowed){ one->channel.fd, 0 };
	fd = open_again(session);
	return (struct ue__borrowed){ fd < 0 ? -1 : fd, fd >= 0 };
}

void ue__session_put_back(struct ue__borrowed borrowed)
{
	if (borrowed.is_own)
		close(borrowed.fd);
}
