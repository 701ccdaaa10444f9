/* SPDX-License-Identifier: MIT */
/* Creates synthetic events and the triggers that write them, or nothing at all. */
#include "synth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/program.h"
#include "kernel/control/instance.h"
#include "kernel/filter/kfilter.h"
#include "kernel/tracefs/tracing_files.h"

/* Definitions */

/* Types that people write in vain, and their meanings. */
static const char *const meant[][2] = {
	{ "short", "s16" },
	{ "unsigned short", "u16" },
	{ "unsigned", "unsigned int" },
	{ "long long", "s64" },
	{ "unsigned long long", "u64" },
	{ "size_t", "unsigned long" },
	{ "signed char", "s8" },
	{ "signed int", "int" },
	{ "uint8_t", "u8" },
	{ "uint16_t", "u16" },
	{ "uint32_t", "u32" },
	{ "uint64_t", "u64" },
	{ "int8_t", "s8" },
	{ "int16_t", "s16" },
	{ "int32_t", "s32" },
	{ "int64_t", "s64" },
	{ "unsigned short int", "u16" },
	{ "__rel_loc char", "char" },
	{ "__data_loc char", "char" },
};

#define BLANKS " \t\n"

/* The field at a place, without brackets, one blank between words; to be freed. */
static char *field_at(const char *text, size_t at)
{
	size_t length = 0;
	char *field;

	while (at && text[at - 1] != ';')
		at--;
	if (!at) /* behind the name */
		at = strcspn(text, BLANKS);
	at += strspn(text + at, BLANKS);
	field = xcalloc(strcspn(text + at, ";") + 1, 1);
	for (const char *c = text + at; *c && *c != ';'; c++) {
		if (*c == '[')
			c += strcspn(c, "];") - (c[strcspn(c, "];")] != ']');
		else if (!strchr(BLANKS, *c))
			field[length++] = *c;
		else if (length && field[length - 1] != ' ')
			field[length++] = ' ';
	}
	while (length && field[length - 1] == ' ')
		field[--length] = '\0';
	return field;
}

/* The kernel does not name the types that it has. The fix, to be freed, or NULL. */
static char *meant_by(const struct refusal *refusal)
{
	char *field = field_at(refusal->command, refusal->at), *result = NULL;
	char *name = strrchr(field, ' ');

	if (name)
		*name++ = '\0';
	for (size_t i = 0; name && !result && i < sizeof(meant) / sizeof(meant[0]); i++)
		if (!strcmp(field, meant[i][0]))
			result = xprintf("write %s", meant[i][1]);
	if (name && *name == '*')
		result = xprintf("texts are char %s[]", name + 1);
	else if (name && !result && strchr(refusal->command + refusal->at, '[') &&
		 strncmp(field, "char", 4))
		result = xstrdup("only char has arrays, in kernels up to Linux 6.12");
	free(field);
	return result;
}

static void explain(const char *tracefs, const char *name, const struct refusal *refusal)
{
	char *verb = xprintf("create %s", name),
	     *path = tracing_path(tracefs, "synthetic_events");
	AUTO_FREE char *fix = refusal->command && refusal->at &&
					      refusal->at < strlen(refusal->command) ?
				      meant_by(refusal) :
				      NULL;

	if (tracing_lacks(tracefs, TRACING_SYNTHETIC_EVENTS, verb)) {
		/* it has said so */
	} else if (refusal->error == EEXIST) {
		message("cannot %s: it exists; delete it first, with: userevents synth delete %s",
			verb, name);
	} else if (fix) {
		message("cannot %s: %s; %s", verb, refusal->reason, fix);
		message_caret(refusal->command, refusal->at);
	} else {
		refusal_report(refusal, verb);
	}
	free(path);
	free(verb);
}

/* Write the definition: 0, or -1 after a message. */
static int define(const char *tracefs, const char *name, const char *text)
{
	AUTO_FREE char *path = tracing_path(tracefs, "synthetic_events");
	AUTO(refusal_free) struct refusal refusal;
	int result = control_try(tracefs, path, text, &refusal);

	if (result)
		explain(tracefs, name, &refusal);
	return result ? -1 : 0;
}

/* fields: "u8 a; char[] b", as the kernel lists them. It takes two of one name. */
static void doubt(const char *fields)
{
	char *copy = xstrdup(fields), *rest = copy, *field;
	struct words names = { 0 };

	while ((field = strsep(&rest, ";"))) {
		const char *name = strrchr(field, ' ') ? strrchr(field, ' ') + 1 : field;

		if (!strncmp(name, "common_", strlen("common_")))
			message("doubtful definition: the field's name \"%s\" begins with "
				"\"common_\", as those of the kernel do",
				name);
		for (size_t i = 0; i < names.count; i++)
			if (!strcmp(names.items[i], name))
				message("doubtful definition: two fields are called \"%s\"",
					name);
		words_add(&names, name);
	}
	free(names.items);
	free(copy);
}

/* Print an event as the kernel lists it. */
static int show(const char *tracefs, const char *name)
{
	AUTO(synth_events_free) struct synth_events events;
	const struct synth_event *event;
	int result = synth_events_read(tracefs, &events);

	event = result ? NULL : synth_events_find(&events, name);
	if (event) {
		printf("%s %s\n", name, event->fields);
		doubt(event->fields);
	}
	return result;
}

int synth_define(const char *tracefs, const char *text)
{
	const size_t begin = strspn(text, BLANKS),
		     length = strcspn(text + begin, BLANKS ";");
	AUTO_FREE char *name = xstrndup(text + begin, length),
		       *line = xstrdup(text + begin);
	int result = -1;

	/* it would begin another definition */
	for (char *c = line; *c; c++)
		*c = *c == '\n' ? ' ' : *c;

	if (!length)
		message("cannot create the synthetic event: it has no name; write NAME TYPE "
			"FIELD; ...");
	else if (*name == '!')
		message("cannot create the synthetic event: it begins with \"!\", by which the "
			"kernel removes one; use: userevents synth delete %s",
			name + 1);
	else
		result = define(tracefs, name, line) || show(tracefs, name) ? -1 : 0;
	return result;
}

/* Events of two */

/* Things that exist, to be taken back after a failure. */
struct creation {
	const struct synth_wish *wish;
	struct instance instance;
	struct event_list from, to;
	struct synth_pair pair;
	int made_instance, made_event;
	struct found_trigger set[2]; /* directory and text; unset: NULL */
	size_t set_count;
};

static void take_back(struct creation *creation)
{
	while (creation->set_count)
		found_trigger_remove(&creation->set[--creation->set_count]);
	if (creation->made_event)
		synth_event_remove(creation->instance.tracefs, creation->wish->name);
	if (creation->made_instance)
		instance_remove(&creation->instance);
}

static int sum_entries(void *context, const char *path, const char *name)
{
	AUTO_FREE char *file = xprintf("%s/stats", path), *text = read_file(file, NULL);
	unsigned long long *sum = context, entries;

	(void)name;
	if (text && sscanf(text, "entries: %llu", &entries) == 1)
		*sum += entries;
	return 0;
}

/* Setting the clock throws the instance's recorded events away. */
static int check_recorded(struct creation *creation, int discards)
{
	AUTO_FREE char *path = instance_path(&creation->instance, "per_cpu");
	unsigned long long sum = 0;

	if (creation->pair.uses_clock && !discards)
		directories_each(path, sum_entries, &sum);
	if (!sum)
		return 0;
	return wish_refuse(creation->wish, "to measure time, the kernel would discard the %llu "
			   "recorded events of the instance \"%s\"; add --discard, or use "
			   "another instance", sum, creation->instance.name);
}

static int prepare_instance(struct creation *creation, const char *tracefs, const char *name,
			    int discards)
{
	AUTO_FREE char *path = xprintf("%s/instances/%s", tracefs, name);

	creation->made_instance = access(path, F_OK) && errno == ENOENT;
	if (instance_open_or_make(&creation->instance, tracefs, name)) {
		creation->made_instance = 0;
		return -1;
	}
	return check_recorded(creation, discards);
}

/* Limits of the kernels up to Linux 6.12, which refuse more without a reason. */
#define KEYS_MAX 3
#define VARIABLES_MAX 16

/* Names in trace() and save() have at least two characters for the kernel. */
static const char *short_name(const struct synth_wish *wish)
{
	if (wish->name[1] == '\0')
		return wish->name;
	for (const char *name = wish->save; name; name = strchr(name, ',')) {
		name += *name == ',';
		if (strcspn(name, ",") == 1)
			return name;
	}
	return NULL;
}

static int lacks_snapshots(const struct creation *creation)
{
	return creation->wish->snapshot &&
	       !tracing_has(creation->instance.tracefs, TRACING_SNAPSHOTS);
}

/* The kernel has no reason for its limits: -1 after a message, or 0. */
static int explain_limits(const struct creation *creation)
{
	const struct synth_wish *wish = creation->wish;
	const char *name = short_name(wish);

	if (wish->keys.count > KEYS_MAX)
		return wish_refuse(wish,
				   "there are %zu keys; kernels up to Linux 6.12 take %d",
				   wish->keys.count, KEYS_MAX);
	if (creation->pair.variables > VARIABLES_MAX)
		return wish_refuse(wish,
				   "it needs %zu variables, and kernels up to Linux 6.12 "
				   "have %d for a trigger; leave out some of the fields",
				   creation->pair.variables, VARIABLES_MAX);
	if (name)
		return wish_refuse(wish,
				   "the kernel takes no name of one character, such as "
				   "\"%.1s\", in an action; use a longer one",
				   name);
	if (lacks_snapshots(creation))
		return wish_refuse(
			wish, "%s", tracing_feature_lack(TRACING_SNAPSHOTS));
	if (wish->size < 128 || wish->size > SYNTH_SIZE_DEFAULT)
		return wish_refuse(
			wish, "kernels up to Linux 6.12 keep 128 to %d keys (--size)",
			SYNTH_SIZE_DEFAULT);
	return 0;
}

static void explain_trigger(const struct creation *creation,
			    const struct listed_event *event, const char *filter,
			    const struct refusal *refusal)
{
	const int is_in_filter =
		filter && (!refusal->command || !strcmp(refusal->command, filter));
	char *verb = xprintf("create %s", creation->wish->name);

	if (!(is_in_filter && kfilter_accept(filter, event, verb)) &&
	    !explain_limits(creation)) {
		free(verb);
		verb = xprintf("create %s: %s:%s refuses its trigger",
			       creation->wish->name, event->system, event->name);
		refusal_report(refusal, verb);
	}
	free(verb);
}

/* filter: the last part of the trigger, or NULL. */
static int set_trigger(struct creation *creation, const struct listed_event *event,
		       char *text, const char *filter)
{
	AUTO_FREE char *path = instance_event_path(&creation->instance, event, "trigger");
	AUTO(refusal_free) struct refusal refusal;
	int result = control_try(creation->instance.directory, path, text, &refusal);

	if (result)
		explain_trigger(creation, event, filter, &refusal);
	else
		creation->set[creation->set_count++] = (struct found_trigger){
			.directory = instance_event_path(&creation->instance, event, "."),
			.text = text,
		};
	if (!result && filter)
		kfilter_warn(filter, event);
	return result ? -1 : 0;
}

static int set_up(struct creation *creation, const char *tracefs)
{
	AUTO_FREE char *path = NULL;
	int result;

	if (define(tracefs, creation->wish->name, creation->pair.definition))
		return -1;
	creation->made_event = 1;
	if (set_trigger(creation, &creation->from.events[0], creation->pair.from_trigger,
			creation->wish->where_from) ||
	    set_trigger(creation, &creation->to.events[0], creation->pair.to_trigger,
			creation->wish->where_to))
		return -1;
	path = instance_path(&creation->instance, "events/synthetic/%s/enable",
			     creation->wish->name);
	result = control_write(path, "1");
	if (result)
		wish_refuse(creation->wish, "enabling it failed: %s", strerror(-result));
	return result;
}

static void tell(const struct creation *creation)
{
	const char *made = creation->made_instance ? ", which was made for it" : "";

	printf("%s\n", creation->pair.definition);
	printf("It is written into the instance \"%s\"%s. To see it:\n"
	       "    cat %s/trace_pipe\n", creation->instance.name, made,
	       creation->instance.directory);
}

/* Find both events, which every instance has, before anything is made. */
static int look(struct creation *creation, const char *tracefs)
{
	struct instance top;
	int result;

	if (instance_open(&top, tracefs, NULL))
		return -1;
	result = instance_find_to_enable(&top, creation->wish->from, &creation->from) ||
		 instance_find_to_enable(&top, creation->wish->to, &creation->to) ||
		 synth_pair_make(creation->wish, &creation->from.events[0],
				 &creation->to.events[0], &creation->pair);
	instance_close(&top);
	return result ? -1 : 0;
}

int synth_create(const char *tracefs, const char *instance, const struct synth_wish *wish,
		 int discards)
{
	struct creation creation = { .wish = wish };
	int result = look(&creation, tracefs);
	sigset_t before;

	/* nothing is left half set up, and its name is not one that cleanup knows */
	signals_hold(&before);
	result = result || prepare_instance(&creation, tracefs, instance, discards) ||
		 set_up(&creation, tracefs);
	if (result)
		take_back(&creation);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!result)
		tell(&creation);
	for (size_t i = 0; i < creation.set_count; i++)
		free(creation.set[i].directory);
	event_list_free(&creation.from);
	event_list_free(&creation.to);
	synth_pair_free(&creation.pair);
	instance_close(&creation.instance);
	return result ? -1 : 0;
}
