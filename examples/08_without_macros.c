/* SPDX-License-Identifier: MIT */
/*
 * cc 08_without_macros.c $(pkg-config --cflags --libs libuserevents) -o without_macros
 *
 * The calls below the macros, for events with fields known only at run time, and for
 * bindings of other languages. The definition is a string, and the program packs the
 * payload itself.
 *
 *	without_macros [NAME]
 */
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

#include <userevents/userevents.h>

/* The fields in the order of the definition, without padding. */
struct payload {
	uint32_t number;
	uint64_t square;
	uint32_t text; /* size << 16 | offset, counted from the end of this field */
} __attribute__((packed));

static int write_squares(int fd, struct ue_event *event, uint32_t number,
			 const char *text)
{
	uint32_t size = (uint32_t)strlen(text) + 1;
	struct payload payload = { number, (uint64_t)number * number, size << 16 };
	const struct iovec pieces[] = {
		{ &payload, sizeof(payload) },
		{ (void *)text, size },
	};

	if (!ue_enabled(event)) /* ue_writev() checks, too; this saves the packing */
		return 0;
	return ue_writev(fd, event, pieces, 2);
}

static int complain(const char *definition, enum ue_call call, int error)
{
	fprintf(stderr, "without_macros: \"%s\": %s.\n", definition, ue_explain(call, error));
	return 1;
}

int main(int argc, char **argv)
{
	struct ue_definition_error wrong;
	struct ue_event event;
	char definition[256];
	int fd, error;

	snprintf(definition, sizeof(definition),
		 "%s u32 number; u64 square; __rel_loc char[] text",
		 argc > 1 ? argv[1] : "squares");
	if (ue_definition_check(definition, 0, &wrong)) {
		fprintf(stderr, "without_macros: \"%s\": %s\n", definition, wrong.reason);
		return 1;
	}
	ue_event_init(&event, definition, 0);
	fd = ue_open(NULL);
	if (fd < 0)
		return complain(definition, UE_CALL_OPEN, fd);
	error = ue_register(fd, &event);
	if (error)
		return complain(definition, UE_CALL_REGISTER, error);
	error = write_squares(fd, &event, 12, "a dozen");
	ue_close(fd); /* while the event, which is on the stack, still exists */
	return error ? complain(definition, UE_CALL_WRITE, error) : 0;
}
