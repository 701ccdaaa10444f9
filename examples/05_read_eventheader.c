/* SPDX-License-Identifier: MIT */
/*
 * Prints the events of a .dat file as lines of JSON.
 *
 *	cc 05_read_eventheader.c $(pkg-config --cflags --libs libuserevents-decode) -o read
 *	./read FILE.dat
 *
 * The file is a sequence of records. A record has its size (4 bytes, little-endian,
 * including themselves), the tracepoint's name with a NUL, and the event.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/decode.h>

/* Prints an event. The buffer grows to the longest event. */
static int print_event(struct ue_reader *reader)
{
	static char *text;
	static size_t size;
	ptrdiff_t needed = ue_reader_to_json(reader, NULL, text, size);

	if (needed >= (ptrdiff_t)size) {
		size = 2 * (size_t)needed + 1;
		text = realloc(text, size);
		if (!text)
			return -ENOMEM;
		ue_reader_to_json(reader, NULL, text, size);
	}
	return puts(text) < 0 ? -EIO : 0;
}

static int print_record(const char *record, size_t length)
{
	size_t name_length = strnlen(record, length);
	struct ue_reader reader;

	if (name_length == length)
		return -EBADMSG;
	/* The JSON of a malformed event names the fault. */
	ue_reader_begin(&reader, record, name_length, record + name_length + 1,
			length - name_length - 1, NULL);
	return print_event(&reader);
}

static int print_file(FILE *file)
{
	uint8_t prefix[4];
	size_t length;

	while ((length = fread(prefix, 1, sizeof(prefix), file)) == sizeof(prefix)) {
		size_t size = (size_t)prefix[0] | (size_t)prefix[1] << 8 |
			      (size_t)prefix[2] << 16 | (size_t)prefix[3] << 24;
		char *record;
		int result;

		if (size <= sizeof(prefix) || size > 16 << 20)
			return -EBADMSG;
		size -= sizeof(prefix);
		record = malloc(size);
		if (!record)
			return -ENOMEM;
		result = fread(record, size, 1, file) == 1 ?
				 print_record(record, size) :
				 -EBADMSG;
		free(record);
		if (result)
			return result;
	}
	if (ferror(file))
		return -EIO;
	return length ? -EBADMSG : 0;
}

int main(int argc, char **argv)
{
	FILE *file;
	int result;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE.dat\n", argv[0]);
		return 2;
	}
	file = fopen(argv[1], "rb");
	if (!file) {
		perror(argv[1]);
		return 1;
	}
	result = print_file(file);
	fclose(file);
	if (result)
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-result));
	return result != 0;
}
