/* SPDX-License-Identifier: MIT */
/* Keys from the bytes that a terminal sends. */
#ifndef UE__TOOLS_TOP_KEYS_H
#define UE__TOOLS_TOP_KEYS_H

#include <stddef.h>

/* Other keys are their byte, also those of UTF-8. */
enum key {
	KEY_NONE = 0, /* a sequence that means nothing here */
	KEY_TAB = '\t',
	KEY_RETURN = '\r',
	KEY_ESCAPE = 0x1b,
	KEY_DELETE = 0x7f,
	KEY_UP = 256,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_BACK_TAB,
};

#define KEY_CONTROL(letter) ((letter) & 0x1f)

/* The next key of these bytes, of which it takes at least one; length > 0. */
int key_next(const char **bytes, size_t *length);

#endif
