/* SPDX-License-Identifier: MIT */
/*
 * Keys of attributes, which must be unique in their list, whatever the names of fields: the
 * second "a" is "a#2".
 */
#ifndef UE__TOOLS_EXPORT_OTLP_KEYS_H
#define UE__TOOLS_EXPORT_OTLP_KEYS_H

#include <stdint.h>

#include "cli/bytes.h"
#include "export/tree/clean_text.h"

/* Zero it before the first use. */
struct attribute_keys {
	struct key_slot *slots; /* a hash table; a power of two of them */
	uint32_t size, used;
	uint32_t generation; /* of slots that are used */
	uint32_t lists;
	struct bytes text; /* of all keys */
	struct bytes candidate;
};

/* Forget all. */
void attribute_keys_begin(struct attribute_keys *keys);
/* A number for another list. The outermost one has the number 0. */
uint32_t attribute_keys_list(struct attribute_keys *keys);
/* Add a name; returns it, or what makes it unique: valid until the next call. */
struct clean_text attribute_keys_add(struct attribute_keys *keys, uint32_t list,
				     struct clean_text name);
/* Names of the outermost list, for attribute_keys_restore(). */
void attribute_keys_save(const struct attribute_keys *keys, struct bytes *to);
void attribute_keys_restore(struct attribute_keys *keys, const uint8_t *saved,
			    size_t length);
void attribute_keys_free(struct attribute_keys *keys);

#endif
