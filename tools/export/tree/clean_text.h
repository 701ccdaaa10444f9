/* SPDX-License-Identifier: MIT */
/* Text that is valid UTF-8, whatever bytes it is made of. */
#ifndef UE__TOOLS_EXPORT_TREE_CLEAN_TEXT_H
#define UE__TOOLS_EXPORT_TREE_CLEAN_TEXT_H

#include <stddef.h>

#include "common/cli/memory.h"

/* Not NUL-terminated; may have NULs and other control characters. */
struct clean_text {
	const char *at;
	size_t length;
};

/* Memory for one text at a time. Zero it before the first use. */
struct clean_texts {
	struct bytes scratch;
};

/*
 * The text as it is, if it is valid UTF-8; otherwise with the invalid bytes read as ISO
 * 8859-1, as the library does, valid until the next call with these texts.
 */
struct clean_text clean_text(struct clean_texts *texts, const void *bytes, size_t length);
/* All of it, to be freed. */
char *clean_copy(const char *text);
/* Its length up to so many bytes, but no character is cut. */
static inline size_t clean_text_length(struct clean_text text, size_t most)
{
	if (text.length <= most)
		return text.length;
	while (most && (text.at[most] & 0xc0) == 0x80) /* within a character */
		most--;
	return most;
}

void clean_texts_free(struct clean_texts *texts);

#endif
