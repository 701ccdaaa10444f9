/* SPDX-License-Identifier: MIT */
/*
 * The whole screen of a terminal. However the tool ends, except by SIGKILL, the terminal is
 * left as it was.
 *
 * Standard input and standard error are taken away meanwhile, so that a program that the
 * tool starts neither reads keys nor writes over the screen; messages are kept, and printed
 * at the end.
 */
#ifndef UE__TOOLS_ANSWERS_SCREEN_SCREEN_H
#define UE__TOOLS_ANSWERS_SCREEN_SCREEN_H

#include <stddef.h>

#include "common/cli/memory.h"

struct screen_size {
	size_t rows, columns;
};

/*
 * Take the screen. output: a file for standard error; NULL: /dev/null. 0, or an exit status
 * after a message. There is one screen at a time.
 */
int screen_open(const char *output);
/* Restore the terminal, and print the messages. Does nothing without a screen. */
void screen_close(void);

/* Readable if there may be keys, or the size has changed. */
int screen_fd(void);
/* Keys that were pressed: how many bytes; 0: none; -1: the terminal is gone. */
int screen_read(char *bytes, size_t size);
struct screen_size screen_size(void);
/* Whether the size has changed, or the screen was taken anew, since the last call. */
int screen_is_stale(void);
/* Replace the picture by lines, each ending with "\r\n" except the last. */
void screen_show(const struct bytes *lines);
/* Stop the tool and the program, as Ctrl-Z does, until they go on. */
void screen_suspend(void);
/* The message printed last, without its newline; NULL if there was none. Valid until the next. */
const char *screen_message(void);
/* Drop the messages so far. */
void screen_drop_messages(void);

/* Keys from the bytes that a terminal sends. */

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
