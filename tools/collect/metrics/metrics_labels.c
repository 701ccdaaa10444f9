/* SPDX-License-Identifier: MIT */
/* Checks and prints labels that each series has. */
#include "metrics_labels.h"

#include <string.h>

#include "metrics_series.h"

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
					     "reason", "result", "version" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_of_name(word, names[i]))
			return 1;
	return 0;
}

/* In the C locale, as Prometheus has it. */
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
	struct clean_texts texts = { 0 };
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
	clean_texts_free(&texts);
	return (char *)text.at;
}
