/* SPDX-License-Identifier: MIT */
/* Registers user events that outlast the command. */
#include "switches.h"

#include <errno.h>
#include <string.h>

#include <userevents/event.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/tracefs/tracing_files.h"
#include "kernel/control/instance.h"

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

/*
 * Finds the way to switch an event on as the system starts.
 *
 * The kernel's argument trace_event= is obeyed before the first program runs. It is not
 * remembered for events that appear later: user events, those of modules, and probes.
 */

void boot_facts_read(struct boot_facts *facts, const struct instance *instance)
{
	AUTO_FREE char *path = xprintf("%s/dynamic_events", instance->tracefs);

	facts->dynamic = read_file(path, NULL);
	facts->symbols = read_file("/proc/kallsyms", NULL);
}

void boot_facts_free(struct boot_facts *facts)
{
	free(facts->dynamic);
	free(facts->symbols);
	*facts = (struct boot_facts){ 0 };
}

/* Probes and synthetic events: lines such as "p:GROUP/NAME ...". */
static int is_dynamic(const struct boot_facts *facts, const struct event_switch *item)
{
	AUTO_FREE char *name = xprintf(":%s/%s", item->system, item->name);
	const char *at = facts->dynamic;
	int is_found = 0;

	while (at && !is_found && (at = strstr(at, name))) {
		at += strlen(name);
		is_found = !*at || strchr(" \t\n", *at);
	}
	return is_found;
}

/* Each tracepoint has a function, behind whose name is that of its module: "\t[NAME]". */
static int is_of_module(const struct boot_facts *facts, const struct event_switch *item)
{
	AUTO_FREE char *name = xprintf(" __traceiter_%s\t[", item->name);

	return facts->symbols && strstr(facts->symbols, name);
}

enum boot_way boot_way_of(const struct boot_facts *facts, const struct event_switch *item)
{
	if (!strcmp(item->system, SYSTEM))
		return BOOT_USER;
	if (!strcmp(item->system, SYSTEM_MULTI) || is_dynamic(facts, item))
		return BOOT_NONE;
	return is_of_module(facts, item) ? BOOT_MODULE : BOOT_ARGUMENT;
}

int boot_has_argument(const struct boot *boot)
{
	enum { TRACE_INSTANCE = 6003 };

	return !boot->instance || kernel_version() >= TRACE_INSTANCE;
}

char *boot_arguments(const struct boot *boot, const struct boot_facts *facts,
		     const struct switches *switches)
{
	char *text = boot->instance ? xprintf("trace_instance=%s", boot->instance) :
				      xstrdup("trace_event=");
	size_t count = 0;

	for (size_t i = 0; i < switches->count; i++) {
		const struct event_switch *item = &switches->items[i];

		if (!item->is_wanted || boot_way_of(facts, item) != BOOT_ARGUMENT)
			continue;
		xappend(&text, "%s%s:%s", count || boot->instance ? "," : "",
			item->system, item->name);
		count++;
	}
	if (!count || !boot_has_argument(boot))
		*text = '\0';
	return text;
}

/* The kernel's arguments have 2,048 bytes on x86, and others are needed, too. */
#define LENGTH_MAX 1500

static int complain_of(const struct event_switch *item, enum boot_way way)
{
	static const char *const reasons[] = {
		[BOOT_USER] = "it does not exist yet as the kernel starts; use --at-boot, which "
			      "writes a unit",
		[BOOT_MODULE] = "its module is loaded later; use --at-boot, which writes a unit",
		[BOOT_NONE] = "it was made while the kernel runs, and is not there after a boot",
	};

	message("cannot enable %s:%s by an argument of the kernel: %s", item->system,
		item->name, reasons[way]);
	return -1;
}

int boot_print_arguments(const struct boot *boot, const struct instance *instance,
			 const struct switches *switches)
{
	struct boot_facts facts;
	AUTO_FREE char *text = NULL;
	int result = 0;

	if (!boot_has_argument(boot)) {
		message("cannot enable events of an instance by an argument of the kernel: that "
			"is trace_instance, of Linux 6.3; use --at-boot, which writes a unit");
		return -1;
	}
	boot_facts_read(&facts, instance);
	for (size_t i = 0; i < switches->count; i++) {
		const struct event_switch *item = &switches->items[i];
		enum boot_way way = boot_way_of(&facts, item);

		if (item->is_wanted && way != BOOT_ARGUMENT)
			result = complain_of(item, way);
	}
	if (!result)
		text = boot_arguments(boot, &facts, switches);
	if (text && strlen(text) > LENGTH_MAX) {
		message("cannot enable these events by arguments of the kernel: they take %zu "
			"bytes, and the kernel has room for some 2,000; name fewer",
			strlen(text));
		result = -1;
	} else if (text) {
		puts(text);
	}
	boot_facts_free(&facts);
	return result;
}
