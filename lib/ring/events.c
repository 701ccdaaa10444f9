/* SPDX-License-Identifier: MIT */
/*
 * Register the events of a ring, and enable them.
 *
 * A process that defines an event takes an entry and room for its text, fills both, and puts
 * the entry in front of its bucket. If it dies in between, the entry has no definition, and
 * nobody finds it. Two processes that define the same event at the same time may get two
 * entries; that does no harm.
 *
 * The rules say which events are enabled. Whoever changes them applies them to all events. A
 * process that registers an event applies them after it has published the event, and
 * again if they were changed meanwhile: so either of the two sees the other's change.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "events.h"
#include "page.h"
#include "ring_lock.h"
#include "rules.h"

#define FLAGS_SIZE sizeof(uint32_t)

static uint32_t hash_of(const char *text, uint32_t length, uint32_t flags)
{
	uint32_t hash = 2166136261u ^ flags; /* FNV-1a */

	for (uint32_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

static uint32_t load(const uint32_t *from)
{
	return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

uint32_t ue__ring_events(const struct ue__ring_memory *memory)
{
	const uint32_t count = load(&memory->ring->next_event);

	return count < memory->event_count ? count : memory->event_count;
}

int ue__ring_definition(const struct ue__ring_memory *memory, uint32_t index,
			struct ue__ring_definition *definition)
{
	uint32_t length, text;

	if (index >= memory->event_count)
		return -ENOENT;
	length = load(&memory->events[index].length);
	text = load(&memory->events[index].text);
	if (!length || length >= UE__RING_DEFINITION || text > memory->text_size ||
	    memory->text_size - text < FLAGS_SIZE + length)
		return -ENOENT;
	memcpy(&definition->flags, memory->texts + text, FLAGS_SIZE);
	memcpy(definition->text, memory->texts + text + FLAGS_SIZE, length);
	definition->text[length] = '\0';
	definition->length = length;
	return strlen(definition->text) == length ? 0 : -ENOENT;
}

static int is_same(const struct ue__ring_memory *memory, uint32_t index, const char *text,
		   uint32_t length, uint32_t flags)
{
	struct ue__ring_definition found;

	return !ue__ring_definition(memory, index, &found) && found.length == length &&
	       found.flags == flags && !memcmp(found.text, text, length);
}

/* The chain may be damaged, so no more entries are looked at than there are. */
static int64_t find(const struct ue__ring_memory *memory, uint32_t hash, const char *text,
		    uint32_t length, uint32_t flags)
{
	uint32_t at = load(&memory->buckets[hash % UE__RING_BUCKETS]);

	for (uint32_t i = 0; i < memory->event_count && at && at <= memory->event_count; i++) {
		const struct ue__ring_event_entry *entry = &memory->events[at - 1];

		if (entry->hash == hash && is_same(memory, at - 1, text, length, flags))
			return at - 1;
		at = load(&entry->next);
	}
	return -ENOENT;
}

/* Counts up, unless that passes the end: a full ring stays as it is. */
static int64_t take(uint32_t *counter, uint32_t count, uint32_t end)
{
	uint32_t at = load(counter);

	do
		if (at > end || end - at < count)
			return -EMFILE;
	while (!__atomic_compare_exchange_n(counter, &at, at + count, 0, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED));
	return at;
}

static void publish(const struct ue__ring_memory *memory, uint32_t index, uint32_t length,
		    uint32_t hash)
{
	uint32_t *bucket = &memory->buckets[hash % UE__RING_BUCKETS];
	struct ue__ring_event_entry *entry = &memory->events[index];
	uint32_t first = load(bucket);

	entry->hash = hash;
	__atomic_store_n(&entry->length, length, __ATOMIC_RELEASE);
	do
		entry->next = first;
	while (!__atomic_compare_exchange_n(bucket, &first, index + 1, 0, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
}

static int64_t add(const struct ue__ring_memory *memory, uint32_t hash, const char *text,
		   uint32_t length, uint32_t flags)
{
	int64_t at = take(&memory->ring->next_text, FLAGS_SIZE + length, memory->text_size);
	int64_t index = at < 0 ? at : take(&memory->ring->next_event, 1, memory->event_count);

	if (index < 0)
		return index;
	memory->events[index].text = (uint32_t)at;
	memcpy(memory->texts + at, &flags, FLAGS_SIZE);
	memcpy(memory->texts + at + FLAGS_SIZE, text, length);
	publish(memory, (uint32_t)index, length, hash);
	return index;
}

/* Rules */

/* A reader that died while it changed the rules leaves an odd turn. */
#define ATTEMPTS 1000

/* A consistent copy, and its turn. */
static uint32_t copy_rules(const struct ue__ring_memory *memory, char *rules, uint32_t *turn)
{
	const struct ue__ring *ring = memory->ring;
	uint32_t length = 0;

	for (int i = 0; i < ATTEMPTS; i++) {
		*turn = load(&ring->rules_turn);
		length = __atomic_load_n(&ring->rules_length, __ATOMIC_RELAXED);
		if (length > UE__RING_RULES)
			length = UE__RING_RULES;
		memcpy(rules, ring->rules, length);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(*turn & 1) &&
		    *turn == __atomic_load_n(&ring->rules_turn, __ATOMIC_RELAXED))
			break;
	}
	return length;
}

static void set_bit(uint8_t *bits, uint32_t index, int is_set)
{
	const uint8_t mask = (uint8_t)(1u << index % 8);

	if (is_set)
		__atomic_fetch_or(&bits[index / 8], mask, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(&bits[index / 8], (uint8_t)~mask, __ATOMIC_SEQ_CST);
}

/* Stacks first: no event is enabled without the one that was asked for. */
static void apply(const struct ue__ring_memory *memory, uint32_t index, const char *rules,
		  uint32_t length, const char *name, uint32_t name_length)
{
	set_bit(memory->stacks, index,
		ue__rules_say(rules, length, UE__RULE_STACK, name, name_length));
	set_bit(memory->enabled, index,
		ue__rules_say(rules, length, UE__RULE_ENABLES, name, name_length));
}

static void apply_current_rules(const struct ue__ring_memory *memory, uint32_t index,
				const char *name, uint32_t name_length)
{
	char rules[UE__RING_RULES];
	uint32_t turn, length;

	for (int i = 0; i < ATTEMPTS; i++) {
		length = copy_rules(memory, rules, &turn);
		apply(memory, index, rules, length, name, name_length);
		if (turn == __atomic_load_n(&memory->ring->rules_turn, __ATOMIC_SEQ_CST))
			break;
	}
}

int64_t ue__ring_define(const struct ue__ring_memory *memory, const char *definition,
			uint32_t name_length, uint32_t flags)
{
	const uint32_t length = (uint32_t)strlen(definition);
	const uint32_t hash = hash_of(definition, length, flags);
	int64_t index = find(memory, hash, definition, length, flags);

	if (index < 0)
		index = add(memory, hash, definition, length, flags);
	if (index >= 0)
		apply_current_rules(memory, (uint32_t)index, definition, name_length);
	return index;
}

static void apply_to_all(const struct ue__ring_memory *memory, const char *rules,
			 uint32_t length)
{
	const uint32_t count = ue__ring_events(memory);
	struct ue__ring_definition found;

	for (uint32_t i = 0; i < count; i++)
		if (!ue__ring_definition(memory, i, &found))
			apply(memory, i, rules, length, found.text,
			      (uint32_t)strcspn(found.text, " "));
}

/* Writers look for stacks when they open a page. One who asked before may have died here. */
static void want_stacks(const struct ue__ring_memory *memory, int wants)
{
	__atomic_store_n(&memory->ring->wants_stacks, wants, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; wants && i < memory->page_count; i++) {
		const uint64_t state = __atomic_load_n(&memory->states[i], __ATOMIC_SEQ_CST);
		struct ue__ring_page *page = ue__ring_page(memory, i);
		uint64_t word;

		if (!ue__ring_number_of(state))
			continue;
		word = __atomic_load_n(&page->word, __ATOMIC_ACQUIRE);
		if (ue__ring_number_of(word) == ue__ring_number_of(state))
			ue__ring_close_page(page, word);
	}
}

uint32_t ue__ring_rules(const struct ue__ring_memory *memory, char rules[UE__RING_RULES])
{
	uint32_t turn;

	return copy_rules(memory, rules, &turn);
}

/* Writers find its index in the ring. Without room for it, stacks are addresses alone. */
static void define_mappings(const struct ue__ring_memory *memory)
{
	const int64_t index = ue__ring_define(memory, UE__MAPPING_EVENT,
					      sizeof(UE__MAPPING_NAME) - 1, 0);

	if (index >= 0)
		__atomic_store_n(&memory->ring->describes_code, (uint32_t)index + 1,
				 __ATOMIC_RELEASE);
	ue__ring_ask_for_code(memory);
}

int ue__ring_add_rule(const struct ue__ring_memory *memory, char sign, const char *glob)
{
	struct ue__ring *ring = memory->ring;
	char rules[UE__RING_RULES];
	uint32_t turn;
	const uint32_t before = copy_rules(memory, rules, &turn);
	const int length = ue__rules_add(rules, before, sizeof(rules), sign, glob);

	if (length < 0)
		return length;
	if (sign == UE__RULE_STACK)
		define_mappings(memory);
	/* An odd turn of one who died counts as begun. */
	__atomic_store_n(&ring->rules_turn, turn | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	memcpy(ring->rules, rules, (size_t)length);
	__atomic_store_n(&ring->rules_length, (uint32_t)length, __ATOMIC_RELAXED);
	__atomic_store_n(&ring->rules_turn, (turn | 1) + 1, __ATOMIC_SEQ_CST);
	apply_to_all(memory, rules, (uint32_t)length);
	want_stacks(memory, ue__rules_have(rules, (uint32_t)length, UE__RULE_STACK));
	return 0;
}

#define GLOB_MAX 255
/* Milliseconds. */
#define PATIENCE 1000

/*
 * Two that change the rules at once would lose the rule of one. A process that was stopped
 * amid its change is not waited for longer than that is worth.
 */
static int lock_rules(int fd)
{
	const struct timespec millisecond = { .tv_nsec = 1000000 };

	for (int i = 0; i < PATIENCE; i++) {
		if (!ue__ring_lock(fd, UE__RING_RULES_LOCK))
			return 1;
		nanosleep(&millisecond, NULL);
	}
	return 0;
}

int ue__ring_change_rules(const struct ue__ring_memory *memory, int fd, char sign,
			  const char *glob, uint32_t frames)
{
	const size_t length = strlen(glob);
	int own, is_locked, result;

	if (!length || length > GLOB_MAX || strchr(glob, '\n'))
		return -EINVAL;
	if (frames)
		ue__ring_set_frames(memory, frames);
	else if (sign == UE__RULE_STACK)
		sign = UE__RULE_NO_STACK;
	/* A description of its own excludes other threads, too. There is none without /proc. */
	own = ue__ring_open_again(fd);
	is_locked = lock_rules(own < 0 ? fd : own);
	result = ue__ring_add_rule(memory, sign, glob);
	if (own >= 0)
		close(own);
	else if (is_locked)
		ue__ring_unlock(fd, UE__RING_RULES_LOCK);
	return result;
}
