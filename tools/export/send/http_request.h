/* SPDX-License-Identifier: MIT */
/*
 * Sending by HTTP: libcurl, the queue of a sender, requests, the judgement of replies,
 * and reports of trouble.
 */
#ifndef UE__TOOLS_EXPORT_HTTP_REQUEST_H
#define UE__TOOLS_EXPORT_HTTP_REQUEST_H

#include <curl/curl.h>
#include <pthread.h>

#include "export/spool/spool.h"
#include "sender.h"

/*
 * libcurl, loaded when something is to be sent. It brings some thirty libraries, more
 * than all others of the tool together, and no other command should wait for them, nor
 * run their constructors as root.
 */

/* Its functions that the tool calls, without "curl_". */
#define CURL_FUNCTIONS(DO)                                                               \
	DO(easy_cleanup) DO(easy_getinfo) DO(easy_init) DO(easy_setopt)                  \
	DO(easy_strerror) DO(easy_unescape) DO(free) DO(global_cleanup) DO(global_init)  \
	DO(multi_add_handle) DO(multi_cleanup) DO(multi_info_read) DO(multi_init)        \
	DO(multi_perform) DO(multi_poll) DO(multi_remove_handle) DO(multi_wakeup)        \
	DO(slist_append) DO(slist_free_all) DO(url) DO(url_cleanup) DO(url_get)          \
	DO(url_set) DO(url_strerror) DO(version_info)

#define CURL_POINTER(name) __typeof__(curl_##name) *name;
struct curl_library {
	CURL_FUNCTIONS(CURL_POINTER)
};
#undef CURL_POINTER

extern struct curl_library curl; /* once it is loaded */

/* Idempotent, in one thread before others send. 0, or an exit status after a message. */
int curl_library_load(void);

/*
 * The batches that a sender has not finished, and the counts of those that it has. Both
 * change under one lock, so that the sum is right at any moment.
 */

struct queued_batch {
	struct queued_batch *next;
	enum otlp_signal signal;
	uint64_t items, events;
	int64_t put_at; /* CLOCK_MONOTONIC */
	int is_sent;	/* once already: sending it is a retry */
	uint64_t number; /* increases; batches that wait in files have one, too */
	struct spool_place place; /* where it is in files, until it is done */
	size_t length;
	uint8_t body[];
};

#define QUEUE_NO_DEADLINE INT64_MAX

struct send_queue {
	pthread_mutex_t lock;
	pthread_cond_t has_room;
	pthread_cond_t has_work;
	struct spool *spool; /* batches wait in files, if they can; NULL: in memory */
	uint64_t room, used; /* of memory, in bytes, with the structs above */
	struct batch_list {
		struct queued_batch *first, *last; /* that are not on their way */
	} lists[OTLP_SIGNALS];
	struct sender_counts counts;
	int is_closing, is_ended;
	int is_left; /* waiting files stay there */
	int64_t deadline; /* of CLOCK_MONOTONIC; QUEUE_NO_DEADLINE */
	void (*wake)(void *context);
	void *wake_context;
	int (*is_stopped)(void); /* of struct sender_options */
	int64_t stop_at;	 /* when waiting ends, if it returned 1; else 0 */
	/* The same as in struct sender_options; set before the first batch. */
	void (*on_counts)(void *context, const struct sender_counts *counts);
	void *on_counts_context;
};

/* spool: may have batches already; or NULL. */
void send_queue_init(struct send_queue *queue, uint64_t room, struct spool *spool);
void send_queue_destroy(struct send_queue *queue);

/* The same as sender_put(). */
int send_queue_put(struct send_queue *queue, const struct otlp_batch *batch,
		   enum sender_full full);
/* The batch is lost: SENDER_LOST_GIVEN_UP. */
void send_queue_refuse(struct send_queue *queue, const struct otlp_batch *batch);
/* No batch is put any more. */
void send_queue_close(struct send_queue *queue, int64_t deadline);
void send_queue_counts(struct send_queue *queue, struct sender_counts *counts);

/*
 * The time after it was closed, until send_queue_end(). Brings the deadline forward after
 * a signal.
 */
void send_queue_wait_end(struct send_queue *queue);

/* The sender's thread */

/* Wait until there is a batch: 1, or 0 if none will come. */
int send_queue_wait(struct send_queue *queue);
/* The thread is over. */
void send_queue_end(struct send_queue *queue);
/* Call this with the lock held whenever there is more to do. */
void send_queue_set_wake(struct send_queue *queue, void (*wake)(void *context),
			 void *context);
/* 1 if it is closing, with the deadline. */
int send_queue_is_closing(struct send_queue *queue, int64_t *deadline);
int send_queue_has(struct send_queue *queue, enum otlp_signal signal);
/* The oldest batch of the signal, which is sent now; NULL if there is none. */
struct queued_batch *send_queue_take(struct send_queue *queue, enum otlp_signal signal);
/* The batch is sent again, first. */
void send_queue_return(struct send_queue *queue, struct queued_batch *batch);
/*
 * Each frees the batch. rejected: items of it, by a partial success. One that waits in
 * files is not given up, but stays there.
 */
void send_queue_delivered(struct send_queue *queue, struct queued_batch *batch,
			  uint64_t rejected, int is_unclear);
void send_queue_lost(struct send_queue *queue, struct queued_batch *batch,
		     enum sender_loss loss);
/* Those of the signal that are not on their way: returns their items. */
uint64_t send_queue_give_up(struct send_queue *queue, enum otlp_signal signal);
/* The end: nothing more is sent, and waiting files stay there. */
void send_queue_leave(struct send_queue *queue);

/* Requests */

/* An answer of OTLP is a sentence or nothing; a longer text is ignored. */
#define ANSWER_BYTES_MAX (64u << 10)

struct http_request {
	struct http_request *next;
	struct queued_batch *batch;
	const struct receiver *receiver;
	CURL *easy;
	struct curl_slist *headers;
	struct bytes packed; /* the body, if it is compressed */
	struct bytes answer;
	size_t head_length; /* of the answer's header lines */
	int is_too_long;    /* the answer */
	int socket_error;   /* 0: there is one, or none was needed */
	int64_t begun;	    /* CLOCK_MONOTONIC */
	char problem[CURL_ERROR_SIZE];
};

/* Hand it to libcurl. The receiver must outlive it. */
struct http_request *http_request_begin(CURLM *multi, const struct receiver *receiver,
					struct queued_batch *batch);
/* Also before it is done; the batch remains. */
void http_request_free(CURLM *multi, struct http_request *request);

/* The outcome of a request, by the rules of OTLP over HTTP. */

enum http_verdict {
	HTTP_DELIVERED,
	HTTP_REFUSED, /* sending it again would be no use, or double it */
	HTTP_RETRY,
};

/* Kinds of trouble: a status of HTTP, or one of these. */
#define TROUBLE_PARTIAL 1000u /* success, but not for all items, or with a warning */
#define TROUBLE_UNCLEAR 1001u /* success, but not in OTLP */
#define TROUBLE_QUEUE 1002u   /* it is full */
#define TROUBLE_THREAD 1003u  /* none can be started */
#define TROUBLE_SOCKET 1004u  /* none can be opened */
#define TROUBLE_CURL 1100u    /* and more: an error of libcurl */

struct http_reply {
	enum http_verdict verdict;
	int is_lasting; /* HTTP_RETRY: a certificate does not get better by trying again */
	int is_unclear; /* HTTP_DELIVERED: the answer is not OTLP's */
	uint64_t rejected; /* HTTP_DELIVERED: items, at most those of the request */
	int64_t retry_after; /* HTTP_RETRY: in nanoseconds; 0: not named */
	unsigned int trouble; /* 0: none */
	char reason[512];     /* of the trouble */
	const char *fix;      /* for the same: "; ...", or "" */
};

/* result: of libcurl, when the request is done. */
void http_reply_read(struct http_reply *reply, struct http_request *request,
		     CURLcode result);

/* Sentences about a receiver, none of which is repeated within SENDER_SILENCE seconds. */

#define TROUBLES_MAX 16

/* Zero it before the first use. */
struct send_troubles {
	struct {
		unsigned int kind;
		int64_t at; /* CLOCK_MONOTONIC */
	} reported[TROUBLES_MAX]; /* the latest, by kind */
	unsigned int count;
	int64_t failing_since; /* of a failure that was reported; 0: none */
};

/* The sender's answer to a request that was not delivered at once. */
enum send_step { SEND_AGAIN,
		 SEND_GAVE_UP,
		 SEND_LOST,
		 SEND_WENT_ON };

/* items: that are concerned. */
void troubles_report(struct send_troubles *troubles, const struct receiver *receiver,
		     const struct http_reply *reply, enum send_step step, uint64_t items);
/* It was reported, and concerns all paths of the host: no request reached it. */
int troubles_tell(const struct send_troubles *troubles, const struct http_reply *reply,
		  enum send_step step);
/* The receiver takes requests. */
void troubles_end(struct send_troubles *troubles, const struct receiver *receiver);
/* The queue is full. */
void troubles_report_queue(struct send_troubles *troubles,
			   const struct receiver *receiver, uint64_t items,
			   uint64_t room);
/* The sender's thread cannot be started; error: of errno(3). */
void troubles_report_thread(struct send_troubles *troubles, int error);

#endif
