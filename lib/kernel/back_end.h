/* SPDX-License-Identifier: MIT */
/*
 * A back end registers events and takes writes. There are four: the kernel of Linux
 * 6.4 and later (enable address), that of Linux 6.1 to 6.3 (status page), a ring, which is
 * shared memory, and a capture, which is a socket that leads to a ring. Everything that
 * differs between them is in their tables. Apart from write/write_ring.c, no other code
 * depends on which one it has.
 *
 * Functions return 0 or -errno unless they say otherwise, may change errno, and are
 * called under the library's lock.
 */
#ifndef UE__KERNEL_BACK_END_H
#define UE__KERNEL_BACK_END_H

#include <stdint.h>
#include <sys/types.h>

#include <userevents/loss.h>
#include <userevents/session.h>

#include "event_states.h"
#include "lineage.h"
#include "status_bits.h"

struct ue__bits;
struct ue__ring_writer;

/* A process keeps this for all sessions of a back end. */
struct ue__kernel {
	struct ue__lineage lineage;    /* enable_address_table.c */
	struct ue__status_bits status; /* status_page.c */
	struct ue__bits *bits;	       /* ring_session.c */
	/* The file at the well-known path, once a session had it, and its back end. */
	dev_t device;
	ino_t inode;
	const struct ue__back_end *back_end;
};

/* An open descriptor, and a back end's data about it. */
struct ue__channel {
	int fd;
	mode_t mode;
	int tracefs_error; /* 0 for a file of tracefs that can be written to */
	dev_t device; /* with inode: that fd is still the file that was opened */
	ino_t inode;
	struct ue__kernel *kernel;
	const char *directory; /* of user_events_data; from malloc() unless well known */
	struct ue__ring_writer *ring;  /* of a ring or capture; NULL for the kernel */
	/* The same, unless stacks are wanted, or there is an offer: writes then look for more. */
	struct ue__ring_writer *quick_ring;
	struct ue__bits *bits;	       /* and its enable bits */
	struct ue__offer *offer;       /* of a ring that seeks its reader (socket/offer_ring.h) */
};

/* Note a descriptor, and which file it is. */
int ue__channel_begin(struct ue__channel *channel, int fd);
/* Questions of all back ends, asked before probe(). */
void ue__channel_examine(struct ue__channel *channel);
/* The file alone: the number is that of another one now. */
int ue__channel_note_file(struct ue__channel *channel, int fd);
/* 0 if the descriptor was closed by another way than ue_close(), and perhaps reused. */
int ue__channel_is_open(const struct ue__channel *channel);

/* A registration as requested. */
struct ue__wanted {
	const char *definition; /* of struct ue__definition */
	uint32_t name_length;
	uint32_t flags; /* UE_EVENT_* */
	uint32_t *word;
};

/* The registration as the back end made it. */
struct ue__granted {
	uint32_t write_index;
	/* The word's new value: UE__WORD_ASK and more; 0: the kernel writes it. */
	uint32_t word;
	const uint8_t *status_byte; /* for UE__WORD_ASK */
};

struct ue__back_end {
	enum ue_abi abi;
	/* A name or word becomes free some milliseconds after its last user is gone. */
	unsigned forgets_late : 1;
	/* The library compares the fields of events that have one name. */
	unsigned ignores_names : 1;

	/* 1 if the descriptor belongs to this back end, 0 if not, or -errno. */
	int (*probe)(const struct ue__channel *channel);
	int (*attach)(struct ue__channel *channel);
	int (*register_event)(const struct ue__channel *channel,
			      const struct ue__wanted *wanted,
			      struct ue__granted *granted);
	/*
	 * Call a function that makes many requests, in the thread that requests are made in.
	 * NULL: that may be any.
	 */
	int (*call)(struct ue__kernel *kernel, int (*function)(void *), void *argument);
	/* Any descriptor of this back end will do. NULL: there is nothing to undo. */
	int (*unregister)(struct ue__kernel *kernel, int fd, uint32_t *word);
	/*
	 * Called in the child of a fork: 0 if all must be registered again, 1 if
	 * everything is as it was, or -errno if nothing is registered any more. NULL: 1.
	 * The program may have closed the descriptor. is_in_write: the fork may have
	 * interrupted a write.
	 */
	int (*again)(const struct ue__channel *channel, int is_in_write);
	/*
	 * There, too: the kernel's events, and which have a listener (event_states.h), or -errno
	 * if they are not to be had. NULL: that never helps.
	 */
	int (*look)(const struct ue__channel *channel, ue__tell *tell, void *context);
	/*
	 * There, too, of a session that is being closed: leave to the parent the work of
	 * attach(), before detach(). NULL: nothing to do.
	 */
	void (*disown)(const struct ue__channel *channel);
	int (*delete_event)(const struct ue__channel *channel, const char *name);
	/* 1, 0, or -errno if the back end cannot be asked. */
	int (*has_flag)(const struct ue__channel *channel, uint32_t flag);
	/* A write failed; also without the lock. NULL: nothing to do. */
	void (*lost)(const struct ue__channel *channel, enum ue_loss reason, int error);
	/* Undo attach(). NULL: nothing to do. */
	void (*detach)(struct ue__channel *channel);
};

/*
 * Called without a session and without the lock: is this descriptor a capture whose
 * reader wants to know which events programs have, registered or not? And report one;
 * waits for room.
 */
int ue__capture_wants_names(int fd);
int ue__capture_list(int fd, const char *definition, uint32_t length);

extern const struct ue__back_end ue__enable_address, ue__status_page, ue__capture,
	ue__ring_file;

/* Those that ue_open() probes, in this order; NULL ends them. */
extern const struct ue__back_end *const ue__all_back_ends[];

#endif
