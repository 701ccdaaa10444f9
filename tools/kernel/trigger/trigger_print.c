/* SPDX-License-Identifier: MIT */
/* Prints triggers: as a table whose last column "--remove" accepts, or as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/safe_text.h"
#include "trigger_list.h"

/* Longer words make their line longer, and not the column wider. */
#define WIDTH_MAX 60

static void put(const char *text, size_t width)
{
	size_t length = strlen(text);

	controls_print(text, length);
	printf("%*s  ", length < width ? (int)(width - length) : 0, "");
}

static size_t wider(size_t width, const char *text)
{
	size_t length = strlen(text);

	return length > width && length <= WIDTH_MAX ? length : width;
}

/* "5", "paused", or "always", to be freed */
static char *left_of(const struct trigger *trigger)
{
	if (trigger->is_counted)
		return xprintf("%" PRIu64, trigger->left);
	return xstrdup(trigger->is_paused ? "paused" : trigger->line ? "always" : "?");
}

static char *meaning_of(const struct listed_trigger *item)
{
	return item->trigger.line ? trigger_meaning(&item->trigger) :
				    xstrdup("a kind that is not known to this version");
}

static void print_line(const struct listed_trigger *item, size_t event_width,
		       size_t meaning_width)
{
	char *left = left_of(&item->trigger), *meaning = meaning_of(item);

	put(item->event, event_width);
	printf("%6s  ", left);
	put(meaning, meaning_width);
	controls_print(item->text, strlen(item->text));
	putchar('\n');
	free(left);
	free(meaning);
}

void trigger_list_print(const struct trigger_list *list)
{
	size_t event_width = strlen("EVENT"), meaning_width = strlen("MEANING");

	for (size_t i = 0; i < list->count; i++) {
		char *meaning = meaning_of(&list->items[i]);

		event_width = wider(event_width, list->items[i].event);
		meaning_width = wider(meaning_width, meaning);
		free(meaning);
	}
	if (!list->count)
		return;
	put("EVENT", event_width);
	fputs("  LEFT  ", stdout);
	put("MEANING", meaning_width);
	puts("TRIGGER");
	for (size_t i = 0; i < list->count; i++)
		print_line(&list->items[i], event_width, meaning_width);
}

static void member(const char *key, const char *text)
{
	json_member(key, text, strlen(text), 0);
}

static void print_json(const struct listed_trigger *item)
{
	const struct trigger *trigger = &item->trigger;
	char *meaning = meaning_of(item);

	putchar('{');
	json_member("event", item->event, strlen(item->event), 1);
	member("trigger", item->text);
	if (trigger->line)
		member("kind", trigger_name(trigger->kind));
	if (trigger->target)
		member("target", trigger->target);
	if (trigger->filter)
		member("filter", trigger->filter);
	if (trigger->is_counted)
		printf(",\"left\":%" PRIu64, trigger->left);
	if (trigger->line && trigger->kind == TRIGGER_HIST)
		printf(",\"paused\":%s", trigger->is_paused ? "true" : "false");
	member("meaning", meaning);
	puts("}");
	free(meaning);
}

void trigger_list_print_json(const struct trigger_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		print_json(&list->items[i]);
}
