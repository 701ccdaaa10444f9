/* SPDX-License-Identifier: MIT */
/* Chooses the starts and ends of pairs by the words of the command line. */
#include "asked_pairs.h"

#include <string.h>

#include "common/cli/message.h"

int pair_options_check(const struct pair_options *options, const struct usage *usage)
{
	if (!!options->key + options->by_activity + options->by_thread > 1)
		return options_complain(usage, "--key, --activity and --thread exclude each "
					"other");
	if (!options->start != !options->end)
		return options_complain(usage, "--start and --stop need each other");
	return 0;
}

static int field_of(void *context, struct event *event, struct value *key)
{
	struct asked_pairs *asked = context;

	if (!asked_field_get(&asked->field, event, key) || key->type == VALUE_COMPOUND)
		return 0;
	if (asked->field.field.is_of_property)
		asked->with_property = event->kind;
	else
		asked->with_field = event->kind;
	return 1;
}

/* An event that both name is both only if they are the same; otherwise it is an end. */
static int role_by_name(void *context, struct event *event)
{
	struct asked_pairs *asked = context;
	const int is_end = named_events_has(&asked->end, event->kind);
	const int is_start = named_events_has(&asked->start, event->kind);

	return (is_end ? PAIR_END : 0) |
	       (is_start && (asked->is_same || !is_end) ? PAIR_START : 0);
}

int asked_pairs_begin(struct asked_pairs *asked, const struct pair_options *options,
		      struct pairs *pairs)
{
	*asked = (struct asked_pairs){
		.has_names = options->start != NULL,
		.is_same = options->start && !strcmp(options->start, options->end),
	};
	if (options->start) {
		named_events_begin(&asked->start, options->start);
		named_events_begin(&asked->end, options->end);
	}
	pairs->key = options->key ? PAIR_BY_FIELD : options->by_activity ? PAIR_BY_ACTIVITY :
		     options->by_thread ? PAIR_BY_THREAD : PAIR_BY_EITHER;
	pairs->asked = asked;
	pairs->role = options->start ? role_by_name : NULL;
	pairs->field = field_of;
	return options->key ? asked_field_parse(&asked->field, options->key) : 0;
}

int asked_pairs_report(const struct asked_pairs *asked, const struct event_kinds *kinds,
		       const char *filters)
{
	return (asked->has_names && (named_events_report(&asked->start, kinds, filters) ||
				     named_events_report(&asked->end, kinds, filters))) ||
	       (asked->field.field.text && asked_field_report(&asked->field));
}

void asked_pairs_warn(const struct asked_pairs *asked)
{
	const char *key = asked->field.field.text;

	if (asked->with_field && asked->with_property)
		message("cannot find a field \"%s\" in %s: its property %s was taken, and the field "
			"of %s; --key meta.%s takes the property of both", key,
			asked->with_property->shown, key, asked->with_field->shown, key);
}

void asked_pairs_free(struct asked_pairs *asked)
{
	named_events_free(&asked->start);
	named_events_free(&asked->end);
	asked_field_free(&asked->field);
}
