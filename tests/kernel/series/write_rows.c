/* SPDX-License-Identifier: MIT */
/*
 * Asks how the kernel takes the records that programs write.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "instance.h"
#include "surprises.h"

#define PAGE 4096

static void begin(struct event *event)
{
	set_up_event(event);
	put_event(event, "enable", "1");
}

/* The position is neither used nor moved, and pwrite() takes no other than 0. */
static void position_of_file(void)
{
	struct event event = { .definition = "ue_position u32 a", .name = "ue_position" };
	unsigned int record[2];
	char seek[32], start[32], elsewhere[32];

	begin(&event);
	record[0] = event.write_index;
	write_payload(&event, &record[1], 4);
	snprintf(seek, sizeof(seek), "%s", verdict(lseek(event.fd, 0, SEEK_CUR)));
	snprintf(start, sizeof(start), "%s", verdict(pwrite(event.fd, record, 8, 0)));
	snprintf(elsewhere, sizeof(elsewhere), "%s",
		 verdict(pwrite(event.fd, record, 8, 8)));
	answer("lseek: %s, pwrite at 0: %s, at 8: %s, %d recorded", seek, start,
	       elsewhere, count_records());
	clean_up_event(&event);
}

static void payload_too_big(void)
{
	struct event event = { .definition = "ue_big u32 a", .name = "ue_big" };
	static char payload[5000];
	const char *said;

	begin(&event);
	said = verdict(write_payload(&event, payload, sizeof(payload)));
	answer("%s, %d recorded", said, count_records());
	clean_up_event(&event);
}

/*
 * A program may leave 0 where a text is absent. The kernel must not look at the byte
 * before the record, which has a part of the time since the record before.
 */
static void absent_text(void)
{
	struct event event = {
		.definition = "ue_absent_text __data_loc char[] a",
		.name = "ue_absent_text",
	};
	uint32_t location = 0;
	int taken = 0, tried = 0;

	begin(&event);
	/* on a busy machine the pauses are longer, and then most writes are taken */
	for (; tried < 20 || (taken == tried && tried < 200); tried++) {
		taken += write_payload(&event, &location, sizeof(location)) > 0;
		usleep(10000);
	}
	answer("%s", taken == tried ? "works" : taken ? "works sometimes" :
							verdict(-1));
	clean_up_event(&event);
}

/* Index and payload are cut at each byte. */
static void record_in_pieces(void)
{
	struct event event = { .definition = "ue_pieces char[8] a", .name = "ue_pieces" };
	char record[12];
	int taken = 0;

	begin(&event);
	memcpy(record, &event.write_index, 4);
	memcpy(record + 4, "abcdefgh", 8);
	for (size_t cut = 0; cut <= sizeof(record); cut++) {
		struct iovec pieces[] = {
			{ record, cut },
			{ record + cut, sizeof(record) - cut },
		};

		taken += writev(event.fd, pieces, 2) == (ssize_t)sizeof(record);
	}
	answer("%d work, %d recorded", taken, count_text("abcdefgh"));
	clean_up_event(&event);
}

/* The record ends so many bytes into the second page of a file, not mapped yet. */
static int write_from_file(int fd, const char *record, size_t size, size_t into)
{
	int file = memfd_create("pages", MFD_CLOEXEC), taken;
	char *pages;

	ftruncate(file, 2 * PAGE);
	pwrite(file, record, size, PAGE + into - size);
	pages = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, file, 0);
	taken = write(fd, pages + PAGE + into - size, size) == (ssize_t)size;
	munmap(pages, 2 * PAGE);
	close(file);
	return taken;
}

static void record_on_absent_page(void)
{
	struct event event = { .definition = "ue_pages char[8] a", .name = "ue_pages" };
	char record[12];
	int taken = 0;

	begin(&event);
	memcpy(record, &event.write_index, 4);
	memcpy(record + 4, "abcdefgh", 8);
	for (size_t into = 0; into <= sizeof(record); into++)
		taken += write_from_file(event.fd, record, sizeof(record), into);
	answer("%d work, %d recorded", taken, count_text("abcdefgh"));
	clean_up_event(&event);
}

/* The record reaches memory that cannot be read, with its payload or with its index. */
static void record_beyond_memory(void)
{
	struct event event = { .definition = "ue_beyond char[8] a", .name = "ue_beyond" };
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *said;
	int refused = 0;

	begin(&event);
	mprotect(pages + PAGE, PAGE, PROT_NONE);
	for (size_t into = 1; into <= 12; into++) {
		char *start = pages + PAGE + into - 12;

		memcpy(start, &event.write_index, into > 8 ? 12 - into : 4);
		refused += write(event.fd, start, 12) < 0;
	}
	said = verdict(-1);
	answer("%d refused, %s, %d recorded", refused, said, count_records());
	clean_up_event(&event);
}

const struct surprise write_surprises[] = {
	{ "position", "the position after a write, and pwrite()", position_of_file },
	{ "payload-too-big", "writing 5000 bytes to ftrace", payload_too_big },
	{ "absent-text", "writing an absent text every 10 ms", absent_text },
	{ "pieces", "13 records, each cut at another byte", record_in_pieces },
	{ "pages-absent", "13 records that reach a page that is not mapped yet",
	  record_on_absent_page },
	{ "pages-unreadable", "12 records that reach memory that cannot be read",
	  record_beyond_memory },
	{ 0 },
};
