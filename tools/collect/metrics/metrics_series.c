/* SPDX-License-Identifier: MIT */
/*
 * Makes series of counts, and labels for them; counts events by kind, and limits how
 * many pass per second.
 *
 * An event may be of several kinds, as each level and keyword has a tracepoint of its own, and
 * names may become equal when they are made valid text, or are cut. A file with two series
 * of the same labels is refused as a whole.
 */
#include "metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

/* Labels are UTF-8 in quotes. */
void metrics_value_add(struct bytes *text, struct clean_texts *texts, const char *value)
{
	const struct clean_text clean = clean_text(texts, value, strlen(value));
	const size_t length = clean_text_length(clean, METRICS_VALUE_MAX);

	for (size_t i = 0; i < length; i++) {
		const char c = clean.at[i];

		if (c == '"' || c == '\\' || c == '\n')
			bytes_add(text, "\\", 1);
		bytes_add(text, c == '\n' ? "n" : &c, 1);
	}
}

static char *labels_of(const char *provider, const char *event, struct clean_texts *texts)
{
	struct bytes text = { 0 };

	bytes_add(&text, "provider=\"", 10);
	metrics_value_add(&text, texts, provider);
	bytes_add(&text, "\",event=\"", 9);
	metrics_value_add(&text, texts, event);
	bytes_add(&text, "\"", 2);
	return (char *)text.at;
}

static struct metrics_series series_of(const struct event_count *count,
				       struct clean_texts *texts)
{
	const struct event_kind *kind = count->kind;

	return (struct metrics_series){
		.labels = labels_of(kind ? kind->group : "(others)",
				    kind ? kind->name : "(others)", texts),
		.events = count->events,
		.bytes = count->bytes,
	};
}

static int compare(const void *one, const void *other)
{
	return strcmp(((const struct metrics_series *)one)->labels,
		      ((const struct metrics_series *)other)->labels);
}

size_t metrics_series_merge(struct metrics_series *series, size_t count)
{
	size_t kept = 0;

	qsort(series, count, sizeof(*series), compare);
	for (size_t i = 1; i < count; i++) {
		if (compare(&series[kept], &series[i])) {
			series[++kept] = series[i];
			continue;
		}
		series[kept].events += series[i].events;
		series[kept].bytes += series[i].bytes;
		free(series[i].labels);
	}
	return count ? kept + 1 : 0;
}

size_t metrics_series_make(const struct event_counts *counts, struct metrics_series **made)
{
	struct metrics_series *series = xcalloc(counts->room + 1, sizeof(*series));
	AUTO(clean_texts_free) struct clean_texts texts = { 0 };
	size_t count = 0;

	for (uint32_t i = 0; i < counts->room; i++)
		if (counts->items[i].kind)
			series[count++] = series_of(&counts->items[i], &texts);
	if (counts->others.events)
		series[count++] = series_of(&counts->others, &texts);
	*made = series;
	return metrics_series_merge(series, count);
}

void metrics_series_free(struct metrics_series *series, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(series[i].labels);
	free(series);
}

/* Checks and prints labels that each series has. */

static size_t name_length(const char *word)
{
	return strcspn(word, "=");
}

static int is_of_name(const char *word, const char *name)
{
	return strlen(name) == name_length(word) && !strncmp(word, name, strlen(name));
}

/* Ours are in some series, or could be; le and quantile have a meaning to Prometheus. */
static int is_taken(const char *word)
{
	static const char *const names[] = { "event", "le", "place", "provider", "quantile",
					     "reason", "result", "uid", "version" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_of_name(word, names[i]))
			return 1;
	return 0;
}

/* The number is in the C locale, as Prometheus has it. */
static int is_name(const char *word)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char digits[] = "0123456789";
	size_t length = strspn(word, first);

	if (!length)
		return 0;
	while (strspn(word + length, first) || strspn(word + length, digits))
		length++;
	return length == name_length(word);
}

static int is_given_before(const struct words *labels, size_t number)
{
	const char *word = labels->items[number];

	for (size_t i = 0; i < number; i++)
		if (name_length(labels->items[i]) == name_length(word) &&
		    !strncmp(labels->items[i], word, name_length(word)))
			return 1;
	return 0;
}

static const char *reason_of(const struct words *labels, size_t number)
{
	const char *word = labels->items[number], *value = strchr(word, '=');

	if (!value)
		return "it is not NAME=VALUE, such as collector=rings";
	if (!is_name(word) || !strncmp(word, "__", 2))
		return "its name is not of letters, digits and _, or begins with a digit or __";
	if (is_taken(word))
		return "series have a label of this name already";
	if (!value[1] || strlen(value + 1) > METRICS_VALUE_MAX)
		return "its value is empty, or longer than 256 bytes";
	if (is_given_before(labels, number))
		return "this name is given twice";
	return number < METRICS_LABELS_MAX ? NULL : "8 labels are the most";
}

const char *metrics_labels_wrong(const struct words *labels, const char **reason)
{
	for (size_t i = 0; i < labels->count; i++) {
		*reason = reason_of(labels, i);
		if (*reason)
			return labels->items[i];
	}
	return NULL;
}

char *metrics_labels_text(const struct words *labels)
{
	AUTO(clean_texts_free) struct clean_texts texts = { 0 };
	struct bytes text = { 0 };

	for (size_t i = 0; i < labels->count; i++) {
		const char *word = labels->items[i];

		bytes_add(&text, ",", i ? 1 : 0);
		bytes_add(&text, word, name_length(word) + 1);
		bytes_add(&text, "\"", 1);
		metrics_value_add(&text, &texts, word + name_length(word) + 1);
		bytes_add(&text, "\"", 1);
	}
	bytes_add(&text, "", 1);
	return (char *)text.at;
}

/* Makes room for counts of kinds. */

void event_counts_grow(struct event_counts *counts, uint32_t number)
{
	const uint32_t room = number < 32 ? 64 : number * 2;

	counts->items = xrealloc(counts->items, room * sizeof(*counts->items));
	memset(counts->items + counts->room, 0,
	       (room - counts->room) * sizeof(*counts->items));
	counts->room = room;
}

void event_counts_free(struct event_counts *counts)
{
	free(counts->items);
	*counts = (struct event_counts){ .items = NULL };
}

/* Finds the limit that an event has. */

static size_t find(struct rate_limits *limits, const char *name)
{
	size_t at = 0;

	while (at < limits->count && strcmp(limits->items[at].name, name) != 0)
		at++;
	if (at < limits->count || at == LIMITED_MOST)
		return at;
	limits->items[at].name = xstrdup(name);
	limits->count++;
	return at;
}

static int passes(const struct rate_limits *limits, struct limited *one)
{
	one->limit.rate = limits->rate;
	if (rate_limit_passes(&one->limit))
		return 1;
	one->lost++;
	return 0;
}

int rate_limits_pass_provider(struct rate_limits *limits, const struct event_kind *kind)
{
	size_t at;

	if (!limits->rate)
		return 1;
	if (kind->number < LIMITED_KINDS && limits->of_kind[kind->number])
		return passes(limits, &limits->items[limits->of_kind[kind->number] - 1]);
	at = find(limits, kind->group);
	if (kind->number < LIMITED_KINDS)
		limits->of_kind[kind->number] = (uint8_t)(at + 1);
	return passes(limits, &limits->items[at]);
}

int rate_limits_pass_user(struct rate_limits *limits, uint32_t user)
{
	char name[16];

	if (!limits->rate)
		return 1;
	snprintf(name, sizeof(name), "%" PRIu32, user);
	return passes(limits, &limits->items[find(limits, name)]);
}

void rate_limits_free(struct rate_limits *limits)
{
	for (size_t i = 0; i < limits->count; i++)
		free(limits->items[i].name);
	limits->count = 0;
}
