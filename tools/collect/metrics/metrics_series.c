/* SPDX-License-Identifier: MIT */
/*
 * Makes series of counts.
 *
 * An event may be of several kinds, as each level and keyword has a tracepoint of its own, and
 * names may become equal when they are made valid text, or are cut. A file with two series
 * of the same labels is refused as a whole.
 */
#include "metrics_series.h"

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

/* Sorted ones become those with different labels. */
static size_t merge(struct metrics_series *series, size_t count)
{
	size_t kept = 0;

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
	struct clean_texts texts = { 0 };
	size_t count = 0;

	for (uint32_t i = 0; i < counts->room; i++)
		if (counts->items[i].kind)
			series[count++] = series_of(&counts->items[i], &texts);
	if (counts->others.events)
		series[count++] = series_of(&counts->others, &texts);
	clean_texts_free(&texts);
	qsort(series, count, sizeof(*series), compare);
	*made = series;
	return merge(series, count);
}

void metrics_series_free(struct metrics_series *series, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(series[i].labels);
	free(series);
}
