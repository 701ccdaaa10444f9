/* SPDX-License-Identifier: MIT */
/* The text of user_events_status: reading ends, and names are inside the text. */
#include <errno.h>

#include <userevents/decode/status.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size ? size : 1);
	struct ue_status_entry entry;
	struct ue_status status;
	size_t lines = 0;
	int result;

	PROMISE(text);
	if (size)
		memcpy(text, data, size);
	ue_status_begin(&status, text, size);
	while ((result = ue_status_next(&status, &entry))) {
		PROMISE(result == 1 || result == -EBADMSG);
		PROMISE(++lines <= size);
		PROMISE(status.offset <= size);
		if (result != 1)
			continue;
		PROMISE(entry.name >= text);
		PROMISE(entry.name + entry.name_length <= text + size);
		PROMISE(!memchr(entry.name, ' ', entry.name_length));
		PROMISE(!(entry.users & ~7u));
	}
	free(text);
	return 0;
}
