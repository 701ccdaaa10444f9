/* SPDX-License-Identifier: MIT */
/*
 * trace.dat files of trace-cmd(1), which libtracecmd reads in a program of its own. It needs a
 * file, so streams are spooled.
 */
#include "open_input.h"

#include <string.h>

static const char magic[] = "\x17\x08\x44tracing";

int input_is_trace_dat(const uint8_t *bytes, size_t length)
{
	return length >= sizeof(magic) - 1 && !memcmp(bytes, magic, sizeof(magic) - 1);
}

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/program.h"
#include "common/records/byte_cursor.h"

struct trace_dat {
	pid_t child; /* 0: none any more */
	int status;  /* of waitpid(2) */
	struct source pipe;
	uint64_t size; /* of the last message, which is passed over before the next */
	struct tracepoint **tracepoints; /* by id */
	char comm[17]; /* of the last record, with a NUL */
};

/*
 * libtracecmd adds an offset from the file to times, and does not report it. No machine
 * was up for 31 years, and no file is older than 2001.
 */
#define CERTAINLY_SINCE_1970 ((uint64_t)1000000000 * 1000000000)

/* The child */

static _Noreturn void be_child(const char *path, int file, int out)
{
	char name[] = "userevents-trace-dat", *const arguments[] = { name, NULL };
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (nowhere >= 0) /* faults are sent as messages */
		dup2(nowhere, STDERR_FILENO);
	if (lseek(file, 0, SEEK_SET) == 0 && dup2(file, STDIN_FILENO) >= 0 &&
	    dup2(out, STDOUT_FILENO) >= 0)
		execv(path, arguments);
	_exit(127);
}

static int start(struct input *input, struct trace_dat *dat, const char *path)
{
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	fflush(stdout);
	dat->child = fork();
	if (!dat->child)
		be_child(path, input->source.fd, ends[1]);
	error = errno;
	close(ends[1]);
	dat->pipe = (struct source){ .fd = ends[0] };
	if (dat->child > 0)
		return 0;
	dat->child = 0;
	return -error;
}

static void wait_for_child(struct trace_dat *dat)
{
	while (dat->child && waitpid(dat->child, &dat->status, 0) < 0)
		if (errno != EINTR)
			break;
	dat->child = 0;
}

/* The child ended without a message. */
static int report_crash(struct input *input)
{
	struct trace_dat *dat = input->state;

	if (dat->pipe.error)
		return input_fails_with(input, dat->pipe.error);
	wait_for_child(dat);
	if (WIFSIGNALED(dat->status) && WTERMSIG(dat->status) == SIGBUS)
		return input_fails(input,
				   "it became shorter while it was read, or is damaged");
	return input_fails(input, "it is damaged: libtracecmd crashed on it");
}

/* Messages */

static int reject(struct input *input)
{
	return input_fails(input, "it is damaged: libtracecmd sent an invalid message");
}

static int take_tracepoint(struct input *input, struct cursor *cursor)
{
	struct trace_dat *dat = input->state;
	const uint8_t *bytes = cursor_take(cursor, sizeof(struct dat_tracepoint));
	const char *system = cursor_text(cursor), *name = cursor_text(cursor);
	size_t length = cursor_left(cursor);
	struct dat_tracepoint head;

	if (cursor->is_short)
		return reject(input);
	memcpy(&head, bytes, sizeof(head));
	if (head.id >= DAT_IDS || dat->tracepoints[head.id])
		return reject(input);
	dat->tracepoints[head.id] = tracepoint_new(system, name, length ?
						   (const char *)cursor->at : NULL, length,
						   head.is_big_endian != 0);
	return 0;
}

static int take_record(struct input *input, struct cursor *cursor, struct record *record)
{
	struct trace_dat *dat = input->state;
	const uint8_t *bytes = cursor_take(cursor, sizeof(struct dat_record));
	struct dat_record head;

	if (!bytes)
		return reject(input);
	memcpy(&head, bytes, sizeof(head));
	if (head.id >= DAT_IDS || !dat->tracepoints[head.id])
		return reject(input);
	input->lost += head.lost;
	memcpy(dat->comm, head.comm, sizeof(head.comm));
	*record = (struct record){
		.tracepoint = dat->tracepoints[head.id],
		.bytes = cursor->at,
		.length = cursor_left(cursor),
		.sample = {
			.size = sizeof(record->sample),
			.present = UE_META_TIME | UE_META_CPU | UE_META_TID |
				   (*dat->comm ? UE_META_COMM : 0),
			.time = (int64_t)head.time,
			.is_wall_clock = head.time > CERTAINLY_SINCE_1970,
			.cpu = head.cpu,
			.tid = head.tid,
			.comm = dat->comm,
		},
	};
	return 1;
}

/* 1 with a record, 0 for another message, -1; sets is_over at the end. */
static int take_message(struct input *input, struct record *record, int *is_over)
{
	struct trace_dat *dat = input->state;
	struct dat_head head;
	const uint8_t *bytes;
	struct cursor cursor;

	source_skip(&dat->pipe, dat->size);
	dat->size = 0;
	bytes = source_peek(&dat->pipe, sizeof(head));
	if (!bytes)
		return report_crash(input);
	memcpy(&head, bytes, sizeof(head));
	bytes = source_peek(&dat->pipe, sizeof(head) + (size_t)head.length);
	if (!bytes)
		return report_crash(input);
	dat->size = sizeof(head) + (uint64_t)head.length;
	cursor = cursor_of(bytes + sizeof(head), head.length, HOST_IS_BIG_ENDIAN);
	switch (head.kind) {
	case DAT_TRACEPOINT:
		return take_tracepoint(input, &cursor);
	case DAT_RECORD:
		return take_record(input, &cursor, record);
	case DAT_END:
		*is_over = 1;
		return !head.length ? 0 : input_fails(input, "%.*s", (int)head.length,
						      (const char *)cursor.at);
	}
	return reject(input);
}

static int next(struct input *input, struct record *record)
{
	int result = 0, is_over = 0;

	while (!result && !is_over)
		result = take_message(input, record, &is_over);
	return result;
}

static void close_trace_dat(struct input *input)
{
	AUTO_FREE struct trace_dat *dat = input->state;

	if (dat->child)
		kill(dat->child, SIGKILL);
	wait_for_child(dat);
	source_close(&dat->pipe);
	for (uint32_t id = 0; id < DAT_IDS; id++)
		tracepoint_free(dat->tracepoints[id]);
	free(dat->tracepoints);
}

static const struct input_kind kind = { next, close_trace_dat };

int input_open_trace_dat(struct input *input)
{
	AUTO_FREE char *path = apart_find("trace-dat");
	struct trace_dat *dat;
	int result;

	if (!path)
		return input_fails(input, "it is a trace.dat file, and userevents-trace-dat, "
					  "which reads such files, is not installed");
	dat = xcalloc(1, sizeof(*dat));
	dat->pipe.fd = -1;
	input->state = dat;
	input->kind = &kind;
	dat->tracepoints = xcalloc(DAT_IDS, sizeof(*dat->tracepoints));
	result = source_spool(&input->source);
	if (!result)
		result = start(input, dat, path);
	return result ? input_fails_with(input, -result) : 0;
}

