/* SPDX-License-Identifier: MIT */
/* Composes the unit of systemd that switches events on at boot. */
#include "boot_unit_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/event.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "kernel/tracefs/existing_events.h"

static void put(struct bytes *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void put(struct bytes *to, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = xvprintf(format, arguments);
	va_end(arguments);
	bytes_add(to, text, strlen(text));
	free(text);
}

/*
 * One word of a command, quoted as systemd.service(5) has it: '%' begins a specifier, '$' a
 * variable.
 */
static void put_word(struct bytes *to, const char *word)
{
	put(to, " \"");
	for (; *word; word++) {
		unsigned char byte = (unsigned char)*word;

		if (byte < ' ' || byte > '~')
			put(to, "\\x%02x", byte);
		else if (byte == '"' || byte == '\\')
			put(to, "\\%c", byte);
		else
			put(to, byte == '%' || byte == '$' ? "%c%c" : "%c", byte, byte);
	}
	put(to, "\"");
}

/* The definition of an event that exists, to be freed; NULL after a message. */
static char *definition_of(const struct instance *instance, const struct event_switch *item)
{
	struct tracepoint *tracepoint = event_open(instance->tracefs, item->system, item->name);
	char *definition = tracepoint ? event_definition(tracepoint) : NULL;

	tracepoint_free(tracepoint);
	if (definition && !ue_definition_check(definition, 0, NULL))
		return definition;
	message("cannot enable %s:%s at boot: its definition cannot be read from its format; "
		"give it with --register", item->system, item->name);
	free(definition);
	return NULL;
}

static int put_definitions(struct bytes *to, const struct instance *instance,
			   const struct kept_events *kept, const struct switches *switches)
{
	for (size_t i = 0; i < kept->definitions.count; i++) {
		put(to, " --register");
		put_word(to, kept->definitions.items[i]);
	}
	for (size_t i = 0; i < switches->count; i++) {
		const struct event_switch *item = &switches->items[i];
		char *definition;

		if (!item->is_wanted || item->is_new || strcmp(item->system, SYSTEM))
			continue;
		definition = definition_of(instance, item);
		if (!definition)
			return -1;
		put(to, " --register");
		put_word(to, definition);
		free(definition);
	}
	return 0;
}

static void put_names(struct bytes *to, const struct boot_facts *facts,
		      const struct switches *switches, enum boot_way way)
{
	for (size_t i = 0; i < switches->count; i++) {
		const struct event_switch *item = &switches->items[i];
		char *name;

		if (!item->is_wanted || boot_way_of(facts, item) != way)
			continue;
		name = xprintf("%s:%s", item->system, item->name);
		put_word(to, name);
		free(name);
	}
}

static size_t count_of(const struct boot_facts *facts, const struct switches *switches,
		       enum boot_way way)
{
	size_t count = 0;

	for (size_t i = 0; i < switches->count; i++)
		count += switches->items[i].is_wanted &&
			 boot_way_of(facts, &switches->items[i]) == way;
	return count;
}

static void put_command(struct bytes *to, const struct boot *boot, const char *tool)
{
	put(to, "ExecStart=%s enable", tool);
	if (boot->tracefs) {
		put(to, " --tracefs");
		put_word(to, boot->tracefs);
	}
	if (boot->instance) {
		put(to, " --instance");
		put_word(to, boot->instance);
	}
}

static void put_head(struct bytes *to, const struct boot *boot, const char *tool,
		     const char *tracefs)
{
	put(to, BOOT_UNIT_MARK "\n"
		"# It registers user events so that they stay, and switches events on, before\n"
		"# services start.\n"
		"[Unit]\n"
		"Description=Switch on events of programs and of the kernel\n"
		"DefaultDependencies=no\n"
		"Wants=sys-kernel-tracing.mount\n"
		"After=local-fs.target sys-kernel-tracing.mount\n"
		"RequiresMountsFor=%s%s%s\n"
		"Conflicts=shutdown.target\n"
		"Before=sysinit.target shutdown.target\n\n"
		"[Service]\n"
		"Type=oneshot\n"
		"RemainAfterExit=yes\n", tool, boot->tracefs ? " " : "",
		boot->tracefs ? boot->tracefs : "");
	if (!boot->instance)
		return;
	put(to, "ExecStart=/bin/mkdir -p");
	put_word(to, xprintf("%s/instances/%s", boot->tracefs ? boot->tracefs : tracefs,
			     boot->instance));
	put(to, "\n");
}

int boot_unit_compose(struct bytes *to, const struct boot *boot, const char *tool,
		      const struct instance *instance, const struct kept_events *kept,
		      const struct switches *switches)
{
	struct boot_facts facts;
	int result = 0;

	boot_facts_read(&facts, instance);
	put_head(to, boot, tool, instance->tracefs);
	if (count_of(&facts, switches, BOOT_ARGUMENT) || count_of(&facts, switches, BOOT_USER)) {
		put_command(to, boot, tool);
		result = put_definitions(to, instance, kept, switches);
		put_names(to, &facts, switches, BOOT_ARGUMENT);
		put(to, "\n");
	}
	/* last, as it fails without the module */
	if (count_of(&facts, switches, BOOT_MODULE)) {
		put_command(to, boot, tool);
		put_names(to, &facts, switches, BOOT_MODULE);
		put(to, "\n");
	}
	put(to, "\n[Install]\nWantedBy=sysinit.target\n");
	boot_facts_free(&facts);
	return result;
}
