/* SPDX-License-Identifier: MIT */
/*
 * Keep registrations: by session, and all of them in one table.
 *
 * A program may have some ten thousand events, and ue_register() asks whether the event,
 * its word or its name is in use. So each registration is in three buckets of the table.
 * The table starts in static memory and doubles when it is full; without memory to double
 * it, the buckets get longer.
 *
 * A writer that failed counts the loss in its event's registration, without the lock, and
 * a tool may be reading the list. So the memory of a registration is never given back: it
 * becomes another registration. At worst, a write that races with ue_unregister() counts
 * its loss there.
 */
#include <stdlib.h>
#include <string.h>

#include "registration.h"
#include "session.h"

static struct ue__table *const table = &ue__process.table;

static uintptr_t value_of(const struct ue__registration *registration, enum ue__key key)
{
	switch (key) {
	case UE__BY_EVENT:
		return (uintptr_t)registration->event;
	case UE__BY_WORD:
		return (uintptr_t)registration->wanted.word;
	default:
		return registration->name;
	}
}

static struct ue__registration **bucket_of(enum ue__key key, uintptr_t value)
{
	/* The upper bits of the product with an odd number. */
	uint64_t hash = (uint64_t)value * 0x9e3779b97f4a7c15u >> (64 - table->bits);

	return &table->buckets[(size_t)key << table->bits | (size_t)hash];
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

static void free_buckets(struct ue__registration **buckets)
{
	if (buckets != table->first)
		free(buckets);
}

static void grow(void)
{
	struct ue__registration **before = table->buckets;
	const size_t size = (size_t)1 << table->bits;
	struct ue__registration **twice = calloc(UE__KEYS * 2 * size, sizeof(*twice));

	if (!twice)
		return;
	table->buckets = twice;
	table->bits++;
	/* Each registration is in one of these. */
	for (size_t i = UE__BY_EVENT * size; i < (UE__BY_EVENT + 1) * size; i++)
		for (struct ue__registration *r = before[i], *next; r; r = next) {
			next = r->same[UE__BY_EVENT];
			put_in_buckets(r);
		}
	free_buckets(before);
}

/* Return to the static memory. */
static void shrink(void)
{
	free_buckets(table->buckets);
	memset(table->first, 0, sizeof(table->first));
	table->buckets = table->first;
	table->bits = UE__FIRST_BITS;
}

/* The registrations */

static struct ue__registration *take_memory(void)
{
	struct ue__registration *registration = table->unused;

	if (!registration)
		return calloc(1, sizeof(*registration));
	table->unused = registration->next;
	for (unsigned i = 0; i < UE_LOSS_REASONS; i++)
		__atomic_store_n(&registration->lost[i], 0, __ATOMIC_RELAXED);
	return registration;
}

struct ue__registration *ue__registration_make(struct ue_event *event,
					       const struct ue__definition *definition)
{
	const size_t size = definition->length + 1;
	char *text = calloc(1, size);
	struct ue__registration *registration = text ? take_memory() : NULL;

	if (!registration) {
		free(text);
		return NULL;
	}
	registration->event = event;
	registration->is_always = 0;
	registration->told = UE__TOLD_NOTHING;
	registration->name = definition->name_hash;
	registration->wanted = (struct ue__wanted){
		.definition = memcpy(text, definition->text, size),
		.name_length = definition->name_length,
		.flags = event->flags,
		.word = event->word,
	};
	return registration;
}

/* A tool that finds no session here does not read on. */
void ue__registration_free(struct ue__registration *registration)
{
	__atomic_store_n(&registration->session, NULL, __ATOMIC_RELEASE);
	free((char *)registration->wanted.definition);
	registration->next = table->unused;
	table->unused = registration;
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
	__atomic_store_n(&session->registrations, registration, __ATOMIC_RELEASE);
	if (++table->count >> table->bits)
		grow();
	put_in_buckets(registration);
	__atomic_store_n(&registration->event->ue__registration, registration,
			 __ATOMIC_RELEASE);
}

void ue__registration_drop(struct ue__registration *registration)
{
	__atomic_store_n(&registration->event->ue__registration, NULL, __ATOMIC_RELAXED);
	*registration->at = registration->next;
	if (registration->next)
		registration->next->at = registration->at;
	for (unsigned key = 0; key < UE__KEYS; key++)
		take_from_bucket(registration, key);
	ue__registration_free(registration);
	if (!--table->count)
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

static struct ue__registration *next_named(struct ue__registration *r, const char *name,
					   uint32_t length)
{
	while (r && (r->wanted.name_length != length ||
		     memcmp(r->wanted.definition, name, length)))
		r = ue__registration_next(r, UE__BY_NAME);
	return r;
}

struct ue__registration *ue__registration_named(const char *name, uint32_t length)
{
	const uint32_t hash = ue__name_hash(name, length);

	return next_named(ue__registration_with(UE__BY_NAME, hash), name, length);
}

struct ue__registration *ue__registration_same_name(const struct ue__registration *one)
{
	return next_named(ue__registration_next(one, UE__BY_NAME), one->wanted.definition,
			  one->wanted.name_length);
}

int ue__word_is_used(const uint32_t *word)
{
	return ue__registration_with(UE__BY_WORD, (uintptr_t)word) != NULL;
}
