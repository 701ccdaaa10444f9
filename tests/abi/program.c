/* SPDX-License-Identifier: MIT */
/*
 * A program with every kind of struct that lives in programs. It is compiled against one
 * version of the headers and runs with the library of another one.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/decode.h>
#include <userevents/ring.h>
#include <userevents/userevents.h>

UE_EVENT(classic, UE_U32(number), UE_STRING(text));
UE_PROVIDER(shop, "Shop");
UE_TRACEPOINT(orders, shop, 4, 1);
UE_EVENTHEADER(orders, placed, UE_U32(number));

#define GUARD 0xa5

/* The bytes behind a struct are the program's. */
static struct {
	struct ue_event event;
	unsigned char guard[64];
} made;

static struct {
	struct ue_tracepoint tracepoint;
	unsigned char guard[64];
} made_tracepoint;

static int is_guarded(const unsigned char *guard)
{
	for (int i = 0; i < 64; i++)
		if (guard[i] != GUARD)
			return 0;
	return 1;
}

#define MUST(condition)                                           \
	do {                                                      \
		if (!(condition)) {                               \
			printf("%d: %s\n", __LINE__, #condition); \
			return 1;                                 \
		}                                                 \
	} while (0)

static int reads(struct ue_capture *capture, const char *expected)
{
	const char *line = ue_capture_line(capture);

	if (strstr(line, expected))
		return 1;
	printf("%s\n", line);
	return 0;
}

static int write_all(int fd, struct ue_capture *capture)
{
	const unsigned number = 5;

	MUST(!UE_WRITE(fd, classic, 3, "three"));
	MUST(reads(capture, "classic number=3 text=\"three\""));
	MUST(!UE_WRITE(fd, placed, 4));
	MUST(reads(capture, "placed"));
	MUST(!ue_write(fd, &made.event, &number, sizeof(number)));
	MUST(reads(capture, "made a=5"));
	MUST(ue_enabled(&made_tracepoint.tracepoint.event));
	MUST(ue_write(fd, &made.event, NULL, 1) < 0);
	MUST(ue_event_losses(&made.event, UE_LOSS_OTHER) == 1);
	return 0;
}

/* Options and results of readers; the payload is cut off in its last field. */
static int reads_an_event(int fd, struct ue_capture *capture)
{
	const struct ue_reader_opts reader_opts = { .size = sizeof(reader_opts) };
	const struct ue_sample sample = { .size = sizeof(sample), .present = UE_META_CGROUP,
					  .cgroup = "/shop" };
	struct ue_eventheader_error error = { .error = 1 };
	const struct ue_render_opts opts = { .size = sizeof(opts), .sample = &sample,
					     .error = &error };
	struct ue_captured event;
	struct ue_reader reader;
	char text[512];

	MUST(!UE_WRITE(fd, placed, 4));
	MUST(ue_capture_next(capture, &event) == 1);
	MUST(event.size <= sizeof(event) && event.pid == getpid());
	MUST(!ue_reader_begin(&reader, event.format->name, event.format->name_length,
			      event.bytes, event.length - 1, &reader_opts));
	MUST(ue_reader_to_json(&reader, &opts, text, sizeof(text)) > 0);
	MUST(strstr(text, "\"cgroup\":\"/shop\""));
	MUST(error.error < 0);
	return 0;
}

static int creates_a_ring(void)
{
	struct ue_ring_opts opts = { .size = sizeof(opts), .mode = UE_RING_DROP };
	struct ue_ring_info info;
	int fd = ue_ring_create(NULL, &opts);

	MUST(fd >= 0);
	MUST(!ue_ring_info(fd, &info));
	MUST(info.mode == UE_RING_DROP);
	MUST(!close(fd));
	return 0;
}

int main(void)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	struct ue_capture *capture;
	int fd;

	memset(&made, GUARD, sizeof(made));
	memset(&made_tracepoint, GUARD, sizeof(made_tracepoint));
	MUST(!ue_event_init(&made.event, "made u32 a", 0));
	MUST(!ue_tracepoint_init(&made_tracepoint.tracepoint, "Made", NULL, 4, 1, 0, NULL));
	MUST(made.event.size == sizeof(struct ue_event));
	MUST(!ue_capture_open(NULL, &capture));
	opts.fd = ue_capture_writer_fd(capture);
	fd = ue_open(&opts);
	MUST(fd >= 0);
	MUST(!ue_capture_enable(capture, "*"));
	MUST(!ue_register_all(fd));
	MUST(!ue_register(fd, &made.event));
	MUST(!ue_register(fd, &made_tracepoint.tracepoint.event));
	if (write_all(fd, capture) || reads_an_event(fd, capture))
		return 1;
	MUST(!ue_unregister(&made.event));
	MUST(!ue_close(fd));
	MUST(is_guarded(made.guard));
	MUST(is_guarded(made_tracepoint.guard));
	ue_capture_close(capture);
	return creates_a_ring();
}
