/* SPDX-License-Identifier: MIT */
/*
 * Measures the speed of rendering events as JSON.
 *
 *	decode_bench [EVENTS]		a file of mixed events, 1000000 by default
 *	decode_bench --ten EVENTS	one event with 10 fields, repeatedly; for
 *					counting instructions with callgrind
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <userevents/decode/render.h>

struct event {
	uint8_t bytes[1024];
	size_t length;
	size_t metadata; /* where its size is */
};

/* Writing events, in little endian. */

static void put(struct event *event, const void *bytes, size_t length)
{
	memcpy(event->bytes + event->length, bytes, length);
	event->length += length;
}

static void put_number(struct event *event, uint64_t value, int size)
{
	for (; size; size--, value >>= 8)
		event->bytes[event->length++] = (uint8_t)value;
}

static void put_double(struct event *event, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_number(event, bits, 8);
}

static void put_counted(struct event *event, const char *text)
{
	put_number(event, strlen(text), 2);
	put(event, text, strlen(text));
}

static void begin(struct event *event, const char *name, int has_activity)
{
	event->length = 0;
	put(event, "\7\1\1\0\0\0\0\4", 8);
	if (has_activity) {
		put_number(event, 16, 2);
		put_number(event, UE_EXTENSION_ACTIVITY | UE_EXTENSION_CHAIN, 2);
		put(event, "0123456789abcdef", 16);
	}
	event->metadata = event->length;
	put_number(event, 0, 2);
	put_number(event, UE_EXTENSION_METADATA, 2);
	put(event, name, strlen(name) + 1);
}

static void field(struct event *event, const char *name, uint8_t encoding,
		  uint8_t format)
{
	put(event, name, strlen(name) + 1);
	put_number(event, encoding | (format ? UE_ENCODING_CHAIN : 0), 1);
	if (format)
		put_number(event, format, 1);
}

static void end_fields(struct event *event)
{
	size_t length = event->length;

	event->length = event->metadata;
	put_number(event, length - event->metadata - 4, 2);
	event->length = length;
}

/* The events; seed makes them differ. */

static void ten_fields(struct event *event, uint32_t seed)
{
	begin(event, "RequestDone", 0);
	field(event, "status", UE_ENCODING_VALUE32, 0);
	field(event, "delta", UE_ENCODING_VALUE32, UE_FORMAT_SIGNED_INT);
	field(event, "latency_ns", UE_ENCODING_VALUE64, 0);
	field(event, "address", UE_ENCODING_VALUE64, UE_FORMAT_HEX_INT);
	field(event, "path", UE_ENCODING_STRING_LENGTH16_CHAR8, 0);
	field(event, "method", UE_ENCODING_ZSTRING_CHAR8, 0);
	field(event, "cached", UE_ENCODING_VALUE8, UE_FORMAT_BOOLEAN);
	field(event, "load", UE_ENCODING_VALUE64, UE_FORMAT_FLOAT);
	field(event, "client", UE_ENCODING_VALUE32, UE_FORMAT_IP_ADDRESS);
	field(event, "port", UE_ENCODING_VALUE16, UE_FORMAT_PORT);
	end_fields(event);
	put_number(event, 200 + seed % 300, 4);
	put_number(event, 0 - (uint64_t)(seed % 1000), 4);
	put_number(event, 1234567 + seed, 8);
	put_number(event, 0x7f0012345678 + seed, 8);
	put_counted(event, "/static/index.html");
	put(event, "GET", 4);
	put_number(event, seed & 1, 1);
	put_double(event, (seed % 1000) / 100.0);
	put_number(event, 0x0100000a + (seed << 24), 4);
	put_number(event, 0xbb01, 2);
}

static void order(struct event *event, uint32_t seed)
{
	begin(event, "OrderPlaced", 1);
	field(event, "order", UE_ENCODING_VALUE64, 0);
	field(event, "customer", UE_ENCODING_VALUE128, UE_FORMAT_UUID);
	field(event, "items", UE_ENCODING_STRUCT | UE_ENCODING_VARRAY, 2);
	field(event, "article", UE_ENCODING_VALUE32, 0);
	field(event, "name", UE_ENCODING_ZSTRING_CHAR8, 0);
	end_fields(event);
	put_number(event, seed, 8);
	put(event, "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20", 16);
	put_number(event, 1 + seed % 4, 2);
	for (uint32_t i = 0; i <= seed % 4; i++) {
		put_number(event, i, 4);
		put(event, "caf\303\251 cr\303\250me", 13);
	}
}

static void samples(struct event *event, uint32_t seed)
{
	begin(event, "Samples", 0);
	field(event, "values", UE_ENCODING_VALUE32 | UE_ENCODING_VARRAY, 0);
	field(event, "mean", UE_ENCODING_VALUE64, UE_FORMAT_FLOAT);
	end_fields(event);
	put_number(event, 32, 2);
	for (uint32_t i = 0; i < 32; i++)
		put_number(event, seed * i, 4);
	put_double(event, seed / 3.0);
}

static void message(struct event *event, uint32_t seed)
{
	begin(event, "Message", 0);
	field(event, "text", UE_ENCODING_STRING_LENGTH16_CHAR8, 0);
	field(event, "wide", UE_ENCODING_ZSTRING_CHAR16, 0);
	field(event, "when", UE_ENCODING_VALUE64, UE_FORMAT_TIME);
	field(event, "error", UE_ENCODING_VALUE32, UE_FORMAT_ERRNO);
	field(event, "blob", UE_ENCODING_BINARY_LENGTH16_CHAR8, 0);
	end_fields(event);
	put_counted(event, "The quick brown fox said \"no\" to the lazy dog\n"
			   "and went on to write a rather long message.");
	put(event, "w\0i\0d\0e\0\254\40\0", 12);
	put_number(event, 1700000000 + seed, 8);
	put_number(event, seed % 134, 4);
	put_counted(event, "0123456789abcdef");
}

static void mixed(struct event *event, uint32_t seed)
{
	static void (*const makers[])(struct event *, uint32_t) = {
		ten_fields, order, samples, message,
	};

	makers[seed % 4](event, seed / 4);
}

/* Measuring: processor time, which other processes hardly change */

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static size_t decode(const uint8_t *bytes, size_t length)
{
	static const char name[] = "MyCompany_Shop_L4K1f";
	static char out[64 << 10];
	struct ue_reader reader;

	ue_reader_begin(&reader, name, sizeof(name) - 1, bytes, length, NULL);
	return (size_t)ue_reader_to_json(&reader, NULL, out, sizeof(out));
}

static int failed(const char *what)
{
	perror(what);
	return 1;
}

/* Each event with its length before it. */
static int write_file(FILE *file, long events)
{
	struct event event;

	for (long i = 0; i < events; i++) {
		mixed(&event, (uint32_t)i);
		if (fwrite(&event.length, sizeof(event.length), 1, file) != 1 ||
		    fwrite(event.bytes, event.length, 1, file) != 1)
			return -1;
	}
	rewind(file);
	return 0;
}

static int decode_file(FILE *file, double *bytes, double *text)
{
	struct event event;

	while (fread(&event.length, sizeof(event.length), 1, file) == 1) {
		if (event.length > sizeof(event.bytes) ||
		    fread(event.bytes, event.length, 1, file) != 1)
			return -1;
		*bytes += (double)event.length;
		*text += (double)decode(event.bytes, event.length);
	}
	return ferror(file) ? -1 : 0;
}

static int measure_file(long events)
{
	FILE *file = tmpfile();
	double bytes = 0, text = 0, begin, seconds;
	struct rusage usage;

	if (!file || write_file(file, events))
		return failed("temporary file");
	begin = now();
	if (decode_file(file, &bytes, &text))
		return failed("temporary file");
	seconds = now() - begin;
	fclose(file);
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld mixed events, %.1f MB, as %.1f MB of JSON in %.2f s "
	       "of processor time:\n"
	       "%.0f events/s, %.1f MB/s of events; largest memory %ld kB\n",
	       events, bytes / 1e6, text / 1e6, seconds, (double)events / seconds,
	       bytes / 1e6 / seconds, usage.ru_maxrss);
	return 0;
}

static int repeat_ten(long events)
{
	struct event event;
	size_t length = 0;

	ten_fields(&event, 12345);
	for (long i = 0; i < events; i++)
		length += decode(event.bytes, event.length);
	printf("%ld events with 10 fields, %zu bytes of JSON\n", events, length);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--ten"))
		return repeat_ten(atol(argv[2]));
	if (argc > 2) {
		fprintf(stderr, "usage: %s [EVENTS | --ten EVENTS]\n", argv[0]);
		return 2;
	}
	return measure_file(argc == 2 ? atol(argv[1]) : 1000000);
}
