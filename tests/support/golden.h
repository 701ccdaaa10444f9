/* SPDX-License-Identifier: MIT */
/*
 * Golden files: events as bytes, with their expected output.
 *
 *	# a comment, to the end of the line
 *	event NAME			the tracepoint's name
 *	hex 07 00 "abc" 00 ...		bytes; text in quotes; may be several
 *	json TEXT			exactly, in the default form
 *	nested TEXT			the same with UE_RENDER_NESTED
 *	text TEXT			a line of text, exactly
 *	big WORD TEXT			instead of one of these, on a big-endian machine
 *	fault NAME OFFSET		the error, if there is one
 *	trailing COUNT			bytes after the last field, if any
 *
 * In hex, N*( ... ) repeats the bytes in the brackets N times. The bytes are those of a
 * little-endian machine of 64 bits. < ... > are the bytes of one number, which a big-endian
 * machine has in reverse; [ ... | ... ] are the bytes of a machine of 64 bits, and of one of
 * 32 bits. The flags of such a machine replace those in the event's first byte.
 */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stddef.h>
#include <stdint.h>

#define GOLDEN_EVENT_MAX 70000

/* The machine that writes an event. */
enum golden_machine {
	GOLDEN_FILE = 0, /* little-endian, 64 bits: as in the file */
	GOLDEN_BIG = 1,
	GOLDEN_32 = 2,
	GOLDEN_THIS = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? GOLDEN_BIG : 0) |
		      (sizeof(void *) == 4 ? GOLDEN_32 : 0),
};

struct golden {
	const char *file;
	int line; /* of the event */
	char name[256];
	char json[4096];
	char nested[4096];
	char text[4096];
	char fault[64];
	long fault_offset;
	long trailing;
	size_t length;
	uint8_t bytes[GOLDEN_EVENT_MAX];
};

/*
 * Calls a function with each event of a file, as this machine writes it. Ends the program with a message if the file
 * is malformed. Returns the number of events.
 */
int golden_read(const char *path, enum golden_machine machine,
		void (*call)(const struct golden *, void *), void *context);

/* Parses bytes in the notation of hex. Returns their number, at most size, or -1. */
long golden_hex(const char *text, uint8_t *bytes, size_t size);

#endif
