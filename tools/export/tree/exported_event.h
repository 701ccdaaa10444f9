/* SPDX-License-Identifier: MIT */
/* An event as all exports see it. */
#ifndef UE__TOOLS_EXPORT_TREE_EXPORTED_EVENT_H
#define UE__TOOLS_EXPORT_TREE_EXPORTED_EVENT_H

#include <stddef.h>
#include <stdint.h>
#include <userevents/decode/render.h>

#include "common/cli/memory.h"
#include "common/cli/options.h"
#include "common/events/recorded_event.h"
#include "common/sched/sched.h"
#include "common/cli/key_table.h"

/* The processes that events come from, each with a number, and the containers they are in. */

/* Texts are valid UTF-8, and "" if not known. */
struct origin {
	uint64_t serial; /* of no other origin, also after it is freed */
	int has_pid;
	uint32_t pid;
	const char *comm; /* the process's name; until its first thread writes, the writer's */
	const char *cgroup; /* the path */
	/* Parts of the control group's path: */
	const char *container_id; /* 64 hexadecimal digits */
	const char *pod_uid;	  /* "8dbc5577-d0e2-4706-8787-57d52c03ddf2" */
};

/* Memory stays bounded although pids and names change for years: then all are forgotten. */
#define ORIGINS_MAX 16384u

/* Zero it before the first use. */
struct origins {
	struct kept_origin **items;
	uint32_t count;
	struct key_table table; /* of items */
	uint64_t serials;
	struct kept_origin *last; /* most events come from the process of the one before */
};

/* The process of a sample, which is new or was found before; valid until the next call. */
const struct origin *origin_find(struct origins *origins, const struct ue_sample *sample);
void origins_free(struct origins *origins);

/* Text that is valid UTF-8, whatever bytes it is made of. */

/* Not NUL-terminated; may have NULs and other control characters. */
struct clean_text {
	const char *at;
	size_t length;
};

/* Memory for one text at a time. Zero it before the first use. */
struct clean_texts {
	struct bytes scratch;
};

/*
 * The text as it is, if it is valid UTF-8; otherwise with the invalid bytes read as ISO
 * 8859-1, as the library does, valid until the next call with these texts.
 */
struct clean_text clean_text(struct clean_texts *texts, const void *bytes, size_t length);
/* All of it, to be freed. */
char *clean_copy(const char *text);
/* Its length up to so many bytes, but no character is cut. */
static inline size_t clean_text_length(struct clean_text text, size_t most)
{
	if (text.length <= most)
		return text.length;
	while (most && (text.at[most] & 0xc0) == 0x80) /* within a character */
		most--;
	return most;
}

void clean_texts_free(struct clean_texts *texts);

/* The name of an activity, made of that of the event that starts it. */

/* "Order" of "OrderStart", "order" of "order_begin"; other names as they are. */
struct clean_text activity_name(struct clean_text start);

/* The facts of an event that are exported beside its fields. */

struct exported_event {
	struct event *event; /* for field_walk_begin() */
	const struct origin *origin;
	/* The provider, or the system of a classic event. */
	struct clean_text scope;
	/* "Order"; of a classic event the tracepoint's name. */
	struct clean_text name;
	int64_t time; /* nanoseconds since 1970; 0: not known */
	int64_t clock_time; /* nanoseconds of the recording's clock; or what is there of it */
	int has_tid;
	uint32_t tid;
	/* The level, opcode, keyword and ids of an EventHeader event; else NULL. */
	const struct ue_event_info *info;
	uint32_t lost; /* events that are missing before this one */
};

/* Zero it before the first use. */
struct exported_events {
	struct origins origins;
	struct clean_texts scopes, names;
	const struct event_kind *kind; /* of the event before, and its names, as it is often */
	struct clean_text scope, name; /* that of the next, too */
	uint64_t lost; /* the sum of those of the events so far */
};

/* Describe an event; valid until the next call. */
void exported_event_read(struct exported_events *events, struct event *event,
			 struct exported_event *exported);
/* The times of a record, as of an exported_event. */
void exported_times(const struct record *record, int64_t *time, int64_t *clock_time);
void exported_events_free(struct exported_events *events);

/* A format that events are exported in. It is the first member of a struct of its own. */

/* Events that are missing. */
struct lost_events {
	uint64_t count;
	/*
	 * The same as of an exported_event; of the event before which they are missing,
	 * or of the last.
	 */
	int64_t time, clock_time;
	const struct origin *origin; /* that wrote them; NULL: not known */
	int has_cpu;		     /* on which they were lost */
	uint32_t cpu;
};

struct exporter {
	/* All functions: 0, 1 if nothing more can be taken, or -1 after a message. */
	/* Once, before the first event: there is something to replace an old file. May be NULL. */
	int (*begin)(struct exporter *exporter);
	int (*take)(struct exporter *exporter, const struct exported_event *event);
	int (*lost)(struct exporter *exporter, const struct lost_events *lost);
	/* Switches of the scheduler, with times as of an exported_event. May be NULL. */
	int (*take_sched)(struct exporter *exporter, const struct sched_record *record,
			  int64_t time, int64_t clock_time);
	/* Live: write held-back records, as nothing more has arrived. May be NULL. */
	int (*flush)(struct exporter *exporter);
	/* Live: called every second, for records that may wait so long. May be NULL. */
	int (*tick)(struct exporter *exporter);
	/* Called once after the last event, also after a failure: write the rest. */
	int (*end)(struct exporter *exporter);
	void (*free)(struct exporter *exporter);
};

/*
 * Globs of names, as of fnmatch(3): of fields, members of structs, and arrays with all
 * elements. "Redaction" below explains their values.
 */
struct redactions {
	struct words drop, mask, hash;
};

/* Options of the command line, for all formats. */
struct export_options {
	const char *output;   /* a path, or "-"; NULL: none is given */
	char *const *inputs;  /* which the output must not be, as of struct outfile */
	const char *endpoint; /* of a receiver; NULL: none is given */
	const char *endpoint_name; /* the option that gives it; NULL: "--endpoint" */
	struct words headers; /* for it: "NAME: VALUE" */
	uint64_t timeout;     /* for an answer, in milliseconds; 0: the usual */
	uint64_t retry_for;   /* seconds, while a receiver takes nothing */
	int drops;	      /* when a receiver is slower than the events; else wait */
	struct redactions redactions;
	int is_flat;	      /* members of structs are fields "a.b" */
	int is_brief;	      /* leave out what is equal for all events of a kind */
	int is_gzip;	      /* compress requests to a receiver, whatever the variables are */
	int is_live;
	/* Whether a signal asked for the end: then nothing may take long. May be NULL. */
	int (*is_stopped)(void);
};

/* Opens its output. NULL after a message, with *status an exit status. */
typedef struct exporter *exporter_open(const struct export_options *options, int *status);

/* Fields whose values must not leave the machine, by their names. */

enum redaction {
	REDACTION_NONE = 0,
	REDACTION_DROP, /* the field is left out */
	REDACTION_MASK, /* its value is "***" */
	REDACTION_HASH, /* its value is 16 hexadecimal digits, the same for each one */
};

/*
 * All walks through fields follow these from now on, which stay the caller's; NULL:
 * none. The key of hashes is of this process, so that nobody finds values by trying.
 */
void redaction_set(const struct redactions *redactions);
/* Whether there are any: then nothing else may show an event's bytes. */
int redaction_is_on(void);
enum redaction redaction_of(const char *name, size_t length);
/* The same by a key of the caller's: SipHash-2-4. */
uint64_t redaction_sip_hash(const uint64_t key[2], const void *bytes, size_t length);
/* 16 digits and a NUL. */
void redaction_hash(const void *bytes, size_t length, char text[17]);

#endif
