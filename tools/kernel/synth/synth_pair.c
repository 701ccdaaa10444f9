/* SPDX-License-Identifier: MIT */
/* Makes the definition and the triggers of a synthetic event of two events. */
#include "synth.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "kernel/tracefs/hist_file.h"

struct making {
	struct pair_parts parts;
	struct bytes from_variables, to_variables, arguments, actions;
	int follows_field; /* of the stop, which gets a variable for it */
	struct synth_pair *pair;
};

/* Variables */

static int has_part(const struct making *making, enum part_source source)
{
	for (size_t i = 0; i < making->parts.count; i++)
		if (making->parts.items[i].source == source)
			return 1;
	return 0;
}

static const char *comma(const struct bytes *text)
{
	return text->length ? "," : "";
}

static void put_elapsed(struct making *making, const char *unit, const char *clock)
{
	const char *name = making->parts.wish->name;

	bytes_addf(&making->from_variables, "%s%s__%s=%s", comma(&making->from_variables),
		   name, unit, clock);
	bytes_addf(&making->to_variables, "%s%s__d%s=%s-$%s__%s",
		   comma(&making->to_variables), name, unit, clock, name, unit);
	making->pair->uses_clock = 1;
}

/*
 * onmatch() reads variables of the start itself; onmax() and onchange() need copies of them
 * at the stop.
 */
static int is_match(const struct making *making)
{
	const char *on = making->parts.wish->on;

	return !on || !strcmp(on, "match");
}

/*
 * The variable that holds a part at the stop. Fields of the stop have one as well, as
 * onmax() and onchange() look at nothing else.
 */
static char *variable_of(const struct making *making, size_t i)
{
	const char *name = making->parts.wish->name;

	if (making->parts.items[i].source == NANOSECONDS)
		return xprintf("%s__dns", name);
	if (making->parts.items[i].source == MICROSECONDS)
		return xprintf("%s__dus", name);
	if (making->parts.items[i].source == FROM && is_match(making))
		return xprintf("%s__from%zu", name, i);
	return xprintf("%s__to%zu", name, i);
}

static void put_from(struct making *making, size_t i)
{
	const char *name = making->parts.wish->name;

	bytes_addf(&making->from_variables, "%s%s__from%zu=%s",
		   comma(&making->from_variables), name, i, making->parts.items[i].field);
	if (!is_match(making))
		bytes_addf(&making->to_variables, "%s%s__to%zu=$%s__from%zu",
			   comma(&making->to_variables), name, i, name, i);
}

static void put_variables(struct making *making)
{
	const char *name = making->parts.wish->name;

	if (has_part(making, NANOSECONDS))
		put_elapsed(making, "ns", "common_timestamp");
	if (has_part(making, MICROSECONDS))
		put_elapsed(making, "us", "common_timestamp.usecs");
	for (size_t i = 0; i < making->parts.count; i++)
		if (making->parts.items[i].source == FROM)
			put_from(making, i);
	/* only an expression empties a variable; without one, later stops would count again */
	if (!making->pair->uses_clock) {
		bytes_addf(&making->from_variables, "%s%s__pid=common_pid",
			   comma(&making->from_variables), name);
		bytes_addf(&making->to_variables, "%s%s__pair=common_pid-$%s__pid",
			   comma(&making->to_variables), name, name);
	}
}

/*
 * The kernel compares the types of fields by name, and if these differ takes a signed field
 * for unsigned. It does not for variables.
 */
static void put_arguments(struct making *making)
{
	for (size_t i = 0; i < making->parts.count; i++) {
		const struct part *part = &making->parts.items[i];
		AUTO_FREE char *variable = variable_of(making, i);

		if (part->source == TO && part->type.has_own_type)
			bytes_addf(&making->to_variables, ",%s=%s", variable,
				   part->field);
		if (part->source == TO && !part->type.has_own_type)
			bytes_addf(&making->arguments, ",%s", part->field);
		else
			bytes_addf(&making->arguments, ",$%s", variable);
	}
}

/* Actions */

/* The part that max and change follow: the one of this name, or the first elapsed time. */
static int find_followed(const struct making *making, const char *name, size_t *followed)
{
	for (size_t i = 0; i < making->parts.count; i++) {
		const struct part *part = &making->parts.items[i];

		*followed = i;
		if (name ? !strcmp(part->name, name) : part->source >= NANOSECONDS)
			return 0;
	}
	if (name)
		return wish_refuse(making->parts.wish, "it has no field \"%s\" to "
			      "follow; --field defines its fields", name);
	return wish_refuse(making->parts.wish, "it has no elapsed time to follow; write "
			   "--on %s:FIELD",
		      making->parts.wish->on);
}

static int check_followed(const struct making *making, const struct part *part, int is_max)
{
	if (part->type.kind != FIELD_NUMBER)
		return wish_refuse(making->parts.wish, "the field \"%s\" is a text; --on "
			      "max and --on change follow numbers", part->name);
	if (is_max && part->type.is_signed)
		return wish_refuse(making->parts.wish, "the field \"%s\" is signed, and "
			      "the kernel takes -1 "
			      "for the largest number; --on max follows unsigned fields",
			      part->name);
	return 0;
}

/* Fields of the stop that are kept: "id,path". */
static int check_saved(const struct making *making)
{
	char *list = xstrdup(making->parts.wish->save), *rest = list, *name;
	struct event_field field;
	int result = 0;

	while (!result && (name = strsep(&rest, ",")))
		result = pair_parts_find(&making->parts, making->parts.to, name, &field);
	free(list);
	return result;
}

static int put_following(struct making *making, const char *handler, const char *name)
{
	const struct synth_wish *wish = making->parts.wish;
	const int is_max = !strcmp(handler, "onmax");
	struct bytes *actions = &making->actions;
	const struct part *part;
	AUTO_FREE char *variable = NULL;
	size_t i = 0;

	if (find_followed(making, name, &i) ||
	    check_followed(making, &making->parts.items[i], is_max) ||
	    (wish->save && check_saved(making)))
		return -1;
	part = &making->parts.items[i];
	variable = variable_of(making, i);
	making->follows_field = part->source == TO && !part->type.has_own_type;
	if (making->follows_field)
		bytes_addf(&making->to_variables, ",%s=%s", variable, part->field);
	if (wish->save)
		bytes_addf(actions, ":%s($%s).save(%s)", handler, variable, wish->save);
	if (wish->snapshot)
		bytes_addf(actions, ":%s($%s).snapshot()", handler, variable);
	bytes_addf(actions, ":%s($%s).trace(%s%.*s)", handler, variable, wish->name,
		   (int)making->arguments.length, (const char *)making->arguments.at);
	return 0;
}

static int put_match(struct making *making)
{
	if (making->parts.wish->save || making->parts.wish->snapshot)
		return wish_refuse(making->parts.wish, "%s is for the largest or a "
			      "changed value; add --on max:FIELD or --on change:FIELD",
			      making->parts.wish->save ? "--save" : "--snapshot");
	bytes_addf(&making->actions, ":onmatch(%s.%s).trace(%s%.*s)",
		   making->parts.from->system, making->parts.from->name,
		   making->parts.wish->name, (int)making->arguments.length,
		   (const char *)making->arguments.at);
	return 0;
}

static int put_actions(struct making *making)
{
	const char *on = making->parts.wish->on ? making->parts.wish->on : "match";
	const char *colon = strchr(on, ':');
	const size_t length = colon ? (size_t)(colon - on) : strlen(on);

	if (!strcmp(on, "match"))
		return put_match(making);
	if (length == 3 && !strncmp(on, "max", length))
		return put_following(making, "onmax", colon ? colon + 1 : NULL);
	if (length == 6 && !strncmp(on, "change", length))
		return put_following(making, "onchange", colon ? colon + 1 : NULL);
	return wish_refuse(making->parts.wish, "there is no \"--on %s\"; write --on match, "
			   "--on max:FIELD or --on change:FIELD", on);
}

/* Triggers */

static char *trigger(const struct making *making, const char *keys,
		     const struct bytes *variables, const struct bytes *actions,
		     const char *where)
{
	return xprintf("hist:keys=%s:size=%u%s:%.*s%.*s%s%s", keys,
		       (unsigned int)making->parts.wish->size,
		       making->pair->uses_clock ? HIST_CLOCK : "", (int)variables->length,
		       (const char *)variables->at, (int)actions->length,
		       actions->length ? (const char *)actions->at : "", where ? " if " : "",
		       where ? where : "");
}

/* Variables of the stop: also one for each field that is written or saved, and each action. */
static size_t variables(const struct making *making)
{
	const struct synth_wish *wish = making->parts.wish;
	size_t count = making->parts.count + 1;

	if (is_match(making))
		return count;
	for (const char *save = wish->save; save; save = strchr(save + 1, ','))
		count++;
	return count + (wish->save != NULL) + (wish->snapshot != 0) + 1 +
	       making->follows_field;
}

/* References to variables, of the start or of the stop. */
static size_t references(const struct making *making)
{
	size_t count = making->parts.count + 1;

	for (size_t i = 0; i < making->parts.count; i++)
		count += making->parts.items[i].source == FROM && !is_match(making);
	return count;
}

static int make(struct making *making)
{
	const struct bytes none = { 0 };
	size_t here, there;

	if (pair_parts_make(&making->parts))
		return -1;
	put_variables(making);
	put_arguments(making);
	if (put_actions(making))
		return -1;
	here = variables(making);
	there = references(making);
	making->pair->variables = here > there ? here : there;
	making->pair->definition = pair_parts_definition(&making->parts);
	making->pair->from_trigger = trigger(making, making->parts.keys[0],
					     &making->from_variables, &none,
					     making->parts.wish->where_from);
	making->pair->to_trigger = trigger(making, making->parts.keys[1], &making->to_variables,
					   &making->actions, making->parts.wish->where_to);
	return 0;
}

int synth_pair_make(const struct synth_wish *wish, const struct listed_event *from,
		    const struct listed_event *to, struct synth_pair *pair)
{
	struct making making = { .parts = { .wish = wish, .from = from, .to = to },
				 .pair = pair };
	int result;

	*pair = (struct synth_pair){ 0 };
	result = make(&making);
	pair_parts_free(&making.parts);
	bytes_free(&making.from_variables);
	bytes_free(&making.to_variables);
	bytes_free(&making.arguments);
	bytes_free(&making.actions);
	return result;
}

void synth_pair_free(struct synth_pair *pair)
{
	free(pair->definition);
	free(pair->from_trigger);
	free(pair->to_trigger);
	*pair = (struct synth_pair){ 0 };
}

int synth_pair_owns(const char *trigger, const char *name)
{
	AUTO_FREE char *prefix = xprintf("%s__", name);
	const char *at = trigger;
	int owns = 0;

	while (!owns && (at = strstr(at, prefix))) {
		const int begins = at > trigger && strchr(":,", at[-1]);

		at += strlen(prefix);
		if (!begins || !islower((unsigned char)*at))
			continue;
		while (isalnum((unsigned char)*at))
			at++;
		owns = *at == '=';
	}
	return owns;
}
