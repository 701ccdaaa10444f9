/* SPDX-License-Identifier: MIT */
/*
 * Writes XML, and HTML that is XML, too. Texts of a recording go through markup_text() or
 * markup_string(), which let no byte of them become markup, in content or in an attribute in
 * quotes. markup_put() is for texts of this program, and markup_format() for these and numbers.
 */
#ifndef UE__TOOLS_PRESENT_MARKUP_H
#define UE__TOOLS_PRESENT_MARKUP_H

#include <stddef.h>

#include "common/cli/memory.h"

void markup_put(struct bytes *out, const char *markup);
void markup_format(struct bytes *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Text of any bytes. The markup is valid UTF-8; characters that control, reorder or hide
 * text are shown as U+FFFD.
 */
void markup_text(struct bytes *out, const char *text, size_t length);
void markup_string(struct bytes *out, const char *text);
/* At most this many characters, the last an ellipsis if the text is longer. */
void markup_short(struct bytes *out, const char *text, size_t length, unsigned int most);

#endif
