/* SPDX-License-Identifier: MIT */
/*
 * What of the library can be read in the memory of another process: its sessions, their
 * events and the losses of both. For tools such as "userevents losses"; a program asks
 * the library itself (loss.h).
 *
 * Each copy of the library, the one in libuserevents.so or one linked into a program or
 * plugin, has an ELF note (PT_NOTE), which is in memory wherever the copy is:
 *
 *	name	"userevents"
 *	type	UE_OVERVIEW_NOTE
 *	desc	two addresses, as large as pointers are there, each relative to where it
 *		stands: of a struct ue_overview, and of the pointer to the first session
 *
 * Sessions are linked, and the registrations of each. The struct says where in them what
 * is to be found, so that tool and program need not be of one version.
 *
 * Nothing is to be trusted: lists change while they are read, an event's struct may be
 * gone (then its word or its binding are not those of the registration), and a process
 * may have been made to deceive.
 */
#ifndef USEREVENTS_ABI_PROCESS_NOTE_H
#define USEREVENTS_ABI_PROCESS_NOTE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UE_OVERVIEW_NAME "userevents"
#define UE_OVERVIEW_NOTE 1u
#define UE_OVERVIEW_VERSION 1u

/*
 * Where to find what, in bytes. Another version means something else; what is added to
 * this one stands behind the rest. Since 0.1.
 */
struct ue_overview {
	uint32_t version;      /* UE_OVERVIEW_VERSION */
	uint32_t size;	       /* of this struct */
	uint32_t pointer_size; /* of the process */
	uint32_t loss_reasons; /* counts, uint32_t each: enum ue_loss */
	/* Of a session. */
	uint32_t session_size;
	uint32_t session_next;		/* pointer to another; NULL ends the list */
	uint32_t session_fd;		/* int */
	uint32_t session_abi;		/* enum ue_abi */
	uint32_t session_registrations; /* pointer to the first */
	uint32_t session_lost;		/* loss_reasons counts */
	/* Of a registration. */
	uint32_t registration_size;
	uint32_t registration_next;    /* pointer to another; NULL ends the list */
	uint32_t registration_event;   /* pointer to the event */
	uint32_t registration_word;    /* pointer, that of the event */
	uint32_t registration_binding; /* uint64_t, that of the event */
	/* Of an event: struct ue_event. */
	uint32_t event_size;
	uint32_t event_definition;  /* pointer to its text */
	uint32_t event_word;	    /* pointer to its word */
	uint32_t event_status_byte; /* pointer to a byte, for UE_WORD_ASK */
	uint32_t event_binding;	    /* uint64_t */
	uint32_t event_lost;	    /* loss_reasons counts */
};

#ifdef __cplusplus
}
#endif

#endif
