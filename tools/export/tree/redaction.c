/* SPDX-License-Identifier: MIT */
/* Decides about fields by their names. */
#include "redaction.h"

#include <endian.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const struct redactions *all;
static uint64_t key[2];

void redaction_set(const struct redactions *redactions)
{
	all = redactions;
	if (all && !all->drop.count && !all->mask.count && !all->hash.count)
		all = NULL;
	if (all && !key[0] && getrandom(key, sizeof(key), 0) != sizeof(key))
		memory_is_short();
}

int redaction_is_on(void)
{
	return all != NULL;
}

static int matches(const struct words *globs, const char *name)
{
	for (size_t i = 0; i < globs->count; i++)
		if (!fnmatch(globs->items[i], name, 0))
			return 1;
	return 0;
}

/* The strictest of those that match. */
enum redaction redaction_of(const char *name, size_t length)
{
	enum redaction found = REDACTION_NONE;
	char *text;

	if (!all)
		return REDACTION_NONE;
	text = xstrndup(name, length);
	if (matches(&all->drop, text))
		found = REDACTION_DROP;
	else if (matches(&all->mask, text))
		found = REDACTION_MASK;
	else if (matches(&all->hash, text))
		found = REDACTION_HASH;
	free(text);
	return found;
}

/* It has the rounds of SipHash-2-4, but another last word. */

static uint64_t turn(uint64_t word, int by)
{
	return word << by | word >> (64 - by);
}

static void mix(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = turn(v[1], 13) ^ v[0];
	v[0] = turn(v[0], 32);
	v[2] += v[3];
	v[3] = turn(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = turn(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = turn(v[1], 17) ^ v[2];
	v[2] = turn(v[2], 32);
}

static void take_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix(v);
	mix(v);
	v[0] ^= word;
}

void redaction_hash(const void *bytes, size_t length, char text[17])
{
	uint64_t v[4] = {
		key[0] ^ 0x736f6d6570736575u,
		key[1] ^ 0x646f72616e646f6du,
		key[0] ^ 0x6c7967656e657261u,
		key[1] ^ 0x7465646279746573u,
	};
	const char *at = bytes;
	uint64_t word;

	for (; length >= sizeof(word); at += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		take_word(v, le64toh(word));
	}
	word = 0;
	memcpy(&word, at, length);
	take_word(v, le64toh(word) | (uint64_t)length << 56);
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		mix(v);
	snprintf(text, 17, "%016llx", (unsigned long long)(v[0] ^ v[1] ^ v[2] ^ v[3]));
}
