/* SPDX-License-Identifier: MIT */
/*
 * Hash tables of keys that a recording chooses. A recording made for it could have keys that
 * all meet in one slot, and cost time in the square of their number. So the keys are
 * multiplied by a number that no recording knows, and the high bits choose the slot: two
 * keys then meet as rarely as random ones, whatever they are.
 */
#ifndef UE__TOOLS_COMMON_CLI_HASH_SEED_H
#define UE__TOOLS_COMMON_CLI_HASH_SEED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

struct hash_seed {
	uint64_t odd[2]; /* random for each start of the tool */
};

static inline struct hash_seed hash_seed(void)
{
	struct hash_seed seed = { { 0x9fb21c651e98df25u, 0xd6e8feb86659fd93u } };
	const unsigned long random = getauxval(AT_RANDOM);

	if (random)
		memcpy(seed.odd, (const void *)random, sizeof(seed.odd));
	seed.odd[0] |= 1;
	seed.odd[1] |= 1;
	return seed;
}

/* The slot, of a power of two above 1 of them. The key's second part may be 0. */
static inline size_t hash_slot(const struct hash_seed *seed, uint64_t key, uint64_t second,
			       size_t count)
{
	return (key * seed->odd[0] + second * seed->odd[1]) >>
	       (64 - __builtin_ctzll(count));
}

/* A key of text: the numbers are in each step, so that no two texts are sure to have one key. */
static inline uint64_t hash_text(const struct hash_seed *seed, const char *text, size_t length)
{
	uint64_t key = seed->odd[1] ^ length, part = 0;

	for (; length >= sizeof(part); length -= sizeof(part), text += sizeof(part)) {
		memcpy(&part, text, sizeof(part));
		key = (key ^ part) * seed->odd[0];
		key ^= key >> 32;
	}
	part = 0;
	memcpy(&part, text, length);
	key = (key ^ part) * seed->odd[0];
	return key ^ key >> 32;
}

#endif
