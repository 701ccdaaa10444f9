/* SPDX-License-Identifier: MIT */
/*
 * Finds tracefs, and reads its files: lists of events, their formats, whether they can
 * be enabled safely, their fields as the kernel knows them, and the features of the
 * kernel.
 */
#ifndef UE__TOOLS_KERNEL_TRACEFS_TRACING_FILES_H
#define UE__TOOLS_KERNEL_TRACEFS_TRACING_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <userevents/event.h>
#include <userevents/session.h>

#include "common/cli/options.h"
#include "common/records/tracepoint.h"

/*
 * Tracepoints of this machine that match globs. tracefs does not report new ones, so
 * commands that wait for them look again and again.
 */

#define SYSTEM "user_events"
/* ... of events with UE_EVENT_MULTI_FORMAT, whose names end with ".7f" there. */
#define SYSTEM_MULTI "user_events_multi"

struct listed_event {
	char *system;
	char *name;
	char *format; /* the text of its format file */
	size_t format_length;
	uint32_t id;
	int is_there; /* at the last look */
	int is_done;  /* take() took it, or is not called for it again */
	int refusals;
};

struct event_list {
	const char *directory;	   /* of tracefs */
	const struct words *globs; /* none: all user events */
	struct listed_event *events;
	size_t count;
	size_t known; /* of them: before this look */
	size_t hint;  /* the place of the event that was found last */
	struct words unmatched;	   /* the caller sets it to the globs */
	size_t left_out; /* events that take() refused, or that must not be enabled */
	int is_later;	 /* not the first look */
	int is_cut; /* this one, for want of descriptors or memory: what it missed may exist */
	int has_tracepoints_only; /* PROVIDER:EVENT takes no EventHeader tracepoints */
	int has_user_events_only; /* of other systems none, and none for PROVIDER:EVENT */
	/*
	 * A glob that no tracepoint's name matches may name EventHeader events: take all
	 * tracepoints that may have such events. The caller filters the events.
	 */
	int takes_events;
};

/*
 * Look, and call take, unless it is NULL, for each new event. take enables it, so it is
 * not called for one that has a format_fault(). take returns 0; or an errno, and is
 * called again at the next looks, as the event may have just gone; or less than 0,
 * which ends the look. Returns that, or -1 after a message. A later look that lacks
 * descriptors or memory does not fail; the next one finds missed ones.
 */
int event_list_look(struct event_list *list,
		    int (*take)(void *context, const struct listed_event *event),
		    void *context);
void event_list_free(struct event_list *list);

/* The option of every command that reads tracefs. */
#define TRACEFS_OPTION(variable)                                                    \
	{ .name = "tracefs", .text = &(variable), .value = "DIR", .is_path = 1,     \
	  .help = "Use this directory instead of the mounted tracefs." }

/*
 * Find tracefs in a table of mounts: the first mount, with /sys/kernel/tracing before
 * others. Both texts begin as NULL, and stay so if there is none. 0, or -errno if the
 * table cannot be read.
 */
int tracing_mount(const char *mounts, char **directory, char **options);

/*
 * The directory of tracefs: the one given, or that of tracing_mount(). NULL after a
 * message.
 */
const char *tracing_find(const char *given);

/*
 * Whether the symbols of this kernel show that it has no user_events; if so, after a
 * message. Other advice, such as to mount tracefs, would not help. directory: of tracefs,
 * or NULL if none is mounted.
 */
int tracing_lacks_user_events(const char *directory);

/* DIR/NAME, to be freed. */
char *tracing_path(const char *directory, const char *name);

/* read_file(), with a message after a failure. */
char *tracing_read(const char *path, size_t *length);

/* The session of commands that register, write or delete. */

/* Options for ue_open(): DIR/user_events_data, or the usual when directory is NULL. */
struct ue_open_opts session_opts(const char *directory);

/* A descriptor, or -1 after a message. */
int session_open(const char *directory);

/* Register an event until the session closes; NULL after a message. */
struct ue_event *session_register(int fd, const char *definition, uint32_t flags);

/*
 * User events that must not be enabled: those whose fields are larger than any record. The
 * kernel adds sizes without a check, up to Linux 6.12 at least, and while such an event is
 * enabled, a write of it makes the kernel read beyond the record, and panic. So do not
 * help a program to that which may write events, but is not root.
 */

/* Why a user event must not be enabled, to be freed; NULL: it may be. */
char *format_fault(const struct listed_event *event);

/* 0, or -1 after a message. */
int event_check_trust(const struct listed_event *event);

/* The same of a user event by its name. */
int event_check_trust_of(const char *directory, const char *name);

/* The same of an event that was not named, but matched: it is left out. */
int event_leave_out_untrusted(const struct listed_event *event);

/* The user events that exist, and their descriptions. */

/* Called for each event. Returns 0, or another value, which events_each() returns. */
typedef int events_visit(const struct tracepoint *tracepoint, void *context);

/*
 * Visit the user events whose names match, in the order of systems and names. Returns 0,
 * the result of visit(), or -1 after a message.
 */
int events_each(const char *directory, const struct words *globs, events_visit *visit,
		void *context);

/* One event, to be freed; NULL with errno. */
struct tracepoint *event_open(const char *directory, const char *system,
			      const char *name);

/* The length of the name that the event was registered with, without ".7f". */
size_t event_name_length(const struct tracepoint *tracepoint);

/* The text with which it was registered, to be freed. */
char *event_definition(const struct tracepoint *tracepoint);

/* Report that there is no event at all. */
void events_report_none(void);

/* The listeners in user_events_status, UE_USER_*; -1 if that cannot be read. */
int event_listeners(const char *directory, const struct tracepoint *tracepoint);

/* Events that the kernel makes of other events: event probes, "e:" in dynamic_events. */

/*
 * Whether an event is one. perf opens them like others, but the kernel writes their events
 * into tracefs alone. directory: of tracefs.
 */
int event_is_event_probe(const char *directory, const struct listed_event *event);

/* The one table of what this kernel's tracing has, behind all commands and "doctor". */

enum tracing_feature {
	TRACING_KPROBES,
	TRACING_UPROBES,
	TRACING_EVENT_PROBES,
	TRACING_FPROBES,
	TRACING_TRACEPOINT_PROBES,
	TRACING_HISTOGRAMS,
	TRACING_SYNTHETIC_EVENTS,
	TRACING_SNAPSHOTS,
	TRACING_FEATURES,
};

/* "kernel probes" */
const char *tracing_feature_name(enum tracing_feature feature);
/* "it was built without CONFIG_HIST_TRIGGERS; ...", the advice. */
const char *tracing_feature_why(enum tracing_feature feature);
/* "this kernel has no histograms: it was built ..." */
const char *tracing_feature_lack(enum tracing_feature feature);
/*
 * 1; 0 if tracefs shows that the kernel lacks it; -1 if that cannot be told, as its files may
 * not be read, or do not say.
 */
int tracing_has(const char *tracefs, enum tracing_feature feature);
/* Whether it lacks it; if so, after the message "cannot VERB: this kernel has no ...". */
int tracing_lacks(const char *tracefs, enum tracing_feature feature, const char *verb);

/*
 * Fields of events as the kernel knows them, for its filters, histograms and event
 * probes: which are numbers, which have a sign, and which are texts. The words of the
 * type decide, and not always as for the program that writes the event:
 *
 *	char name[16]		text, also if it is unsigned (is_bytes)
 *	__data_loc char[]	text elsewhere in the record, as is __rel_loc
 *	char *			the address of a text
 *	u8 mac[4], struct x	a number, if it has the size of one (is_number)
 */

enum kernel_field_kind {
	KERNEL_NUMBER,
	KERNEL_TEXT_HERE,    /* an array of char */
	KERNEL_TEXT_DYNAMIC, /* __data_loc, __rel_loc */
	KERNEL_TEXT_POINTER, /* char * */
	KERNEL_COMM,
	KERNEL_CPU,
	KERNEL_CPU_MASK,
};

struct kernel_field {
	const char *name; /* as it stands in the filter */
	int name_length;
	enum kernel_field_kind kind;
	uint32_t size; /* 0: no comparison with it ever holds */
	int is_signed; /* as its format says */
	const struct ue_record_field *own; /* NULL: a field that every event has */
	int is_number; /* it is one, too, and not bytes that the kernel takes for one */
	int is_bytes;  /* text to the kernel, but not to the program that writes it */
	unsigned count; /* of fields of this name; the kernel uses the last */
	uint64_t least, most; /* of the values of a number; converted, if it is signed */
	const char *type;
	int type_length;
	const char *brackets; /* behind the type, or "" */
};

/* Arguments of "%.*s%s", and of "%.*s". */
#define KERNEL_FIELD_TYPE(field) (field)->type_length, (field)->type, (field)->brackets
#define KERNEL_FIELD_NAME(field) (field)->name_length, (field)->name

/* Text in the event itself that its program writes as text. */
int kernel_field_is_copied_text(const struct kernel_field *field);
int kernel_field_is_text(const struct kernel_field *field);

/* Find a field: 0, or -1. */
int kernel_field_find(const struct tracepoint *tracepoint, const char *name,
		      size_t length, int kernel, struct kernel_field *field);
/* The nearest name of a field; NULL: none is near. To be freed. */
char *kernel_field_nearest(const struct tracepoint *tracepoint, const char *name,
			   size_t length);
/* Add the names of the event's own fields, each to be freed. */
void kernel_field_names(const struct tracepoint *tracepoint, struct words *names);

/* The tracepoint of an event's format, to be freed. */
struct tracepoint *event_format(const struct listed_event *event);

#endif
