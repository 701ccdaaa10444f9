/* SPDX-License-Identifier: MIT */
/*
 * The library's sessions, events and loss counts, as tools such as "userevents losses"
 * read them in the memory of a running process. A program calls the functions of loss.h
 * instead.
 *
 * Each copy of the library, the one in libuserevents.so or one linked into a program or
 * plugin, has an ELF note (PT_NOTE), which is in memory wherever the copy is:
 *
 *	name	"userevents"
 *	type	UE_NOTE_TYPE: the version of the structs below
 *	desc	the distance from here to a struct ue_noted_library, in pointer size
 *
 * Sessions are linked, and the events of each session. The process keeps running while it
 * is read, so members that point back show whether a struct is still in its list:
 *
 *	library->self		its own address; another value in a file that is mapped but
 *				not loaded
 *	session->library	the address of its library, or NULL if it was closed
 *	event->session		the address of its session, or NULL if unregistered
 *
 * The memory of an event is never freed: it becomes another event. A reader must not
 * trust any value: the process may be damaged, or hostile.
 *
 * A process that has ended cannot be read. So a tool that starts a program may give it a
 * memfd with a struct ue_loss_page, sealed against shrinking (F_SEAL_SHRINK), and the
 * number of its descriptor in UE_ENVIRONMENT_LOSSES. The library maps it at ue_open(),
 * and adds what sessions of the kernel's file lose; so do processes that the program
 * starts.
 *
 * Everything is since 0.1.
 */
#ifndef USEREVENTS_ABI_PROCESS_NOTE_H
#define USEREVENTS_ABI_PROCESS_NOTE_H

#include <stdint.h>

#include <userevents/loss.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UE_NOTE_NAME "userevents"
#define UE_ENVIRONMENT_LOSSES "USEREVENTS_LOSSES_FD"

enum ue_note {
	UE_NOTE_TYPE = 1,
	UE_LOSS_PAGE_MARK = 0x65766c73,
	UE_LOSS_PAGE_SIZE = 4096, /* the least size of the file */
};

struct ue_loss_page {
	uint32_t mark;	  /* UE_LOSS_PAGE_MARK */
	uint32_t reasons; /* how many counts follow */
	uint32_t lost[UE_LOSS_REASONS];
};

struct ue_noted_event {
	const struct ue_noted_event *next; /* NULL ends the list */
	const struct ue_noted_session *session;
	const char *definition;
	uint32_t name_length; /* of the definition's first word */
	uint32_t flags;	      /* UE_EVENT_* */
	const uint32_t *word;
	uint32_t lost[UE_LOSS_REASONS];
};

struct ue_noted_session {
	const struct ue_noted_session *next; /* NULL ends the list */
	const struct ue_noted_library *library;
	const struct ue_noted_event *events;
	uint32_t lost[UE_LOSS_REASONS];
	uint32_t abi; /* enum ue_abi */
	int32_t fd;
};

struct ue_noted_library {
	const struct ue_noted_library *self;
	const struct ue_noted_session *sessions;
};

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
