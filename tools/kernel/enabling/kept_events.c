/* SPDX-License-Identifier: MIT */
/* Registers user events that outlast the command. */
#include "switches.h"

#include <errno.h>
#include <string.h>

#include <userevents/event.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/tracefs/tracing_files.h"

static int has_name(const struct words *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->items[i], name))
			return 1;
	return 0;
}

int kept_events_check(struct kept_events *kept, const struct words *definitions)
{
	int status = 0;

	*kept = (struct kept_events){ .fd = -1 };
	for (size_t i = 0; i < definitions->count; i++) {
		const char *definition = definition_complete(definitions->items[i], 0, "");
		char *name;

		if (!definition) {
			status = EXIT_WRONG_USAGE;
			continue;
		}
		name = xstrndup(definition, strcspn(definition, " "));
		if (has_name(&kept->names, name)) {
			message("cannot register %s: it is given twice", name);
			status = EXIT_WRONG_USAGE;
		}
		words_add(&kept->definitions, definition);
		words_add(&kept->names, name);
	}
	return status;
}

static int exists(const char *tracefs, const char *name)
{
	struct tracepoint *tracepoint = event_open(tracefs, SYSTEM, name);

	if (tracepoint)
		tracepoint_free(tracepoint);
	return tracepoint != NULL;
}

/*
 * Kernels that lack the flag refuse it with -EINVAL, and it takes a right of root. An event
 * that is registered without it stays as long as it is switched on, which uses it.
 */
static int register_one(struct kept_events *kept, const char *definition, const char *name)
{
	struct ue_event *event = xcalloc(1, sizeof(*event));
	const int stays = ue_abi(kept->fd) == UE_ABI_STATUS_PAGE;
	int result = ue_event_init(event, definition, stays ? 0 : UE_EVENT_PERSIST);

	if (!result)
		result = ue_register(kept->fd, event);
	if (!result)
		return 0;
	if (!stays && !ue_event_init(event, definition, 0))
		result = ue_register(kept->fd, event);
	if (!result) {
		words_add(&kept->fleeting, name);
		return 0;
	}
	message("cannot register %s: %s", name, ue_explain(UE_CALL_REGISTER, result));
	return -1;
}

int kept_events_register(struct kept_events *kept, const char *tracefs)
{
	kept->tracefs = tracefs;
	if (!kept->definitions.count)
		return 0;
	kept->fd = session_open(tracefs);
	if (kept->fd < 0)
		return -1;
	for (size_t i = 0; i < kept->definitions.count; i++) {
		const char *name = kept->names.items[i];
		int is_new = !exists(tracefs, name);

		if (register_one(kept, kept->definitions.items[i], name)) {
			kept_events_take_back(kept);
			return -1;
		}
		if (is_new)
			words_add(&kept->created, name);
		if (event_check_trust_of(tracefs, name)) {
			kept_events_take_back(kept);
			return -1;
		}
	}
	return 0;
}

void kept_events_close(struct kept_events *kept)
{
	if (kept->fd >= 0)
		ue_close(kept->fd);
	kept->fd = -1;
}

void kept_events_take_back(struct kept_events *kept)
{
	const struct ue_open_opts opts = session_opts(kept->tracefs);

	kept_events_close(kept);
	for (size_t i = 0; i < kept->created.count; i++) {
		int result = ue_delete(kept->created.items[i], &opts);

		/* another program has it by now, or it went away by itself */
		if (result && result != -EBUSY && result != -ENOENT)
			message("cannot delete %s again: %s", kept->created.items[i],
				ue_explain(UE_CALL_DELETE, result));
	}
}

void kept_events_report(const struct kept_events *kept)
{
	for (size_t i = 0; i < kept->fleeting.count; i++)
		message("%s goes away when it is switched off and no program has it registered: "
			"this kernel (before Linux 6.7), or this user's rights, cannot make it "
			"persistent.", kept->fleeting.items[i]);
}
