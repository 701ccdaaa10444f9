/* SPDX-License-Identifier: MIT */
/* Makes valid UTF-8 of any bytes. */
#include "clean_text.h"

#include <string.h>

#include "common/cli/memory.h"
#include "common/events/field_value.h"

/* Counts of counted text in events have 16 bits, but not those of the reader. */
struct clean_text clean_text(struct clean_texts *texts, const void *bytes, size_t length)
{
	const struct ue_value item = {
		.bytes = bytes,
		.length = (uint32_t)length,
		.encoding = UE_ENCODING_STRING_LENGTH16_CHAR8,
		.format = UE_FORMAT_STRING_UTF,
	};
	struct value value = { .type = VALUE_NONE };

	if (bytes_are_ascii(bytes, length))
		return (struct clean_text){ bytes, length };
	value_printed(&item, &value, &texts->scratch);
	return (struct clean_text){ value.text, value.length };
}

char *clean_copy(const char *text)
{
	struct clean_texts texts = { 0 };
	const struct clean_text clean = clean_text(&texts, text, strlen(text));
	char *copy = xstrndup(clean.at, clean.length);

	clean_texts_free(&texts);
	return copy;
}

void clean_texts_free(struct clean_texts *texts)
{
	bytes_free(&texts->scratch);
}
