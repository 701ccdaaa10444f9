/* SPDX-License-Identifier: MIT */
/* Makes identifiers of the names of fields. */
#include "ctf_name.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"

static int is_letter(uint8_t byte)
{
	return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

static int is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

static void add_escaped(struct bytes *to, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	const char escaped[3] = { '_', digits[byte >> 4], digits[byte & 15] };

	bytes_add(to, escaped, sizeof(escaped));
}

static char *identifier(const char *name, size_t length)
{
	struct bytes made = { .at = NULL };

	if (!length || is_digit((uint8_t)*name))
		bytes_add(&made, "_", 1);
	for (size_t i = 0; i < length && made.length < CTF_NAME_MAX; i++) {
		const uint8_t byte = (uint8_t)name[i];

		if (is_letter(byte) || is_digit(byte) || byte == '_')
			bytes_add(&made, &byte, 1);
		else
			add_escaped(&made, byte);
	}
	bytes_add(&made, "", 1);
	return (char *)made.at;
}

void ctf_name_print(struct bytes *to, const char *name, size_t length)
{
	const size_t end = to->length + CTF_NAME_MAX;

	for (size_t i = 0; i < length && to->length < end; i++) {
		const uint8_t byte = (uint8_t)name[i];

		if (byte >= ' ' && byte < 0x7f)
			bytes_add(to, &byte, 1);
		else
			add_escaped(to, byte);
	}
}

/* The place of a name, or the free one for it. */
static uint32_t *place_of(const struct ctf_names *names, const char *name)
{
	uint32_t at = 0x811c9dc5u;

	for (const char *c = name; *c; c++)
		at = (at ^ (uint8_t)*c) * 0x01000193u;
	for (at ^= at >> 15;; at++) {
		uint32_t *place = &names->table[at & (names->size - 1)];

		if (!*place || !strcmp(names->items[*place - 1], name))
			return place;
	}
}

static void grow(struct ctf_names *names)
{
	if (2 * (names->count + 1) <= names->size)
		return;
	free(names->table);
	names->size = names->size ? 2 * names->size : 16;
	names->table = xcalloc(names->size, sizeof(*names->table));
	for (uint32_t i = 0; i < names->count; i++)
		*place_of(names, names->items[i]) = i + 1;
}

const char *ctf_name_add(struct ctf_names *names, const char *name, size_t length)
{
	char *first = identifier(name, length);
	char *made = first;
	uint32_t *place;

	grow(names);
	for (uint32_t number = names->count + 1; *(place = place_of(names, made)); number++) {
		if (made != first)
			free(made);
		made = xprintf("%s_%u", first, number);
	}
	if (made != first)
		free(first);
	names->items = xgrow(names->items, names->count, sizeof(*names->items));
	names->items[names->count++] = made;
	*place = names->count;
	return made;
}

void ctf_names_free(struct ctf_names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	free(names->table);
	*names = (struct ctf_names){ .count = 0 };
}
