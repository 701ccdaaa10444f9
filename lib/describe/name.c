/* SPDX-License-Identifier: MIT */
/*
 * Split the name of an EventHeader tracepoint into its parts, and make one of parts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include <userevents/eventheader_name.h>

#include "eventheader.h"

/* -1 for other characters */
static inline int hex_digit(char c)
{
	if (c <= '9')
		return c >= '0' ? c - '0' : -1;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Up to max digits; how many there were. */
static size_t take_hex(const char *at, const char *end, size_t max,
		       uint64_t *value)
{
	size_t digits = 0;

	*value = 0;
	while (at + digits < end && digits < max) {
		int digit = hex_digit(at[digits]);

		if (digit < 0)
			break;
		*value = *value << 4 | (uint64_t)digit;
		digits++;
	}
	return digits;
}

size_t ue__name_unnumbered(const char *name, size_t length)
{
	size_t at = length;

	while (at && hex_digit(name[at - 1]) >= 0)
		at--;
	return at && at < length && name[at - 1] == '.' ? at - 1 : length;
}

static int is_option_letter(char c)
{
	return c >= 'A' && c <= 'Z';
}

static int is_option_value(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

/* The first byte that does not belong to options, or end. */
static const char *wrong_option(const char *at, const char *end)
{
	if (at < end && !is_option_letter(*at))
		return at;
	while (at < end && (is_option_letter(*at) || is_option_value(*at)))
		at++;
	return at;
}

static void find_group(struct ue_eventheader_name *name)
{
	const char *end = name->options + name->options_length;
	const char *at = memchr(name->options, 'G', name->options_length);

	name->group = at ? at + 1 : end;
	for (at = name->group; at < end && is_option_value(*at);)
		at++;
	name->group_length = (size_t)(at - name->group);
}

/* "_L4K1f": the byte after it, or NULL with the fault in *error. */
static const char *take_numbers(const char *text, const char *at, const char *end,
				struct ue_eventheader_name *name,
				struct ue_eventheader_error *error)
{
	uint64_t level;
	size_t digits;

	at++;
	digits = at < end && *at == 'L' ? take_hex(at + 1, end, 2, &level) : 0;
	if (!digits) {
		ue__fault(error, UE_FAULT_NAME_NO_LEVEL, (size_t)(at - text));
		return NULL;
	}
	name->level = (uint8_t)level;
	at += 1 + digits;
	digits = at < end && *at == 'K' ?
			 take_hex(at + 1, end, 16, &name->keyword) :
			 0;
	if (!digits) {
		ue__fault(error, UE_FAULT_NAME_NO_KEYWORD, (size_t)(at - text));
		return NULL;
	}
	return at + 1 + digits;
}

UE__PUBLIC int ue_eventheader_name_parse(const char *text, size_t length,
				     struct ue_eventheader_name *name,
				     struct ue_eventheader_error *error)
{
	struct ue_eventheader_name parts;
	const char *end, *at, *wrong;

	if (length > UE_EVENTHEADER_NAME_MAX)
		return ue__fault(error, UE_FAULT_NAME_TOO_LONG,
				 UE_EVENTHEADER_NAME_MAX);
	if (!length) /* where text may be NULL */
		return ue__fault(error, UE_FAULT_NAME_NO_LEVEL, 0);
	end = text + length;
	wrong = memchr(text, '\0', length);
	if (wrong)
		return ue__fault(error, UE_FAULT_NAME_NUL, (size_t)(wrong - text));
	/* no option has a '_', so the last one is before the level */
	at = memrchr(text, '_', length);
	if (!at)
		return ue__fault(error, UE_FAULT_NAME_NO_LEVEL, length);
	parts.provider = text;
	parts.provider_length = (size_t)(at - text);
	at = take_numbers(text, at, end, &parts, error);
	if (!at)
		return -EOPNOTSUPP;
	wrong = wrong_option(at, end);
	if (wrong < end)
		return ue__fault(error, UE_FAULT_NAME_OPTIONS,
				 (size_t)(wrong - text));
	parts.options = at;
	parts.options_length = (size_t)(end - at);
	find_group(&parts);
	*name = parts;
	return 0;
}

/* Putting together */

static int is_provider_byte(char c)
{
	return (unsigned char)c > ' ' && c != 0x7f && c != '/' && c != ':' &&
	       c != ';';
}

/* The fault of a name that exists, with the error of one that is to be made. */
static int malformed(struct ue_eventheader_error *error, enum ue_fault fault,
		     size_t offset, int result)
{
	ue__fault(error, fault, offset);
	if (error)
		error->error = result;
	return result;
}

static int check(const struct ue_eventheader_name *name,
		 struct ue_eventheader_error *error)
{
	size_t length = 0;

	while (length < name->provider_length &&
	       is_provider_byte(name->provider[length]))
		length++;
	if (!length || length < name->provider_length)
		return ue__fault(error, UE_FAULT_NAME_PROVIDER, length);
	return name->level ? 0 : malformed(error, UE_FAULT_NAME_NO_LEVEL, 0, -EINVAL);
}

/*
 * Programs that mean the same tracepoint must say the same, so there is one order: each
 * option after the one before it, the first of which is given.
 */
static int check_options(const char *text, size_t length, char before,
			 struct ue_eventheader_error *error)
{
	for (size_t i = 0; i < length; i++) {
		if (before && is_option_value(text[i]))
			continue;
		if (!is_option_letter(text[i]) || text[i] <= before)
			return malformed(error, UE_FAULT_NAME_OPTIONS, i, -EINVAL);
		before = text[i];
	}
	return 0;
}

static char *put_hex(char *at, uint64_t value)
{
	int shift = 60;

	while (shift && !(value >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[value >> shift & 15];
	return at;
}

static int too_long(struct ue_eventheader_error *error)
{
	return malformed(error, UE_FAULT_NAME_TOO_LONG, UE_EVENTHEADER_NAME_MAX,
			 -ENAMETOOLONG);
}

UE__PUBLIC int ue_eventheader_name_make(const struct ue_eventheader_name *name,
				      char *out, size_t size,
				      struct ue_eventheader_error *error)
{
	/* with room for "_LffKffffffffffffffffG" and the NUL */
	char text[2 * UE_EVENTHEADER_NAME_MAX + 32], *at;
	int is_group = !name->options_length && name->group_length;
	const char *options = is_group ? name->group : name->options;
	size_t length = is_group ? name->group_length : name->options_length;
	int result = check(name, error);

	if (result)
		return result;
	if (name->provider_length > UE_EVENTHEADER_NAME_MAX ||
	    length > UE_EVENTHEADER_NAME_MAX)
		return too_long(error);
	/* a group is one option: none can come after 'Z' */
	result = check_options(options, length, is_group ? 'Z' : '\0', error);
	if (result)
		return result;
	at = mempcpy(text, name->provider, name->provider_length);
	at = put_hex(mempcpy(at, "_L", 2), name->level);
	at = put_hex(mempcpy(at, "K", 1), name->keyword);
	at = mempcpy(at, "G", (size_t)is_group);
	if (length)
		at = mempcpy(at, options, length);
	length = (size_t)(at - text);
	if (length > UE_EVENTHEADER_NAME_MAX)
		return too_long(error);
	*at = '\0';
	if (length < size)
		memcpy(out, text, length + 1);
	return (int)length;
}
