/* SPDX-License-Identifier: MIT */
/* Checks for JSON (RFC 8259) in valid UTF-8. Strict, and independent of the library. */
#ifndef JSON_CHECK_H
#define JSON_CHECK_H

#include <stddef.h>

/* The offset after the first wrong byte, or 0 for valid JSON. */
size_t utf8_wrong(const char *text, size_t length);
/* The same for one JSON value, with blanks around it. */
size_t json_wrong(const char *text, size_t length);

#endif
