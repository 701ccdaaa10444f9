/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>

#include "json_check.h"

/* UTF-8: decode and check the result, rather than ranges of bytes. */
static size_t decode(const unsigned char *at, size_t left, uint32_t *code)
{
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = at[0] < 0x80 ? 1 : (at[0] & 0xe0) == 0xc0 ? 2 :
			(at[0] & 0xf0) == 0xe0 ? 3 : (at[0] & 0xf8) == 0xf0 ? 4 : 0;

	if (!length || length > left)
		return 0;
	*code = length == 1 ? at[0] : at[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (at[i] & 0x3f);
	}
	if (*code < least[length] || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return length;
}

size_t utf8_wrong(const char *text, size_t length)
{
	uint32_t code;

	for (size_t at = 0; at < length;) {
		size_t used = decode((const unsigned char *)text + at, length - at,
				     &code);

		if (!used)
			return at + 1;
		at += used;
	}
	return 0;
}

#define DEPTH_MAX 200

struct parser {
	const char *at;
	const char *end;
	char open[DEPTH_MAX]; /* the brackets that will close */
	int depth;
};

static int peek(const struct parser *p)
{
	return p->at < p->end ? (unsigned char)*p->at : -1;
}

static void blanks(struct parser *p)
{
	while (peek(p) == ' ' || peek(p) == '\t' || peek(p) == '\n' ||
	       peek(p) == '\r')
		p->at++;
}

static int is_hex(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

static int escape(struct parser *p)
{
	int c = peek(p);

	p->at++;
	if (c == 'u') {
		for (int i = 0; i < 4; i++, p->at++)
			if (!is_hex(peek(p)))
				return 0;
		return 1;
	}
	return c > 0 && strchr("\"\\/bfnrt", c) != NULL;
}

static int string(struct parser *p)
{
	if (peek(p) != '"')
		return 0;
	p->at++;
	while (peek(p) != '"') {
		if (peek(p) < 0x20)
			return 0;
		if (*p->at++ == '\\' && !escape(p))
			return 0;
	}
	p->at++;
	return 1;
}

static int digits(struct parser *p)
{
	const char *begin = p->at;

	while (peek(p) >= '0' && peek(p) <= '9')
		p->at++;
	return p->at > begin;
}

static int number(struct parser *p)
{
	if (peek(p) == '-')
		p->at++;
	if (peek(p) == '0')
		p->at++;
	else if (!digits(p))
		return 0;
	if (peek(p) == '.') {
		p->at++;
		if (!digits(p))
			return 0;
	}
	if (peek(p) == 'e' || peek(p) == 'E') {
		p->at++;
		if (peek(p) == '+' || peek(p) == '-')
			p->at++;
		return digits(p);
	}
	return 1;
}

static int word(struct parser *p, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(p->end - p->at) < length || memcmp(p->at, text, length))
		return 0;
	p->at += length;
	return 1;
}

static int key(struct parser *p)
{
	blanks(p);
	if (!string(p))
		return 0;
	blanks(p);
	return word(p, ":");
}

/* A value, or the beginning of one with its first key. 1: complete, 2: begun. */
static int value(struct parser *p)
{
	int bracket;

	blanks(p);
	bracket = peek(p);
	if (bracket == '[' || bracket == '{') {
		if (p->depth == DEPTH_MAX)
			return 0;
		p->at++;
		p->open[p->depth++] = bracket == '[' ? ']' : '}';
		blanks(p);
		if (peek(p) == p->open[p->depth - 1])
			return 1; /* the caller closes it */
		return bracket == '[' || key(p) ? 2 : 0;
	}
	if (bracket == '"')
		return string(p);
	if (word(p, "true") || word(p, "false") || word(p, "null"))
		return 1;
	return number(p);
}

/* After a value: closing brackets, then a comma or the end. */
static int after_value(struct parser *p)
{
	for (;;) {
		blanks(p);
		if (!p->depth)
			return 1;
		if (peek(p) != p->open[p->depth - 1])
			break;
		p->at++;
		p->depth--;
	}
	if (!word(p, ","))
		return 0;
	return p->open[p->depth - 1] == ']' || key(p);
}

size_t json_wrong(const char *text, size_t length)
{
	struct parser p = { .at = text, .end = text + length };
	size_t wrong = utf8_wrong(text, length);

	if (wrong)
		return wrong;
	do {
		int result = value(&p);

		if (!result || (result == 1 && !after_value(&p)))
			return (size_t)(p.at - text) + 1;
	} while (p.depth);
	return p.at == p.end ? 0 : (size_t)(p.at - text) + 1;
}
