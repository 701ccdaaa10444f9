/* SPDX-License-Identifier: MIT */
/*
 * userevents losses: what running processes lose.
 *
 * Each process is read in a child with a time limit: one whose pages come from a file
 * system of its own can keep its reader waiting for ever (process/isolated_call.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/loss.h>
#include <userevents/session.h>

#include "commands.h"
#include "cli/clock.h"
#include "cli/json_out.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/safe_text.h"
#include "process/isolated_call.h"
#include "process/processes.h"
#include "process/remote_library.h"
#include "process/remote_sessions.h"

/* For all processes together, and what is left for one when that has been used up. */
#define MILLISECONDS_MAX 10000
#define MILLISECONDS_LEAST 500
#define WIDTH_MAX 40 /* of the column of names; longer ones do not count */

static int is_all, is_json;

static const struct tool_option options[] = {
	{ .name = "all", .letter = 'a', .flag = &is_all,
	  .help = "Also events that lost nothing, and reasons that did not\n"
		  "occur. JSON has them anyway." },
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines instead of text: one for each descriptor, one for\n"
		  "each event." },
	{ 0 },
};

static const struct usage usage = {
	.command = "losses",
	.arguments = "[PID|NAME...]",
	.help = "Prints what running processes that use libuserevents have lost, by reason: for\n"
		"each descriptor from ue_open(), and for each event that lost something, with\n"
		"its state: on (enabled), off, or ? (cannot be read). Without arguments, prints\n"
		"every process that this user may read; a NAME is a process name or a glob.\n"
		"\n"
		"  too large     for one of its readers\n"
		"  no rights     refused by the kernel\n"
		"  capture full  the reader of a capture is behind\n"
		"  interrupted   by a signal, while waiting for a capture\n"
		"  other         a wrong payload or descriptor\n"
		"\n"
		"A descriptor counts what was lost through it until it is closed, including\n"
		"writes of unregistered events. An event counts from the start of its program,\n"
		"whatever the descriptor. The child of a fork continues its parent's counts.\n"
		"Writes of disabled events are not losses; events that the kernel accepted and\n"
		"dropped later are counted in per_cpu/cpu*/stats of tracefs.\n"
		"\n"
		"Reading a process requires the right to trace it: the same user, or root. The\n"
		"process is neither stopped nor changed, and must have the word size of this\n"
		"tool. Reading all of them takes 10 seconds at most, and half a second for\n"
		"each process after that.\n"
		"\n"
		"The exit status is 1 if a process that was named is not shown, or if one\n"
		"cannot be read completely.\n",
	.options = options,
};

/* The exit status of the child. */
enum outcome { READ, FAILED, NOT_THERE, DENIED };

/* Counts */

static uint64_t sum(const uint32_t *lost, uint32_t reasons)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < reasons; i++)
		total += lost[i];
	return total;
}

/* "25: 20 too large, 5 other"; or "nothing". */
static void print_lost(const uint32_t *lost, uint32_t reasons)
{
	const uint64_t total = sum(lost, reasons);
	const char *before = ": ";

	if (!total && !is_all) {
		fputs("lost nothing", stdout);
		return;
	}
	printf("lost %" PRIu64, total);
	for (uint32_t i = 0; i < reasons; i++)
		if (lost[i] || is_all) {
			printf("%s%" PRIu32 " %s", before, lost[i],
			       ue_loss_name((enum ue_loss)i));
			before = ", ";
		}
}

/* A reason as a key: "tooLarge". Those of a later library have numbers. */
static void print_key(uint32_t reason)
{
	const char *at = ue_loss_name((enum ue_loss)reason);

	if (reason >= UE_LOSS_REASONS) {
		printf("\"reason%" PRIu32 "\"", reason);
		return;
	}
	putchar('"');
	for (; *at; at++)
		if (*at == ' ' && at[1])
			putchar(*++at - 'a' + 'A');
		else
			putchar(*at);
	putchar('"');
}

static void print_lost_json(const uint32_t *lost, uint32_t reasons)
{
	printf(",\"lost\":{");
	for (uint32_t i = 0; i < reasons; i++) {
		if (i)
			putchar(',');
		print_key(i);
		printf(":%" PRIu32, lost[i]);
	}
	fputs("}}\n", stdout);
}

/* Sessions */

static const char *kind_of(uint32_t abi)
{
	switch (abi) {
	case UE_ABI_ENABLE_ADDRESS:
		return "enable address";
	case UE_ABI_STATUS_PAGE:
		return "status page";
	case UE_ABI_CAPTURE:
		return "capture";
	default:
		return "unknown";
	}
}

/* What is being shown. */
struct shown {
	const struct process *process;
	const struct library *copy;
	int has_more; /* libraries in the process */
	uint32_t reasons;
};

/* As text */

static int is_shown(const struct shown *shown, const struct seen_event *event)
{
	return is_all || sum(event->lost, shown->reasons);
}

static int width_of_names(const struct shown *shown, const struct seen_session *session)
{
	int width = 0;

	for (size_t i = 0; i < session->count; i++) {
		const struct seen_event *event = &session->events[i];
		int length = is_shown(shown, event) ? (int)strlen(event->name) : 0;

		if (length > width && length <= WIDTH_MAX)
			width = length;
	}
	return width;
}

static void print_event(const struct shown *shown, const struct seen_event *event,
			int width)
{
	static const char *const states[] = {
		[SEEN_OFF] = "off", [SEEN_ON] = "on", [SEEN_UNKNOWN] = "?",
	};
	int missing = width - (int)strlen(event->name);

	fputs("  ", stdout);
	controls_print(event->name, strlen(event->name));
	printf("%*s%-3s  ", (missing > 0 ? missing : 0) + 2, "", states[event->state]);
	print_lost(event->lost, shown->reasons);
	putchar('\n');
}

static void print_process(const struct shown *shown)
{
	printf("%d ", (int)shown->process->pid);
	controls_print(shown->process->name, strlen(shown->process->name));
	if (shown->has_more) {
		fputs(", ", stdout);
		controls_print(shown->copy->path, strlen(shown->copy->path));
	}
}

static void print_session(const struct shown *shown, const struct seen_session *session)
{
	const int width = width_of_names(shown, session);
	const size_t count = session->count + session->gone;

	print_process(shown);
	printf(", descriptor %d (%s), %zu event%s: ", session->fd, kind_of(session->abi),
	       count, count == 1 ? "" : "s");
	print_lost(session->lost, shown->reasons);
	putchar('\n');
	for (size_t i = 0; i < session->count; i++)
		if (is_shown(shown, &session->events[i]))
			print_event(shown, &session->events[i], width);
	if (session->gone)
		printf("  %zu of them could not be read: unregistered or changed meanwhile\n",
		       session->gone);
}

/* As JSON */

static void print_head_json(const struct shown *shown, const struct seen_session *session)
{
	printf("{\"pid\":%d", (int)shown->process->pid);
	json_member("process", shown->process->name, strlen(shown->process->name), 0);
	printf(",\"fd\":%d", session->fd);
}

static void print_event_json(const struct shown *shown,
			     const struct seen_session *session,
			     const struct seen_event *event)
{
	static const char *const states[] = {
		[SEEN_OFF] = "false", [SEEN_ON] = "true", [SEEN_UNKNOWN] = "null",
	};

	print_head_json(shown, session);
	json_member("event", event->name, strlen(event->name), 0);
	printf(",\"enabled\":%s", states[event->state]);
	print_lost_json(event->lost, shown->reasons);
}

static void print_session_json(const struct shown *shown,
			       const struct seen_session *session)
{
	print_head_json(shown, session);
	json_member("kind", kind_of(session->abi), strlen(kind_of(session->abi)), 0);
	json_member("library", shown->copy->path, strlen(shown->copy->path), 0);
	printf(",\"events\":%zu,\"gone\":%zu", session->count, session->gone);
	print_lost_json(session->lost, shown->reasons);
	for (size_t i = 0; i < session->count; i++)
		print_event_json(shown, session, &session->events[i]);
}

static void print_sight(const struct shown *shown, const struct sight *sight)
{
	for (size_t i = 0; i < sight->count; i++)
		if (is_json)
			print_session_json(shown, &sight->sessions[i]);
		else
			print_session(shown, &sight->sessions[i]);
	if (!sight->count && !is_json && (is_all || shown->process->is_asked_for)) {
		print_process(shown);
		puts(": no descriptor is open");
	}
}

/* One process */

static void complain(const struct shown *shown, const struct sight *sight, int error)
{
	const int pid = (int)shown->process->pid;
	const char *name = shown->process->name, *path = shown->copy->path;

	if (error == -ENOTSUP)
		message("cannot read %s in process %d (%s): its lists have layout %" PRIu32
			", this tool knows %u; use the tool of that version", path, pid, name,
			sight->overview.version, UE_OVERVIEW_VERSION);
	else if (!error)
		message("cannot read all of %s in process %d (%s): a list changed meanwhile "
			"or is damaged; try again", path, pid, name);
	else
		message("cannot read %s in process %d (%s): %s; the process is damaged, "
			"deceives, or is about to end", path, pid, name,
			error == -E2BIG ? "its lists do not end" :
			error == -EPROTO ? "its lists are not described as the library does" :
					   "the description of its lists is not mapped");
}

static enum outcome show_library(struct shown *shown)
{
	struct sight sight;
	int result = sight_read(shown->process->pid, shown->copy, &sight);

	shown->reasons = sight.overview.loss_reasons;
	if (!result)
		print_sight(shown, &sight);
	if (result || sight.is_cut)
		complain(shown, &sight, result);
	return result || sight.is_cut ? FAILED : READ;
}

static int show(const void *context)
{
	const struct process *process = context;
	static struct libraries libraries;
	struct shown shown = { .process = process };
	enum outcome outcome = NOT_THERE;
	int result = libraries_find(process->pid, &libraries);

	if (result && process->is_asked_for)
		process_complain(process, result);
	if (result == -ESRCH)
		return process->is_asked_for ? FAILED : NOT_THERE;
	if (result)
		return result == -EACCES || result == -EPERM ? DENIED : FAILED;
	shown.has_more = libraries.count > 1;
	for (size_t i = 0; i < libraries.count; i++) {
		shown.copy = &libraries.items[i];
		if (show_library(&shown) != READ)
			outcome = FAILED;
		else if (outcome == NOT_THERE)
			outcome = READ;
	}
	return outcome;
}

static enum outcome show_isolated(const struct process *process, int milliseconds)
{
	const int pid = (int)process->pid;
	int status = isolated_call(show, process, milliseconds);

	if (status >= 0 && WIFEXITED(status))
		return (enum outcome)WEXITSTATUS(status);
	if (status >= 0)
		message("cannot read process %d (%s): its reader was killed by signal %d (%s)",
			pid, process->name, WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (status == -ETIMEDOUT)
		message("cannot read process %d (%s): its memory did not arrive in time, so "
			"it is left out", pid, process->name);
	else
		message("cannot read process %d (%s): starting a reader failed: %s", pid,
			process->name, strerror(-status));
	return FAILED;
}

/* All of them */

static int complain_of_absence(const struct process *process)
{
	message("cannot show process %d (%s): it does not use libuserevents, or uses a "
		"version older than this tool, or has another word size",
		(int)process->pid, process->name);
	return EXIT_FAILED;
}

static void complain_of_denied(size_t denied, size_t seen)
{
	if (denied)
		message("cannot show %zu process%s: reading %s requires %s", denied,
			denied == 1 ? "" : "es", denied == 1 ? "it" : "them",
			geteuid() ? "root" : "CAP_SYS_PTRACE, which this root lacks, or a "
				      "security module forbids it");
	if (!seen)
		message("no process that may be read uses libuserevents");
}

static int show_all(const struct processes *processes, int is_asked)
{
	const int64_t end = clock_now(CLOCK_MONOTONIC) / 1000000 + MILLISECONDS_MAX;
	size_t denied = 0, seen = 0;
	int status = EXIT_ALL_WORKED;

	for (size_t i = 0; i < processes->count && !ferror(stdout); i++) {
		const struct process *process = &processes->items[i];
		int64_t left = end - clock_now(CLOCK_MONOTONIC) / 1000000;
		enum outcome outcome = show_isolated(
			process, left > MILLISECONDS_LEAST ? (int)left : MILLISECONDS_LEAST);

		denied += outcome == DENIED;
		seen += outcome == READ || outcome == FAILED;
		if (outcome == FAILED || (outcome == DENIED && is_asked))
			status = EXIT_FAILED;
		if (outcome == NOT_THERE && is_asked)
			status = complain_of_absence(process);
	}
	if (!is_asked && !ferror(stdout))
		complain_of_denied(denied, seen);
	return status;
}

int command_losses(int argc, char **argv)
{
	int found, shown, status = options_parse(&usage, &argc, &argv);
	struct words words = { (const char **)argv, (size_t)argc };
	struct processes processes;

	if (status != OPTIONS_GO_ON)
		return status;
	signal(SIGCHLD, SIG_DFL); /* our caller may ignore it; we wait for children */
	found = processes_find(&words, &processes);
	shown = show_all(&processes, argc > 0);
	processes_free(&processes);
	return found ? EXIT_FAILED : shown;
}
