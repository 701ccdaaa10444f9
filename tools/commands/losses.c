/* SPDX-License-Identifier: MIT */
/*
 * userevents losses: print the losses of running processes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <userevents/loss.h>
#include <userevents/session.h>

#include "commands.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/process/process_losses.h"
#include "common/records/ring_record.h"

#define NAME_WIDTH 24 /* of the column of names */

static int is_all, is_json;

static const struct tool_option options[] = {
	{ .name = "all", .letter = 'a', .flag = &is_all,
	  .help = "Also events that lost nothing, and reasons that did not\n"
		  "occur. JSON has them anyway." },
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines instead of text: one for each descriptor, one for\n"
		  "each event." },
	OPTIONS_END,
};

static const struct usage usage = {
	.command = "losses",
	.verb = "show losses",
	.arguments = "[PID|NAME...]",
	.help = "Prints what running processes that use libuserevents have lost, by reason: for\n"
		"each descriptor from ue_open(), and for each event that lost something.\n"
		"Without arguments, prints every process that this user may read; a NAME is a\n"
		"process name or a glob.\n"
		"\n"
		"  too large             for one of its readers\n"
		"  no rights             refused by the kernel\n"
		"  ring or capture full  it has no reader, or its reader is behind\n"
		"  interrupted           by a signal, while waiting for a ring or capture\n"
		"  other                 a wrong payload or descriptor\n"
		"\n"
		"A descriptor counts what was lost through it until it is closed, including\n"
		"writes of events that are unregistered now. An event counts from its\n"
		"registration on. The child of a fork continues its parent's counts.\n"
		"Writes of disabled events are not losses; events that the kernel accepted and\n"
		"dropped later are counted in per_cpu/cpu*/stats of tracefs.\n"
		"\n"
		"Reading a process requires the right to trace it: the same user, or root. The\n"
		"process is neither stopped nor changed, and must have the word size of this\n"
		"tool. A process whose memory does not arrive within 5 seconds is left out.\n"
		"\n"
		"The exit status is 1 if a process that was named is not shown, or if one\n"
		"cannot be read completely.\n",
	.options = options,
};

/* Counts */

static uint64_t sum(const uint32_t *lost)
{
	uint64_t total = 0;

	for (int i = 0; i < UE_LOSS_REASONS; i++)
		total += lost[i];
	return total;
}

/* "lost 25: 20 too large, 5 other". */
static void print_lost(const uint32_t *lost)
{
	const uint64_t total = sum(lost);
	const char *before = ": ";

	if (!total && !is_all) {
		puts("lost nothing");
		return;
	}
	printf("lost %" PRIu64, total);
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		if (lost[i] || is_all) {
			printf("%s%" PRIu32 " %s", before, lost[i],
			       ue_name(UE_NAME_LOSS, (uint32_t)i));
			before = ", ";
		}
	putchar('\n');
}

static void print_lost_json(const uint32_t *lost)
{
	printf(",\"lost\":{");
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		printf("%s\"%s\":%" PRIu32, i ? "," : "", loss_key((enum ue_loss)i), lost[i]);
	fputs("}}\n", stdout);
}

static const char *kind_of(uint32_t abi)
{
	switch (abi) {
	case UE_ABI_ENABLE_ADDRESS:
		return "enable address";
	case UE_ABI_STATUS_PAGE:
		return "status page";
	case UE_ABI_CAPTURE:
		return "capture";
	case UE_ABI_RING:
		return "ring";
	default:
		return "unknown";
	}
}

/* Text */

static void print_text(const char *text)
{
	controls_print(text, strlen(text));
}

static void print_process(const struct process *process)
{
	printf("%d ", (int)process->pid);
	print_text(process->name);
}

static void print_event(const struct event_losses *event)
{
	const int missing = NAME_WIDTH - (int)strlen(event->name);

	fputs("  ", stdout);
	print_text(event->name);
	printf("%*s", (missing > 0 ? missing : 0) + 2, "");
	print_lost(event->lost);
}

static void print_session(const struct process *process, const char *library,
			  const struct session_losses *session)
{
	print_process(process);
	if (library) {
		fputs(", ", stdout);
		print_text(library);
	}
	printf(", descriptor %d (%s), %zu event%s: ", session->fd, kind_of(session->abi),
	       session->count, session->count == 1 ? "" : "s");
	print_lost(session->lost);
	for (size_t i = 0; i < session->count; i++)
		if (is_all || sum(session->events[i].lost))
			print_event(&session->events[i]);
}

/* JSON */

static void print_head_json(const struct process *process,
			    const struct session_losses *session)
{
	printf("{\"pid\":%d", (int)process->pid);
	json_member("process", process->name, strlen(process->name), 0);
	printf(",\"fd\":%d", session->fd);
}

static void print_session_json(const struct process *process,
			       const struct session_losses *session)
{
	const char *kind = kind_of(session->abi);

	print_head_json(process, session);
	json_member("kind", kind, strlen(kind), 0);
	json_member("library", session->library, strlen(session->library), 0);
	printf(",\"events\":%zu", session->count);
	print_lost_json(session->lost);
	for (size_t i = 0; i < session->count; i++) {
		const struct event_losses *event = &session->events[i];

		print_head_json(process, session);
		json_member("event", event->name, strlen(event->name), 0);
		print_lost_json(event->lost);
	}
}

/* Processes */

static void print_losses(const struct process *process,
			 const struct process_losses *losses, int is_asked)
{
	for (size_t i = losses->count; i-- > 0;) {
		const struct session_losses *one = &losses->sessions[i];

		if (is_json)
			print_session_json(process, one);
		else
			print_session(process, losses->copies > 1 ? one->library : NULL,
				      one);
	}
	if (!losses->count && !losses->error && !is_json && (is_all || is_asked)) {
		print_process(process);
		puts(": no descriptor is open");
	}
}

/* An error that only matters if the process was named. */
static int is_passed_over(int error)
{
	return error == -EACCES || error == -EPERM || error == -ESRCH ||
	       error == -ENOENT || error == -ENOEXEC;
}

struct shown {
	int is_asked, status;
	size_t denied, seen;
};

static int show(const struct process *process, void *context)
{
	struct process_losses *losses = process_losses_read(process->pid, 0);
	const int error = losses->error, is_passed = is_passed_over(error);
	struct shown *shown = context;

	print_losses(process, losses, shown->is_asked);
	process_losses_free(losses);
	shown->denied += error == -EACCES || error == -EPERM;
	shown->seen += !is_passed;
	if (error && (shown->is_asked || !is_passed)) {
		message("cannot read process %d (%s): %s", (int)process->pid,
			process->name, process_losses_reason(error));
		shown->status = EXIT_FAILED;
	}
	return ferror(stdout);
}

static int command_losses(int argc, char **argv)
{
	struct words words = { (const char **)argv, (size_t)argc };
	struct shown shown = { .is_asked = argc > 0, .status = EXIT_ALL_WORKED };

	if (processes_find(&words, show, &shown))
		shown.status = EXIT_FAILED;
	if (argc > 0 || ferror(stdout))
		return shown.status;
	if (shown.denied)
		message("cannot show %zu process%s: %s", shown.denied,
			shown.denied == 1 ? "" : "es",
			geteuid() ? "only root may read them" : process_losses_reason(-EACCES));
	if (!shown.seen)
		message("no process that may be read uses libuserevents");
	return shown.status;
}

const struct command losses_command = { &usage, command_losses };
