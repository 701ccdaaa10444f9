/* SPDX-License-Identifier: MIT */
/* Reports what a program that was run lost, and why no event came. */
#include "program_report.h"

#include <string.h>
#include <sys/wait.h>

#include <userevents/session.h>

#include "common/cli/bytes.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "common/records/ring_text.h"

/* Report lost events; 1 if there are any. */
static int report_losses(const uint64_t *lost)
{
	const unsigned long long sum = losses_sum(lost);

	if (sum)
		message("%llu event%s %s lost: %s.", sum, PLURAL(sum), WERE(sum),
			losses_text(lost));
	return sum != 0;
}

#define NAMES_SHOWN 10

/* A program can register one of several events of a name. 1 if there is another. */
static int report_namesakes(const struct ue_capture *capture)
{
	const char *one = NULL;
	size_t count = 0;

	while (count < NAMES_SHOWN && (one = ue_capture_unregistered(capture, one))) {
		const char *other = ue_capture_namesake(capture, one);

		if (!other)
			continue;
		message("cannot register \"%s\": \"%s\" has its name, and other fields; rename "
			"one of them", one, other);
		count++;
	}
	return count > 0;
}

/* An event that was never registered is never enabled, and the program cannot notice. */
static void report_unregistered(const struct ue_capture *capture)
{
	const char *one = NULL;
	struct bytes names = { 0 };
	size_t count = 0;

	while ((one = ue_capture_unregistered(capture, one)))
		if (!ue_capture_namesake(capture, one))
			bytes_list(&names, count++, "%.*s", (int)strcspn(one, " "), one);
	if (count)
		message("%zu event%s never registered, so nothing can enable %s: %s; the "
			"program has to call ue_register_all().", count,
			count == 1 ? " was" : "s were", count == 1 ? "it" : "them",
			(const char *)names.at);
	bytes_free(&names);
}

/* No event came. status: of waitpid(2). */
static void report_none(const struct ue_capture_counts *counts, const struct filter *filter,
			const char *program, int status)
{
	if (!counts->registered && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_FOUND)
		message("cannot find out whether %s started: it ended with status 127, as the "
			"loader does when a library is missing; try: ldd %s", program, program);
	else if (!counts->registered && WIFSIGNALED(status))
		message("%s registered no events before the signal ended it.", program);
	else if (!counts->registered)
		message("%s registered no events. It " MUST_REGISTER ", and leave the "
			"descriptor open that " UE_ENVIRONMENT_FD " names; "
			IGNORES_VARIABLE ".", program);
	else
		message(filter->globs.count ?
				"%s registered %llu event%s and wrote none that -e matches." :
				"%s registered %llu event%s and wrote none.", program,
			(unsigned long long)counts->registered,
			counts->registered == 1 ? "" : "s");
}

int program_report(const struct ue_capture *capture, const struct stream *stream,
		   const char *program, int status)
{
	struct ue_capture_counts counts;
	int is_any_lost;

	ue_capture_count(capture, &counts);
	is_any_lost = report_losses(counts.lost);
	if (counts.malformed)
		message("cannot parse %llu record%s: code other than the library wrote to its "
			"capture", (unsigned long long)counts.malformed,
			PLURAL(counts.malformed));
	if (!counts.registered || (!counts.events && !is_any_lost))
		report_none(&counts, &stream->filter, program, status);
	filter_report_live(&stream->filter, &stream->kinds);
	report_unregistered(capture);
	return report_namesakes(capture) || is_any_lost || counts.malformed ||
	       !counts.registered;
}
