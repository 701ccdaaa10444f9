/* SPDX-License-Identifier: MIT */
/*
 * What is registered, by session and in one table of all.
 *
 * A program may have some ten thousand events, and each registration asks whether the
 * event, its word or its name is in use. So each registration is in three buckets of the
 * table. That begins with memory of its own and doubles when it is full; where there is
 * no memory for that, buckets are longer.
 */
#include <stdlib.h>
#include <string.h>

#include "describe/definition.h"
#include "connect/event.h"
#include "registration.h"
#include "session.h"

/* FNV-1a */
uint32_t ue__name_hash(const char *definition)
{
	size_t length = strcspn(definition, " ");
	uint32_t hash = 0x811c9dc5u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)definition[i]) * 0x01000193u;
	return hash;
}

int ue__is_same_name(const char *one, const char *other)
{
	size_t length = strcspn(one, " ");

	return !strncmp(one, other, length) && strcspn(other, " ") == length;
}

/* The table */

#define FIRST_BITS 5

/* As many buckets for each key, one key after the other. */
static struct ue__registration *first_buckets[UE__KEYS << FIRST_BITS];
static struct ue__registration **buckets = first_buckets;
static unsigned bits = FIRST_BITS;
static size_t count;

static uintptr_t value_of(const struct ue__registration *registration, enum ue__key key)
{
	switch (key) {
	case UE__BY_EVENT:
		return (uintptr_t)registration->event;
	case UE__BY_WORD:
		return (uintptr_t)registration->word;
	default:
		return registration->name;
	}
}

static struct ue__registration **bucket_of(enum ue__key key, uintptr_t value)
{
	/* The upper bits of its product with an odd number. */
	uint64_t hash = (uint64_t)value * 0x9e3779b97f4a7c15u >> (64 - bits);

	return &buckets[(size_t)key << bits | (size_t)hash];
}

static void put_in_buckets(struct ue__registration *registration)
{
	for (unsigned key = 0; key < UE__KEYS; key++) {
		struct ue__registration **bucket =
			bucket_of(key, value_of(registration, key));

		registration->same[key] = *bucket;
		*bucket = registration;
	}
}

static void take_from_bucket(struct ue__registration *registration, enum ue__key key)
{
	struct ue__registration **at = bucket_of(key, value_of(registration, key));

	while (*at != registration)
		at = &(*at)->same[key];
	*at = registration->same[key];
}

static void free_buckets(struct ue__registration **memory)
{
	if (memory != first_buckets)
		free(memory);
}

static void grow(void)
{
	struct ue__registration **before = buckets;
	const size_t size = (size_t)1 << bits;
	struct ue__registration **twice = calloc(UE__KEYS * 2 * size, sizeof(*twice));

	if (!twice)
		return;
	buckets = twice;
	bits++;
	/* Each is in one of these. */
	for (size_t i = UE__BY_EVENT * size; i < (UE__BY_EVENT + 1) * size; i++)
		for (struct ue__registration *r = before[i], *next; r; r = next) {
			next = r->same[UE__BY_EVENT];
			put_in_buckets(r);
		}
	free_buckets(before);
}

/* All is as it was in the beginning. */
static void shrink(void)
{
	free_buckets(buckets);
	memset(first_buckets, 0, sizeof(first_buckets));
	buckets = first_buckets;
	bits = FIRST_BITS;
}

/* The registrations */

struct ue__registration *ue__registration_make(const struct ue_event *event)
{
	const size_t length = ue__definition_canonical(event->definition, NULL) + 1;
	struct ue__registration *registration = calloc(1, sizeof(*registration) + length);

	if (!registration)
		return NULL;
	registration->event = (struct ue_event *)event;
	registration->word = event->word;
	registration->name = ue__name_hash(event->definition);
	ue__definition_canonical(event->definition, registration->definition);
	return registration;
}

void ue__registration_add(struct ue__registration *registration,
			  struct ue__session *session, uint64_t binding)
{
	registration->session = session;
	registration->binding = binding;
	registration->at = &session->registrations;
	registration->next = session->registrations;
	if (registration->next)
		registration->next->at = &registration->next;
	session->registrations = registration;
	if (++count >> bits)
		grow();
	put_in_buckets(registration);
}

void ue__registration_drop(struct ue__registration *registration)
{
	*registration->at = registration->next;
	if (registration->next)
		registration->next->at = registration->at;
	for (unsigned key = 0; key < UE__KEYS; key++)
		take_from_bucket(registration, key);
	free(registration);
	if (!--count)
		shrink();
}

static struct ue__registration *next_with(struct ue__registration *registration,
					  enum ue__key key, uintptr_t value)
{
	while (registration && value_of(registration, key) != value)
		registration = registration->same[key];
	return registration;
}

struct ue__registration *ue__registration_with(enum ue__key key, uintptr_t value)
{
	return next_with(*bucket_of(key, value), key, value);
}

struct ue__registration *ue__registration_next(const struct ue__registration *registration,
					       enum ue__key key)
{
	return next_with(registration->same[key], key, value_of(registration, key));
}

int ue__word_is_used(const uint32_t *word)
{
	return ue__registration_with(UE__BY_WORD, (uintptr_t)word) != NULL;
}

int ue__name_is_used(const char *definition)
{
	const struct ue__registration *r =
		ue__registration_with(UE__BY_NAME, ue__name_hash(definition));

	while (r && !ue__is_same_name(r->definition, definition))
		r = ue__registration_next(r, UE__BY_NAME);
	return r != NULL;
}
