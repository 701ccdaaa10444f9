/* SPDX-License-Identifier: MIT */
/*
 * userevents losses: what running processes lose.
 *
 * Each process is read by a child: one that keeps its reader waiting, with pages that
 * come from a file system of its own, costs some seconds and not the rest (process/isolated_call.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/loss.h>
#include <userevents/session.h>

#include "process/isolated_call.h"
#include "commands.h"
#include "cli/safe_text.h"
#include "process/remote_libraries.h"
#include "cli/json_out.h"
#include "cli/message.h"
#include "cli/options.h"
#include "process/processes.h"
#include "process/remote_sessions.h"

#define SECONDS_MAX 10
#define WIDTH_MAX 40 /* of the column of names; a very long one does not count */

static int is_all, is_json;

static const struct option options[] = {
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
		"whether somebody listens (on), or not (off), or that cannot be read (?). Without\n"
		"arguments, of every process that this user may read; a NAME is a process's, and\n"
		"may be a glob.\n"
		"\n"
		"  too large     for some listener\n"
		"  no rights     refused by the kernel\n"
		"  capture full  whoever reads a capture is behind\n"
		"  interrupted   by a signal, while waiting for a capture\n"
		"  other         a wrong payload or descriptor\n"
		"\n"
		"A descriptor counts what was lost through it, of unregistered events, too,\n"
		"until it is closed; an event counts from the start of its program, through any\n"
		"descriptor, also one that is no session. The child of a fork goes on from its\n"
		"parent's counts. What nobody listened to is no loss; what the kernel took and\n"
		"dropped later is in per_cpu/cpu*/stats of tracefs.\n"
		"\n"
		"To read a process takes the right to trace it: the same user's, or root's. It\n"
		"is neither stopped nor changed.\n"
		"\n"
		"The exit status is 1 when a process that was named is not shown, or when what\n"
		"any has cannot be read, or not as a whole.\n",
	.options = options,
};

/* What its child ends with. */
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

static size_t count_gone(const struct seen_session *session)
{
	size_t gone = 0;

	for (size_t i = 0; i < session->count; i++)
		gone += !session->events[i].name;
	return gone;
}

/* What is being shown. */
struct shown {
	const struct process *process;
	const struct copy *copy;
	int has_more; /* copies in the process */
	uint32_t reasons;
};

/* As text */

static int is_shown(const struct shown *shown, const struct seen_event *event)
{
	return event->name && (is_all || sum(event->lost, shown->reasons));
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
	const size_t gone = count_gone(session);
	const int width = width_of_names(shown, session);

	print_process(shown);
	printf(", descriptor %d (%s), %zu event%s: ", session->fd, kind_of(session->abi),
	       session->count, session->count == 1 ? "" : "s");
	print_lost(session->lost, shown->reasons);
	putchar('\n');
	for (size_t i = 0; i < session->count; i++)
		if (is_shown(shown, &session->events[i]))
			print_event(shown, &session->events[i], width);
	if (gone)
		printf("  %zu of them went away while registered\n", gone);
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
	printf(",\"events\":%zu,\"gone\":%zu", session->count, count_gone(session));
	print_lost_json(session->lost, shown->reasons);
	for (size_t i = 0; i < session->count; i++)
		if (session->events[i].name)
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

static const char *why_not(int error)
{
	switch (error) {
	case -EFAULT:
		return "what they point to is not there";
	case -ELOOP:
		return "they do not end";
	case -E2BIG:
		return "they are longer than any program's";
	case -EPROTO:
		return "they are not described as the library does";
	default:
		return "there is no memory left";
	}
}

static void complain(const struct shown *shown, const struct sight *sight, int error)
{
	const int pid = (int)shown->process->pid;
	const char *name = shown->process->name, *path = shown->copy->path;

	if (error == -ENOTSUP)
		message("Process %d (%s): %s keeps its lists in another way (%" PRIu32
			") than this tool knows (%u); use the tool of that version.", pid,
			name, path, sight->overview.version, UE_OVERVIEW_VERSION);
	else if (error == -EAGAIN)
		message("Process %d (%s) registers and unregisters events all the time; "
			"some may be missing.", pid, name);
	else
		message("Process %d (%s): The lists of %s cannot be read: %s. The process "
			"is damaged or deceives, or is about to end.", pid, name, path,
			why_not(error));
}

static enum outcome show_copy(const struct memory *memory, struct shown *shown)
{
	struct sight sight;
	int result = sight_read(memory, shown->copy, &sight);

	shown->reasons = sight.overview.loss_reasons;
	if (!result || result == -EAGAIN)
		print_sight(shown, &sight);
	if (result && !memory_is_over(memory))
		complain(shown, &sight, result);
	sight_free(&sight);
	return result ? FAILED : READ;
}

static enum outcome show_memory(const struct memory *memory,
				const struct process *process)
{
	struct shown shown = { .process = process };
	enum outcome outcome = READ;
	struct copies copies;
	int result = copies_find(memory, &copies);

	if (result && process->is_asked_for)
		process_complain(process, result);
	if (result)
		return result == -EACCES ? DENIED : FAILED;
	shown.has_more = copies.count > 1;
	for (size_t i = 0; i < copies.count; i++) {
		shown.copy = &copies.items[i];
		if (show_copy(memory, &shown) != READ)
			outcome = FAILED;
	}
	if (!copies.count)
		outcome = NOT_THERE;
	copies_free(&copies);
	return outcome;
}

/* Of interest only to whoever named it. */
static enum outcome tell_end(const struct process *process)
{
	if (!process->is_asked_for)
		return NOT_THERE;
	process_complain(process, -ESRCH);
	return FAILED;
}

static enum outcome show(const struct process *process)
{
	struct memory memory;
	int result = memory_open(&memory, process->pid);
	enum outcome outcome;

	if (result == -EACCES || result == -EPERM) {
		if (process->is_asked_for)
			process_complain(process, result);
		return DENIED;
	}
	if (result)
		return tell_end(process);
	outcome = show_memory(&memory, process);
	if (outcome != READ && memory_is_over(&memory))
		outcome = tell_end(process);
	memory_close(&memory);
	return outcome;
}

static int show_in_child(const void *process)
{
	return (int)show(process);
}

static enum outcome show_apart(const struct process *process)
{
	const int pid = (int)process->pid;
	int status, result = apart_call(show_in_child, process, SECONDS_MAX, &status);

	if (!result && WIFEXITED(status))
		return (enum outcome)WEXITSTATUS(status);
	if (!result)
		message("Process %d (%s) could not be read: who read it was ended by signal "
			"%d (%s).", pid, process->name, WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else if (result == -ETIMEDOUT)
		message("Process %d (%s) could not be read within %d seconds: what it has in "
			"memory does not come. It is left out.", pid, process->name,
			SECONDS_MAX);
	else if (result != -EPIPE) /* of which main() tells */
		message("Process %d (%s) could not be read: no process can be started for "
			"that: %s.", pid, process->name, strerror(-result));
	return FAILED;
}

/* All of them */

static int complain_of_absence(const struct process *process)
{
	message("Process %d (%s) does not use libuserevents, or uses one that is older "
		"than this command.", (int)process->pid, process->name);
	return EXIT_FAILED;
}

static void complain_of_denied(size_t denied, size_t seen)
{
	if (denied)
		message("%zu process%s not shown: to read %s takes %s.", denied,
			denied == 1 ? " is" : "es are", denied == 1 ? "it" : "them",
			geteuid() ? "root" : "CAP_SYS_PTRACE, which this root lacks, or a "
				      "security module forbids it");
	if (!seen)
		message("No process that may be read uses libuserevents.");
}

static int show_all(const struct processes *processes, int is_asked)
{
	size_t denied = 0, seen = 0;
	int status = EXIT_ALL_WORKED;

	for (size_t i = 0; i < processes->count && !ferror(stdout); i++) {
		const struct process *process = &processes->items[i];
		enum outcome outcome = show_apart(process);

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
	signal(SIGCHLD, SIG_DFL); /* who starts us may not care for children: we do */
	found = processes_find(&words, &processes);
	shown = show_all(&processes, argc > 0);
	processes_free(&processes);
	return found ? EXIT_FAILED : shown;
}
