/* SPDX-License-Identifier: MIT */
/* What the library knows of an open session. */
#ifndef UE__SESSION_H
#define UE__SESSION_H

#include <stdint.h>
#include <sys/types.h>

#include <userevents/session.h>

struct ue__capture_page;

/*
 * One for each descriptor from ue_open(). Created, looked up and destroyed under
 * ue__lock(); writers never look at it: what they need is in the event.
 */
struct ue__session {
	int fd;
	dev_t device; /* with inode: that fd is still the file that was opened */
	ino_t inode;
	enum ue_abi abi;
	uint32_t payload_max;
	char *directory;	 /* of user_events_data; NULL when not known */
	struct ue__capture_page *capture; /* of UE_ABI_CAPTURE */
	struct ue_event *events; /* registered here, linked by ue__next */
	struct ue__session *next;
};

/* The lock protects the list of sessions and all registration, never a write. */
void ue__lock(void);
void ue__unlock(void);

/* The session of a descriptor, or NULL. Under the lock. */
struct ue__session *ue__session_find(int fd);

/* Does a registered event have this word? Under the lock. */
int ue__word_is_used(const uint32_t *word);

#endif
