/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/abi/eventheader.h>

#include "golden.h"

/* Hex */

struct hex {
	const char *at;
	uint8_t *bytes;
	size_t size;
	size_t length;
	enum golden_machine machine;
};

static int put(struct hex *hex, uint8_t byte)
{
	if (hex->length == hex->size)
		return -1;
	hex->bytes[hex->length++] = byte;
	return 0;
}

static int quoted(struct hex *hex)
{
	while (*hex->at && *hex->at != '"')
		if (put(hex, (uint8_t)*hex->at++))
			return -1;
	return *hex->at++ ? 0 : -1;
}

static int tokens(struct hex *hex, int closing);

/* N*( ... ): parse the content once, then copy it. */
static int repeated(struct hex *hex, unsigned long times)
{
	size_t begin = hex->length, length;

	if (!times || tokens(hex, ')'))
		return -1;
	length = hex->length - begin;
	while (--times) {
		if (length > hex->size - hex->length)
			return -1;
		memcpy(hex->bytes + hex->length, hex->bytes + begin, length);
		hex->length += length;
	}
	return 0;
}

/* < ... > */
static int number(struct hex *hex)
{
	size_t begin = hex->length;

	if (tokens(hex, '>'))
		return -1;
	if (!(hex->machine & GOLDEN_BIG))
		return 0;
	for (size_t end = hex->length; begin + 1 < end; begin++) {
		uint8_t byte = hex->bytes[begin];

		hex->bytes[begin] = hex->bytes[--end];
		hex->bytes[end] = byte;
	}
	return 0;
}

/* [ ... | ... ] */
static int either(struct hex *hex)
{
	size_t begin = hex->length, middle;

	if (tokens(hex, '|'))
		return -1;
	middle = hex->length;
	if (tokens(hex, ']'))
		return -1;
	if (hex->machine & GOLDEN_32) {
		memmove(hex->bytes + begin, hex->bytes + middle, hex->length - middle);
		hex->length -= middle - begin;
	} else {
		hex->length = middle;
	}
	return 0;
}

static int token(struct hex *hex)
{
	char *end;
	unsigned long value;

	switch (*hex->at) {
	case '"':
		hex->at++;
		return quoted(hex);
	case '<':
		hex->at++;
		return number(hex);
	case '[':
		hex->at++;
		return either(hex);
	}
	value = strtoul(hex->at, &end, 10);
	if (end > hex->at && end[0] == '*' && end[1] == '(') {
		hex->at = end + 2;
		return repeated(hex, value);
	}
	value = strtoul(hex->at, &end, 16);
	if (end != hex->at + 2 || value > 255)
		return -1;
	hex->at = end;
	return put(hex, (uint8_t)value);
}

static int tokens(struct hex *hex, int closing)
{
	for (;;) {
		hex->at += strspn(hex->at, " \t");
		if (*hex->at == '\0' || *hex->at == '#')
			return closing ? -1 : 0;
		if (closing && *hex->at == closing) {
			hex->at++;
			return 0;
		}
		if (token(hex))
			return -1;
	}
}

static long machine_hex(const char *text, enum golden_machine machine, uint8_t *bytes,
			size_t size)
{
	struct hex hex = {
		.at = text, .bytes = bytes, .size = size, .machine = machine
	};

	return tokens(&hex, 0) ? -1 : (long)hex.length;
}

long golden_hex(const char *text, uint8_t *bytes, size_t size)
{
	return machine_hex(text, GOLDEN_FILE, bytes, size);
}

/* Files */

static void malformed(const char *path, int line)
{
	fprintf(stderr, "%s:%d: malformed\n", path, line);
	exit(2);
}

static int copy(char *to, size_t size, const char *text)
{
	if (strlen(text) >= size)
		return -1;
	strcpy(to, text);
	return 0;
}

static int take(struct golden *golden, enum golden_machine machine, char *line);

/* Parses one line of an event. Returns 0 on success. */
static int take_word(struct golden *golden, enum golden_machine machine, const char *word,
		     char *rest)
{
	long length;

	if (!strcmp(word, "big"))
		return machine & GOLDEN_BIG ? take(golden, machine, rest) : 0;
	if (!strcmp(word, "json"))
		return copy(golden->json, sizeof(golden->json), rest);
	if (!strcmp(word, "nested"))
		return copy(golden->nested, sizeof(golden->nested), rest);
	if (!strcmp(word, "text"))
		return copy(golden->text, sizeof(golden->text), rest);
	if (!strcmp(word, "fault"))
		return sscanf(rest, "%63s %ld", golden->fault,
			      &golden->fault_offset) != 2;
	if (!strcmp(word, "trailing"))
		return sscanf(rest, "%ld", &golden->trailing) != 1;
	if (strcmp(word, "hex"))
		return -1;
	length = machine_hex(rest, machine, golden->bytes + golden->length,
			     sizeof(golden->bytes) - golden->length);
	if (length < 0)
		return -1;
	golden->length += (size_t)length;
	return 0;
}

static int take(struct golden *golden, enum golden_machine machine, char *line)
{
	const size_t length = strcspn(line, " ");
	char *rest = line + length + (line[length] != '\0');

	line[length] = '\0';
	return take_word(golden, machine, line, rest);
}

/* The flags are where the event begins. */
static void finish(struct golden *golden, enum golden_machine machine)
{
	if (machine & GOLDEN_BIG)
		golden->bytes[0] &= (uint8_t)~UE_HEADER_LITTLE_ENDIAN;
	if (machine & GOLDEN_32)
		golden->bytes[0] &= (uint8_t)~UE_HEADER_POINTER64;
}

static void begin(struct golden *golden, const char *path, int line)
{
	memset(golden, 0, sizeof(*golden));
	golden->file = path;
	golden->line = line;
}

int golden_read(const char *path, enum golden_machine machine,
		void (*call)(const struct golden *, void *), void *context)
{
	static struct golden golden;
	static char line[70000];
	FILE *file = fopen(path, "r");
	int number = 0, count = 0;

	if (!file) {
		perror(path);
		exit(2);
	}
	while (fgets(line, sizeof(line), file)) {
		char *word = line + strspn(line, " \t");

		number++;
		word[strcspn(word, "\n")] = '\0';
		if (!*word || *word == '#')
			continue;
		if (!strncmp(word, "event ", 6)) {
			if (count++) {
				finish(&golden, machine);
				call(&golden, context);
			}
			begin(&golden, path, number);
			if (copy(golden.name, sizeof(golden.name), word + 6))
				malformed(path, number);
		} else if (!count || take(&golden, machine, word)) {
			malformed(path, number);
		}
	}
	fclose(file);
	if (count) {
		finish(&golden, machine);
		call(&golden, context);
	}
	return count;
}
