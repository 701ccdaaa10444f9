/* SPDX-License-Identifier: MIT */
/* Finds the keys of pairs, and the fields by which they are divided. */
#include "kernel_question.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/records/tracepoint.h"
#include "kernel/control/instance.h"

/* Fields that a histogram of the kernel is asked for, and the kernel's view of them. */

/* Fields of every event. */
static const struct {
	const char *name, *in_trigger;
	int is_signed;
} common[] = {
	{ "tid", "common_pid", 1 },
	{ "cpu", "common_cpu", 0 },
	{ "common_pid", "common_pid", 1 },
	{ "common_cpu", "common_cpu", 0 },
};

#define COMMON (sizeof(common) / sizeof(common[0]))

static int find_common(const char *name, struct key_field *field)
{
	for (size_t i = 0; i < COMMON; i++) {
		if (strcmp(common[i].name, name))
			continue;
		*field = (struct key_field){
			.name = xstrdup(common[i].in_trigger),
			.is_signed = common[i].is_signed,
			.size = 4,
		};
		return 0;
	}
	return -1;
}

static const char *nearest_field(const struct tracepoint *tracepoint, const char *name)
{
	struct words names = { 0 };

	kernel_field_names(tracepoint, &names);
	words_add(&names, "tid");
	words_add(&names, "cpu");
	return nearest(name, names.items, names.count, sizeof(*names.items));
}

static int find_own(const struct tracepoint *tracepoint, const char *name,
		    struct kernel_field *field)
{
	return !kernel_field_find(tracepoint, name, strlen(name), kernel_version(),
				  field) &&
	       field->own;
}

static int complain_of_name(const struct tracepoint *tracepoint,
			    const struct listed_event *event, const char *name,
			    const char *verb)
{
	const char *near = nearest_field(tracepoint, name);

	if (tracepoint->format.is_eventheader)
		message("cannot %s \"%s\": the kernel does not know the fields of the "
			"EventHeader event %s; \"userevents hist\" and \"userevents "
			"latency\" do", verb, name, event->name);
	else if (near)
		message("cannot %s \"%s\": %s:%s has no such field; did you mean \"%s\"?",
			verb, name, event->system, event->name, near);
	else
		message("cannot %s \"%s\": %s:%s has no such field; its format is in "
			"tracefs, in events/%s/%s/format", verb, name, event->system,
			event->name, event->system, event->name);
	return -1;
}

/* Why the kernel cannot count by this field; NULL: it can. */
static const char *obstacle(const struct listed_event *event,
			    const struct kernel_field *field)
{
	const int is_text = kernel_field_is_copied_text(field) && !field->own->is_array;

	if (is_text && !strncmp(event->system, SYSTEM, strlen(SYSTEM)) &&
	    kernel_version() < 6004)
		return "it is a text of a user event, which kernels before 6.4 take for "
		       "a number; \"userevents stat\" and \"userevents latency\" take it "
		       "for a text";
	if (is_text)
		return field->size ? NULL :
				     "it is a text whose length the kernel does not know";
	if (!field->is_number)
		return "it is neither an integer nor a text";
	if (field->own->format == UE_FORMAT_FLOAT)
		return "it is a floating point number, which the kernel cannot count; "
		       "\"userevents hist\" can";
	return NULL;
}

static int take_key(const struct listed_event *event, const struct kernel_field *found,
		    const char *name, const char *verb, struct key_field *field)
{
	const char *why = obstacle(event, found);

	if (why) {
		message("cannot %s \"%s\": %s", verb, name, why);
		return -1;
	}
	field->name = xstrdup(name);
	field->is_text = !found->is_number;
	field->is_signed = found->is_number && found->is_signed;
	field->size = found->own->location ? 0 : found->size;
	return 0;
}

/* Whether the event has a field of this name; or of one that may have been meant. */
static int key_field_exists(const struct listed_event *event, const char *name)
{
	AUTO(tracepoint_drop) struct tracepoint *tracepoint = event_format(event);
	struct kernel_field field;

	return find_own(tracepoint, name, &field);
}

static int key_field_is_near(const struct listed_event *event, const char *name)
{
	AUTO(tracepoint_drop) struct tracepoint *tracepoint = event_format(event);

	return nearest_field(tracepoint, name) != NULL;
}

int key_field_find(const struct listed_event *event, const char *name, const char *verb,
		   struct key_field *field)
{
	AUTO(tracepoint_drop) struct tracepoint *tracepoint = event_format(event);
	struct kernel_field found;
	int result;

	*field = (struct key_field){ .size = 0 };
	if (find_own(tracepoint, name, &found))
		result = take_key(event, &found, name, verb, field);
	else if (!find_common(name, field))
		result = 0;
	else
		result = complain_of_name(tracepoint, event, name, verb);
	return result;
}

/*
 * The field in a synthetic event, with another name: "u32 NAME", "char NAME[]"; to be
 * freed.
 */
static char *key_field_declare(const struct key_field *field, const char *name)
{
	if (field->is_text && field->size)
		return xprintf("char %s[%u]", name, field->size);
	if (field->is_text)
		return xprintf("char %s[]", name);
	return xprintf("%c%u %s", field->is_signed ? 's' : 'u', field->size * 8, name);
}

int64_t key_field_signed(const struct key_field *field, uint64_t printed)
{
	const unsigned int size = field->size ? field->size : 8;
	const unsigned int unused = size < 8 ? 64 - size * 8 : 0;

	return (int64_t)(printed << unused) >> unused;
}

void key_field_free(struct key_field *field)
{
	free(field->name);
	*field = (struct key_field){ .size = 0 };
}

/* Keys */

/* Keys are equal byte by byte, so the kernel must keep both in the same way. */
static int check_types(const struct key_field *start, const struct key_field *stop)
{
	const int is_same = start->is_text == stop->is_text && start->size == stop->size &&
			    start->is_signed == stop->is_signed;
	AUTO_FREE char *one = NULL, *other = NULL;

	if (is_same)
		return 0;
	one = key_field_declare(start, start->name);
	other = key_field_declare(stop, stop->name);
	message("cannot pair by \"%s\" and \"%s\": the kernel finds them equal only if they have "
		"the same type, and they are %s and %s", start->name, stop->name, one, other);
	return -1;
}

static int add_key(struct pair_fields *fields, const char *word,
		   const struct listed_event *start, const struct listed_event *stop)
{
	const size_t length = strcspn(word, "=");
	AUTO_FREE char *name = xstrndup(word, length);
	const char *other = word[length] ? word + length + 1 : name;
	AUTO(key_field_free) struct key_field one, two = { .name = NULL };
	int result = key_field_find(start, name, "pair by", &one);

	if (!result)
		result = key_field_find(stop, other, "pair by", &two);
	if (!result)
		result = check_types(&one, &two);
	if (!result) {
		xappend(&fields->start_keys, "%s%s", fields->start_keys ? "," : "",
			one.name);
		xappend(&fields->stop_keys, "%s%s", fields->stop_keys ? "," : "",
			two.name);
	}
	return result;
}

static int add_keys(struct pair_fields *fields, const struct kernel_pair_options *pairs,
		    const struct listed_event *start, const struct listed_event *stop)
{
	if (pairs->by_thread && add_key(fields, "common_pid", start, stop))
		return -1;
	for (size_t i = 0; i < pairs->keys.count; i++)
		if (add_key(fields, pairs->keys.items[i], start, stop))
			return -1;
	return 0;
}

/* --by */

static void add_to_question(struct question *question, const struct key_field *field,
			    const char *name)
{
	struct key_field *added = question_add_field(question);

	*added = *field;
	added->name = xstrdup(name);
}

/* A field of START, or of STOP if START lacks it; also for "did you mean". */
static int is_of_stop(const char *name, const struct listed_event *start,
		      const struct listed_event *stop)
{
	return !key_field_exists(start, name) &&
	       (key_field_exists(stop, name) ||
		(!key_field_is_near(start, name) && key_field_is_near(stop, name)));
}

static void save_of_start(struct pair_fields *fields, const char *name, size_t number)
{
	xappend(&fields->saved, ",ue_save%zu=%s", number, name);
	xappend(&fields->taken, ",ue_by%zu=$ue_save%zu", number, number);
	xappend(&fields->passed, ",$ue_by%zu", number);
}

static int add_by(struct pair_fields *fields, size_t i, const char *word,
		  const struct listed_event *start, const struct listed_event *stop,
		  struct question *question)
{
	const int is_late = is_of_stop(word, start, stop);
	struct key_field field;
	AUTO_FREE char *name = NULL, *declared = NULL;

	if (key_field_find(is_late ? stop : start, word, "measure by", &field))
		return -1;
	if (!strcmp(field.name, "common_cpu")) {
		message("cannot measure by \"%s\": a synthetic event cannot have the processor",
			word);
		key_field_free(&field);
		return -1;
	}
	name = xprintf("by%zu", i + 1);
	declared = key_field_declare(&field, name);
	xappend(&fields->declared, "; %s", declared);
	if (is_late)
		xappend(&fields->passed, ",%s", field.name);
	else
		save_of_start(fields, field.name, i + 1);
	question->by[i] = word;
	add_to_question(question, &field, name);
	key_field_free(&field);
	return 0;
}

/* Why the kernel may refuse so many keys; NULL: they are few. */
static char *limit_of(const struct question_options *options,
		      const struct kernel_pair_options *pairs)
{
	const size_t keys = pairs->keys.count + (size_t)pairs->by_thread;

	if (options->by.count + 1 > HIST_KEYS_KNOWN)
		return xprintf("cannot measure by %zu fields: the kernel has %d keys, of "
			       "which one is the duration", options->by.count,
			       HIST_KEYS_KNOWN);
	if (keys > HIST_KEYS_KNOWN)
		return xprintf("cannot pair by %zu keys: the kernel has %d", keys,
			       HIST_KEYS_KNOWN);
	return NULL;
}

int pair_fields_find(struct pair_fields *fields, const struct kernel_pair_options *pairs,
		     const struct question_options *options, const struct listed_event *start,
		     const struct listed_event *stop, struct question *question)
{
	const struct key_field duration = { .size = 8 };

	fields->saved = xstrdup("");
	fields->taken = xstrdup("");
	fields->passed = xstrdup("");
	fields->declared = xstrdup("u64 ns");
	add_to_question(question, &duration, "ns");
	question->limit = limit_of(options, pairs);
	question->by = xcalloc(options->by.count, sizeof(*question->by));
	if (add_keys(fields, pairs, start, stop))
		return -1;
	for (size_t i = 0; i < options->by.count; i++)
		if (add_by(fields, i, options->by.items[i], start, stop, question))
			return -1;
	return 0;
}

void pair_fields_free(struct pair_fields *fields)
{
	free(fields->start_keys);
	free(fields->stop_keys);
	free(fields->saved);
	free(fields->taken);
	free(fields->passed);
	free(fields->declared);
}

/* The command for user space */

/* A word of a shell. */
static void append_word(char **text, const char *word)
{
	xappend(text, " '");
	for (; *word; word++) {
		if (*word == '\'')
			xappend(text, "'\\''");
		else
			xappend(text, "%c", *word);
	}
	xappend(text, "'");
}

/* Each filter holds for its event alone. */
static char *expression(const struct kernel_pair_options *pairs, const struct listed_event *start,
			const struct listed_event *stop)
{
	char *text = NULL;

	if (!pairs->where_start && !pairs->where_stop)
		return NULL;
	xappend(&text, "meta.event == \"%s\"", start->name);
	if (pairs->where_start)
		xappend(&text, " && (%s)", pairs->where_start);
	xappend(&text, " || meta.event == \"%s\"", stop->name);
	if (pairs->where_stop)
		xappend(&text, " && (%s)", pairs->where_stop);
	return text;
}

char *pair_fields_latency(const struct pair_fields *fields, const struct kernel_pair_options *pairs,
			  const struct words *by, const struct listed_event *start,
			  const struct listed_event *stop)
{
	AUTO_FREE char *where = expression(pairs, start, stop);
	char *text = NULL;

	if (strcmp(fields->start_keys, fields->stop_keys) || strchr(fields->start_keys, ',') ||
	    by->count > 1) {
		return NULL;
	}
	xappend(&text, "userevents latency %s:%s %s:%s", start->system, start->name,
		stop->system, stop->name);
	if (!strcmp(fields->start_keys, "common_pid"))
		xappend(&text, " --thread");
	else if (!strcmp(fields->start_keys, "common_cpu"))
		xappend(&text, " --key meta.cpu");
	else
		xappend(&text, " --key %s", fields->start_keys);
	if (by->count)
		xappend(&text, " --by %s", by->items[0]);
	if (where) {
		xappend(&text, " --where");
		append_word(&text, where);
	}
	xappend(&text, " --watch");
	return text;
}
