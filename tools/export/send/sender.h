/* SPDX-License-Identifier: MIT */
/*
 * Sends batches to an OpenTelemetry receiver over HTTP, from a thread of its own, behind
 * one bounded queue. Each item that is put is, at any moment, in exactly one of: delivered,
 * lost by a reason, queued.
 *
 *	status = sender_options_read(&options, &command_line);
 *	sender = sender_open(&options);
 *	sender_put(sender, &batch, SENDER_WAIT);
 *	sender_close(sender, 5000, &counts);
 *
 * A receiver that is down, slow or mad never stops the caller: it makes the queue fill, and
 * then the caller waits or loses events, as it chooses. The thread prints a sentence about each
 * kind of trouble, and repeats none within SENDER_SILENCE seconds. libcurl itself sends a
 * request once more, uncounted, if a connection that was kept turns out to be closed.
 */
#ifndef UE__TOOLS_EXPORT_SENDER_H
#define UE__TOOLS_EXPORT_SENDER_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/options.h"
#include "export/otlp/otlp_batch.h"
#include "export/tree/exported_event.h"

/* The receiver of one signal's requests: the exporter's options of OpenTelemetry. */

#define RECEIVER_ENDPOINT "http://localhost:4318"
#define RECEIVER_TIMEOUT 10000 /* milliseconds */
#define RECEIVER_TIMEOUT_MAX 86400000

/* Texts and words are its own. */
struct receiver {
	char *url;   /* with the path of the signal */
	char *shown; /* the same without a user, a password and a query, for sentences */
	/* "NAME: VALUE", or "NAME;" without a value; each name once */
	struct words headers;
	long timeout; /* from the connection to the end of the answer, in milliseconds */
	int is_gzip;
	/* Files of PEM; NULL: the system's certificates, and no certificate of our own. */
	char *certificate;
	char *client_certificate;
	char *client_key; /* NULL: in client_certificate */
};

/*
 * Take options from the command line, and the rest from OpenTelemetry's variables. 0, or
 * an exit status after a message. The caller frees it in both cases.
 */
int receiver_read(struct receiver *receiver, enum otlp_signal signal,
		  const struct export_options *command_line);
void receiver_free(struct receiver *receiver);

/*
 * A header that is added to each request, in the place of one of the same name. 0, or -1
 * after a message, in which from is the option or variable. The value is never shown.
 */
int receiver_add_header(struct receiver *receiver, const char *name, size_t name_length,
			const char *value, const char *from);
/*
 * "NAME=VALUE,NAME=VALUE" of OTEL_EXPORTER_OTLP_HEADERS, with %20 for a blank. The same.
 */
int receiver_add_header_list(struct receiver *receiver, const char *list,
			     const char *from);

#define SENDER_QUEUE_BYTES (16u << 20)
#define SENDER_SILENCE 300 /* seconds */
#define SENDER_LAST 5000 /* milliseconds, after a signal */
#define SENDER_PATIENCE 60000 /* milliseconds, of "userevents export" */

struct sender_counts;

struct sender_options {
	struct receiver receivers[OTLP_SIGNALS];
	uint64_t queue_bytes; /* of bodies that wait or are on their way; 0: SENDER_QUEUE_BYTES */
	/*
	 * Batches wait in these files, and in memory only if the files do not take them.
	 * It stays the caller's, and may have some already. NULL: all wait in memory.
	 */
	struct spool *spool;
	/*
	 * Milliseconds from the first failure in a row until batches are given up; 0: nothing
	 * is retried; negative: forever. Once it has passed, or would pass before the next
	 * try, batches are given up untried, but for one whenever the receiver's Retry-After
	 * or the backoff allows it: so a caller comes to its end. A certificate that is
	 * refused leaves no patience, unless it is forever.
	 */
	int64_t patience;
	/*
	 * Asked while a caller waits, ten times a second. While it returns 1, waiting ends
	 * SENDER_LAST milliseconds later, and unsent requests are lost. May be NULL.
	 */
	int (*is_stopped)(void);
	/*
	 * Called with each change of the counts, in any thread, one call at a time, which must
	 * not wait nor use the sender; or NULL.
	 */
	void (*on_counts)(void *context, const struct sender_counts *counts);
	void *on_counts_context;
};

enum sender_loss {
	SENDER_LOST_QUEUE,    /* full, and the caller did not wait */
	SENDER_LOST_REFUSED,  /* an answer that must not be retried: 400, a redirect, no HTTP */
	SENDER_LOST_REJECTED, /* by a partial success */
	SENDER_LOST_GIVEN_UP, /* not delivered within the patience, or until the deadline */
	SENDER_LOST_CORRUPT, /* in files that are damaged */
	SENDER_LOSSES,
};

struct sender_amount {
	uint64_t requests;
	uint64_t items;	 /* as otlp_batch counts them */
	uint64_t events; /* the same; of a partial success a part, by the number of items */
	uint64_t bytes; /* of bodies, before compression */
};

struct sender_counts {
	struct sender_amount put;
	/* Answered with success. Items that a partial success rejected are lost, instead. */
	struct sender_amount delivered;
	/* A partial success loses items, but no request and no bytes. */
	struct sender_amount lost[SENDER_LOSSES];
	struct sender_amount queued; /* waiting, or on the way */
	struct sender_amount stored; /* of these, in files */
	uint64_t retries; /* requests that were sent again */
	uint64_t unclear; /* successes with an answer that is not OTLP's, or not complete */
	/*
	 * The time from sender_put() to the success, of delivered requests, in
	 * nanoseconds.
	 */
	uint64_t latency_count, latency_sum, latency_last;
};

/*
 * Read the command line's --endpoint, --header and --timeout, and the rest from the
 * variables OTEL_EXPORTER_OTLP_*. Sets the rest to its usual values, and patience to
 * SENDER_PATIENCE. 0, or an exit status after a message: then there is nothing to free.
 */
int sender_options_read(struct sender_options *options,
			const struct export_options *command_line);
/* Only if it is not given to sender_open(). */
void sender_options_free(struct sender_options *options);

/*
 * Never NULL. Nothing is sent yet, so a receiver that is down is no error, and the thread is
 * started with the first batch. The texts of the options are the sender's from now on.
 */
struct sender *sender_open(const struct sender_options *options);

enum sender_full {
	SENDER_WAIT, /* until there is room */
	SENDER_DROP, /* and count the items as SENDER_LOST_QUEUE */
};

/*
 * Queue a copy of the batch; its body is the caller's again. A body larger than the queue
 * fits into an empty one. 0, or 1 if it was dropped: the queue is full, or no thread can be
 * started, which counts as given up. Any thread may call it.
 */
int sender_put(struct sender *sender, const struct otlp_batch *batch,
	       enum sender_full full);

/* Send waiting files, if no batch was put yet. */
void sender_begin(struct sender *sender);

/* The counts of one moment. Any thread may call it. */
void sender_counts(struct sender *sender, struct sender_counts *counts);

/*
 * Send queued requests until the deadline, in milliseconds from now (negative: until all
 * is delivered or lost, which with a patience ends), and count the rest as given up, but
 * for those in files. Then end the thread and free the sender. counts: the last ones,
 * with nothing queued but in files; or NULL.
 */
void sender_close(struct sender *sender, int64_t deadline, struct sender_counts *counts);

/* The end of "N items are lost: 5 ...": "in requests that were refused". */
const char *sender_loss_text(enum sender_loss loss);
/* The items of all reasons together. */
uint64_t sender_lost_items(const struct sender_counts *counts);

/* Events that are sent to an OpenTelemetry receiver: "userevents export --to otlp". */

/*
 * Milliseconds after Ctrl-C for what is queued, where the caller does not wait for room.
 */
#define OTLP_SEND_END 5000

/* Its end reports deliveries, and is -1 if anything was lost. */
exporter_open otlp_send_open;

/* Reads a receiver's answer, in Protocol Buffers. It takes any bytes. */

struct otlp_answer {
	uint64_t rejected; /* items, by a partial success */
	const char *text; /* for a person, within the bytes: an error, or a warning; or NULL */
	size_t text_length;
};

/* An Export...ServiceResponse, of any signal. 0, or -1 if it is none. */
int otlp_answer_read(struct otlp_answer *answer, const uint8_t *bytes, size_t length);
/* A google.rpc.Status, which comes with an error. The same. */
int otlp_status_read(struct otlp_answer *answer, const uint8_t *bytes, size_t length);

/*
 * When a receiver that cannot take requests is asked again: at the time that it names,
 * else after a time that doubles with each failure, less a random part, so that a
 * thousand machines do not come back in one instant. Times are CLOCK_MONOTONIC's, in
 * nanoseconds.
 */

#define PACE_MS INT64_C(1000000)
#define PACE_FIRST (500 * PACE_MS)
#define PACE_LAST (30000 * PACE_MS)
/* A receiver cannot name a later time. */
#define PACE_IMPOSED_MAX (3600000 * PACE_MS)

struct retry_pace {
	int64_t patience; /* negative: forever */
	/* Its own */
	int is_failing;
	int is_spent;	   /* the patience */
	int is_imposed;	   /* retry_at is the receiver's */
	int64_t since;	   /* when the first request that failed was begun */
	int64_t failed_at; /* the last failure */
	int64_t retry_at;
	int64_t wait; /* the last time, before its random part was subtracted */
};

/*
 * The receiver answered a request that was begun at this time. Such an answer ends
 * neither the time that the receiver named in another one, nor a failure that came after
 * the request was begun: several are on the way at once. It does if the patience is
 * spent, as batches would be given up untried until the next try.
 */
void pace_succeed(struct retry_pace *pace, int64_t begun, int64_t now);

struct pace_failure {
	int64_t begun; /* the request */
	int64_t now;
	int64_t retry_after; /* the receiver's wish, or 0 */
	int is_lasting;	     /* trying again is no use */
};

/* It did not. Returns 1 if the request may be sent again, at pace->retry_at. */
int pace_fail(struct retry_pace *pace, const struct pace_failure *failure);
/* Time is short: do not wait longer than the receiver asks for. */
void pace_hurry(struct retry_pace *pace, int64_t now);

#endif
