/* SPDX-License-Identifier: MIT */
/* Checks the headers that a user adds to requests. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "curl_library.h"
#include "receiver.h"

/* RFC 9110, section 5.6.2: a token. */
static int is_name(const char *text, size_t length)
{
	static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	return length && strspn(text, token) >= length;
}

/* A line's end in a value would begin another header. */
static int is_value(const char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\t') || *text == '\x7f')
			return 0;
	return 1;
}

/* These headers describe how to read the request. */
static int is_own(const char *name, size_t length)
{
	static const char *const names[] = {
		"Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect",
		"TE", "Trailer", "Transfer-Encoding", "Upgrade",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == length && !strncasecmp(names[i], name, length))
			return 1;
	return 0;
}

static const char *fault_of(const char *name, size_t length, const char *value)
{
	if (is_own(name, length))
		return "it describes the request, which is userevents' part";
	return is_value(value) ? NULL : "its value has control characters";
}

static void put(struct words *headers, const char *header, size_t name_length)
{
	for (size_t i = 0; i < headers->count; i++)
		if (!strncasecmp(headers->items[i], header, name_length) &&
		    strchr(":;", headers->items[i][name_length])) {
			free((char *)headers->items[i]);
			headers->items[i] = header;
			return;
		}
	words_add(headers, header);
}

int receiver_add_header(struct receiver *receiver, const char *name, size_t name_length,
			const char *value, const char *from)
{
	const char *fault = fault_of(name, name_length, value);

	/* This one may be a part of the value: Authorization: Bearer a=b, in a list. */
	if (!is_name(name, name_length)) {
		message("cannot send the header of %s: its name is not a token of HTTP; "
			"correct it", from);
		return -1;
	}
	if (fault) {
		message("cannot send the header \"%.*s\": %s; correct %s", (int)name_length,
			name, fault, from);
		return -1;
	}
	/* libcurl takes "NAME:" for a header to leave out. */
	put(&receiver->headers, xprintf("%.*s%s%s", (int)name_length, name, *value ? ": " : ";",
					value), name_length);
	return 0;
}

/* One pair of the list, with blanks around its parts. */
static int add_pair(struct receiver *receiver, char *pair, const char *from)
{
	static const char blanks[] = " \t";
	char *name = pair + strspn(pair, blanks);
	char *equals = strchr(name, '=');
	char *end = pair + strlen(pair);
	char *value;
	int length, result;

	if (!*name)
		return 0;
	if (!equals) {
		message("cannot send a header: %s has a part without \"=\"; write NAME=VALUE,"
			"NAME=VALUE", from);
		return -1;
	}
	while (end > equals + 1 && strchr(blanks, end[-1]))
		*--end = '\0';
	value = curl.easy_unescape(NULL, equals + 1 + strspn(equals + 1, blanks), 0, &length);
	if (!value)
		memory_is_short();
	/* %00 becomes a control character, too. */
	for (int i = 0; i < length; i++)
		value[i] = value[i] ? value[i] : '\n';
	for (end = equals; end > name && strchr(blanks, end[-1]); end--)
		continue;
	result = receiver_add_header(receiver, name, (size_t)(end - name), value, from);
	curl.free(value);
	return result;
}

int receiver_add_header_list(struct receiver *receiver, const char *list,
			     const char *from)
{
	char *copy = xstrdup(list), *rest = copy, *pair;
	int result = 0;

	while (!result && (pair = strsep(&rest, ",")))
		result = add_pair(receiver, pair, from);
	free(copy);
	return result;
}
