/* SPDX-License-Identifier: MIT */
/*
 * Registers events before a recording.
 *
 * A tool can attach only to a tracepoint that exists, and a program that lives for 5 ms
 * has ended before a tool notices the tracepoint that it registered. But the program's
 * file lists its events. So they are registered from there before the program starts, and
 * kept as long as it runs: by this session from Linux 6.4 on; before that they stay by
 * themselves, and those that did not exist are deleted at the end.
 */
#include "recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <userevents/event.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/process/process_losses.h"
#include "kernel/tracefs/tracing_files.h"

struct registering {
	struct recording *recording;
	struct words definitions; /* registered so far */
	const char *program; /* its events were asked for; NULL: those of the command */
	const char *path; /* of the file that has them */
	size_t count; /* of the program's events */
	int status;
	int was_refused; /* the session */
};

static int is_known(const struct registering *registering, const char *definition)
{
	for (size_t i = 0; i < registering->definitions.count; i++)
		if (!strcmp(registering->definitions.items[i], definition))
			return 1;
	return 0;
}

/* On Linux up to 6.3 it must be deleted at the end. */
static void note_created(struct recording *recording, const char *definition)
{
	char *name = xstrndup(definition, strcspn(definition, " "));
	AUTO_FREE char *place = xprintf("events/" SYSTEM "/%s", name);
	AUTO_FREE char *path = tracing_path(recording->recorder.tracefs, place);

	if (ue_abi(recording->fd) == UE_ABI_STATUS_PAGE && access(path, F_OK))
		words_add(&recording->created, name);
}

/* It is tried once, as each failure is a message. */
static int open_session(struct registering *registering)
{
	struct recording *recording = registering->recording;

	if (recording->fd < 0 && !registering->was_refused)
		recording->fd = session_open(recording->tracefs);
	registering->was_refused = recording->fd < 0;
	return registering->was_refused ? -1 : 0;
}

static int register_one(struct registering *registering, const char *definition,
			uint32_t flags)
{
	if (is_known(registering, definition))
		return 0;
	words_add(&registering->definitions, definition);
	return session_register(registering->recording->fd, definition, flags) ? 0 : -1;
}

/* Programs */

static void take_event(struct registering *registering, const struct defined_event *event)
{
	struct recording *recording = registering->recording;
	const char *definition = NULL;

	if (!event->problem)
		definition = definition_complete(event->definition, event->flags, "");
	if (!definition) {
		if (event->problem)
			message("cannot register \"%s\" of %s: %s", event->definition,
				registering->path, event->problem);
		registering->status = EXIT_FAILED;
		return;
	}
	if (!registering->program && !is_known(registering, definition))
		note_created(recording, definition);
	if (register_one(registering, definition, event->flags))
		registering->status = EXIT_FAILED;
}

static void take_events(const char *path, const struct defined_events *events,
			const char *why, void *context)
{
	struct registering *registering = context;

	registering->path = path;
	if (why) {
		message("cannot register all events of %s: %s", path, why);
		registering->status = EXIT_FAILED;
	}
	registering->count += events->count;
	if (events->count && open_session(registering)) {
		registering->status = EXIT_FAILED;
		return;
	}
	for (size_t i = 0; i < events->count; i++)
		take_event(registering, &events->events[i]);
}

static int register_program(struct registering *registering, const char *program)
{
	registering->program = program;
	registering->count = 0;
	registering->status = 0;
	command_events_each(program, take_events, registering);
	if (registering->count || registering->status)
		return registering->status;
	message("cannot register the events of %s: %s", program,
		access(program, R_OK) ? strerror(errno) :
					"it has no UE_EVENT() or UE_TRACEPOINT()");
	return EXIT_FAILED;
}

/* Without the file nothing can be registered, here or by the command. */
static int has_user_events(const struct recording *recording)
{
	AUTO_FREE char *path =
		tracing_path(recording->recorder.tracefs, "user_events_data");

	return !access(path, F_OK);
}

/* The command itself registers them later, if it can: a failure here ends nothing. */
static void register_command(struct registering *registering, const char *command)
{
	if (!has_user_events(registering->recording))
		return;
	registering->program = NULL;
	registering->status = 0;
	command_events_each(command, take_events, registering);
	registering->recording->recorder.left_out += registering->status != 0;
}

/* --register */

/* No event's name has a '/'. */
static int is_program(const char *word)
{
	return memchr(word, '/', strcspn(word, " ")) != NULL;
}

/* Check all of them first. */
static int complete_all(struct words *words)
{
	for (size_t i = 0; i < words->count; i++) {
		if (is_program(words->items[i]))
			continue;
		words->items[i] = definition_complete(words->items[i], 0, "");
		if (!words->items[i])
			return EXIT_WRONG_USAGE;
	}
	return 0;
}

static int register_words(struct registering *registering, const struct words *words)
{
	int status = 0;

	for (size_t i = 0; i < words->count && !status; i++) {
		const char *word = words->items[i];

		if (is_program(word))
			status = register_program(registering, word);
		else if (open_session(registering) ||
			 register_one(registering, word, 0))
			status = EXIT_FAILED;
	}
	return status;
}

int register_first(struct recording *recording, const char *command)
{
	struct registering registering = { .recording = recording };
	int status = complete_all(&recording->definitions);

	recording->fd = -1;
	if (!status)
		status = register_words(&registering, &recording->definitions);
	if (!status && command)
		register_command(&registering, command);
	return status;
}

void register_first_end(struct recording *recording)
{
	const struct ue_open_opts opts = session_opts(recording->tracefs);

	if (recording->fd >= 0)
		ue_close(recording->fd);
	recording->fd = -1;
	/* One that another program has by now, or a child of the command, stays: -EBUSY. */
	for (size_t i = 0; i < recording->created.count; i++)
		ue_delete(recording->created.items[i], &opts);
}
