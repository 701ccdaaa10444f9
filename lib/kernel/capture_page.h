/* SPDX-License-Identifier: MIT */
/*
 * Capture: a packet socket in the place of user_events_data.
 *
 * Writing is the same write(2), of a write index and the payload. What the kernel does
 * beside it is done by a page of shared memory:
 *
 *	the reader's end	waits in the socket as the first packet, with the page's
 *				descriptor; each session peeks at it and leaves it there
 *	next_index		gives each registration an index of its own, whichever
 *				process, thread or session it comes from, and so tells
 *				them apart in one stream of packets
 *	bits			one for each event, as the status page of Linux 6.1 has
 *				them: the word of a registered event says "ask", and the
 *				cold code looks at the bit. The reader sets it in any
 *				process, at any time
 *	rules			say what the bit of an event is when it is registered, as
 *				that does not wait for the reader: "+GLOB\n" and
 *				"-GLOB\n", of which the last that matches counts
 *
 * A registration travels as a packet, before any write of its event. When a program is
 * loaded, it sends the names of the events that its macros define, if the reader wants to
 * report those that are never registered. A fork shares
 * everything, a program that was executed finds the same socket and registers anew.
 * The page is sealed against shrinking. Neither side trusts what the other may have
 * written there: lengths and indexes are checked, and the reader has its own rules.
 */
#ifndef UE__KERNEL_CAPTURE_PAGE_H
#define UE__KERNEL_CAPTURE_PAGE_H

#include <stdint.h>

#define UE__CAPTURE_MAGIC 0x70614355u
#define UE__CAPTURE_VERSION 2u

/* Registrations in the life of a capture. Memory is used for those that happen. */
#define UE__CAPTURE_EVENTS (1u << 20)
#define UE__CAPTURE_RULES 8128u

struct ue__capture_page {
	uint32_t magic;
	uint32_t version;
	uint32_t next_index;
	uint32_t rules_turn;   /* odd while the rules are being changed */
	uint32_t rules_length; /* in bytes */
	uint32_t wants_names;  /* of the events that a program has, when it is loaded */
	uint32_t spare[2];
	uint32_t lost[8]; /* writes of any process, by enum ue_loss */
	char rules[UE__CAPTURE_RULES];
	uint8_t bits[UE__CAPTURE_EVENTS / 8];
};

/* The index of a packet that is no event: no registration has it. */
#define UE__CAPTURE_CONTROL 0xffffffffu

enum ue__capture_kind {
	UE__CAPTURE_REGISTER = 1,
	UE__CAPTURE_LIST = 2, /* definition is the name alone */
};

struct ue__capture_packet {
	uint32_t control; /* UE__CAPTURE_CONTROL */
	uint32_t kind;	  /* enum ue__capture_kind */
	uint32_t index;
	uint32_t flags; /* UE_EVENT_* */
	char definition[512]; /* as much as there is, with its NUL */
};

void ue__capture_set_bit(struct ue__capture_page *page, uint32_t index, int is_set);
/* Disable the events of every process: the reader is gone, and there will be no other. */
void ue__capture_disable_all(struct ue__capture_page *page);

#endif
