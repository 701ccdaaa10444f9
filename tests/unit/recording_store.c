/* SPDX-License-Identifier: MIT */
/* The last records, names of threads and names of files that a recorder keeps. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/output/out_file.h"
#include "read/perf/perf_input.h"
#include "record/store/file_series.h"
#include "record/store/kept_records.h"
#include "test.h"

/* Time, processor and id. */
#define AT_TIME 24

/* Memory */

#define RECORDS 20000u

static uint32_t dropped;

static uint32_t number_of(const uint8_t *record)
{
	uint32_t number;

	memcpy(&number, record + 8, sizeof(number));
	return number;
}

/* Its size and content follow from its number. */
static size_t make(uint8_t *record, uint32_t number)
{
	struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE,
		.size = (uint16_t)(16 + number * 2654435761u % 97 * 8 + (number % 500 ? 0 : 60000)),
	};

	memcpy(record, &header, sizeof(header));
	memcpy(record + 8, &number, sizeof(number));
	memset(record + 12, (int)number, header.size - 12u);
	return header.size;
}

static void on_drop(void *context, const uint8_t *record)
{
	uint8_t expected[65536];
	size_t size = make(expected, dropped);

	(void)context;
	assert_memory_equal(record, expected, size);
	dropped++;
}

/* Dropped are the oldest, in order; kept are all others, and they fill the memory. */
static void check_kept(struct kept_records *kept, uint32_t added)
{
	uint8_t expected[65536];
	const uint8_t *record;
	size_t distance = 0, before;
	uint32_t number = dropped;

	for (before = 0; (record = kept_records_next(kept, &distance)); before = distance) {
		size_t size = make(expected, number);

		assert_int_equal(number_of(record), number);
		assert_int_equal(distance - before, size);
		assert_memory_equal(record, expected, size);
		number++;
	}
	assert_int_equal(number, added);
	assert_int_equal(distance, kept->length);
}

static void the_last_records_are_kept(void **state)
{
	static uint8_t records[4 * 65536];
	struct kept_records kept;
	uint32_t added = 0;

	(void)state;
	dropped = 0;
	kept_records_open(&kept, 100001, on_drop, NULL);
	while (added < RECORDS) {
		size_t length = 0;

		for (uint32_t more = 1 + added % 3; more--; added++)
			length += make(records + length, added);
		kept_records_add(&kept, records, length);
		assert_true(kept.length <= 100001);
		if (dropped) /* no more than the largest record went */
			assert_true(kept.length > 100001 - 60784);
		if (added % 64 == 0)
			check_kept(&kept, added);
	}
	check_kept(&kept, added);
	assert_true(dropped > RECORDS / 2);
	kept_records_empty(&kept);
	assert_int_equal(dropped, added);
	assert_int_equal(kept.length, 0);
	kept_records_free(&kept);
}

/* Names */

static void take(struct known_names *names, uint32_t type, const void *content, size_t length,
		 uint64_t time)
{
	const uint64_t end[] = { 0, time, 0, 7 };
	struct perf_event_header header = {
		.type = type,
		.size = (uint16_t)(8 + length + sizeof(end)),
	};
	uint8_t record[512];

	memcpy(record, &header, sizeof(header));
	memcpy(record + 8, content, length);
	memcpy(record + 8 + length, end, sizeof(end));
	known_names_take(names, record, AT_TIME);
}

static void name(struct known_names *names, uint32_t pid, uint32_t tid, const char *text,
		 uint64_t time)
{
	struct {
		uint32_t pid, tid;
		char text[24];
	} content = { pid, tid, "" };

	snprintf(content.text, sizeof(content.text), "%s", text);
	take(names, PERF_RECORD_COMM, &content, sizeof(content), time);
}

static void task(struct known_names *names, uint32_t type, uint32_t tid, uint32_t parent,
		 uint64_t time)
{
	const uint32_t content[] = { tid, parent, tid, parent, (uint32_t)time, 0 };

	take(names, type, content, sizeof(content), time);
}

static void end_round(struct known_names *names)
{
	struct perf_event_header round = { .type = PERF_FINISHED_ROUND, .size = sizeof(round) };

	known_names_take(names, (const uint8_t *)&round, AT_TIME);
}

static const char *at(const struct known_names *names, uint32_t tid, uint64_t time)
{
	return thread_names_find(&names->threads, tid, time);
}

/* The number of records that a file which begins now has. */
static size_t repeated(const struct known_names *names, const char *text)
{
	struct bytes bytes = { 0 };
	struct perf_event_header header;
	size_t count = 0;

	known_names_write(names, 9, &bytes);
	for (size_t place = 0; place < bytes.length; place += header.size) {
		memcpy(&header, bytes.at + place, sizeof(header));
		count += header.type == PERF_RECORD_COMM &&
			 !strcmp((const char *)bytes.at + place + 16, text);
	}
	bytes_free(&bytes);
	return count;
}

static void names_are_those_of_the_time(void **state)
{
	struct known_names names = { 0 };

	(void)state;
	name(&names, 10, 10, "shell", 5);
	task(&names, PERF_RECORD_FORK, 11, 10, 20);
	assert_string_equal(at(&names, 11, 20), "shell");
	name(&names, 11, 11, "program", 30);
	assert_string_equal(at(&names, 11, 29), "shell");
	assert_string_equal(at(&names, 11, 30), "program");
	/* another processor's record of an earlier time comes later */
	name(&names, 11, 11, "earlier", 25);
	assert_string_equal(at(&names, 11, 30), "program");
	/* a child has the name that its parent had then */
	name(&names, 10, 10, "renamed", 50);
	task(&names, PERF_RECORD_FORK, 12, 10, 45);
	assert_string_equal(at(&names, 12, 60), "shell");
	assert_null(at(&names, 13, 60));
	name(&names, 14, 14, "a name that is longer", 60);
	assert_string_equal(at(&names, 14, 60), "a name that is ");
	known_names_free(&names);
}

static void names_of_ended_threads_stay_for_two_rounds(void **state)
{
	struct known_names names = { 0 };

	(void)state;
	name(&names, 10, 10, "ends", 5);
	task(&names, PERF_RECORD_EXIT, 10, 1, 20);
	assert_int_equal(repeated(&names, "ends"), 1);
	end_round(&names);
	assert_int_equal(repeated(&names, "ends"), 1);
	end_round(&names);
	assert_int_equal(repeated(&names, "ends"), 0);
	/* its number is given to another thread */
	name(&names, 10, 10, "begins", 30);
	assert_int_equal(repeated(&names, "begins"), 1);
	known_names_free(&names);
}

/* ... but that of those that run. */
static void memory_for_names_is_bounded(void **state)
{
	struct known_names names = { 0 };

	(void)state;
	for (uint32_t tid = 1; tid < 200000; tid++) {
		name(&names, tid, tid, tid % 1000 ? "short" : "long", tid);
		if (tid % 1000)
			task(&names, PERF_RECORD_EXIT, tid, 1, tid);
		if (tid % 10 == 0)
			end_round(&names);
	}
	assert_true(names.threads.room <= 2048);
	assert_int_equal(repeated(&names, "long"), 199);
	known_names_free(&names);
}

static void group(struct known_names *names, uint64_t id, const char *path)
{
	struct {
		uint64_t id;
		char path[40];
	} content = { id, "" };

	snprintf(content.path, sizeof(content.path), "%s", path);
	take(names, PERF_RECORD_CGROUP, &content, sizeof(content), 1);
}

static void names_of_control_groups_are_repeated_once(void **state)
{
	struct known_names names = { 0 };
	struct bytes bytes = { 0 };

	(void)state;
	group(&names, 1, "/");
	group(&names, 0x1234567890, "/system.slice/shop.service");
	group(&names, 1, "/");
	assert_string_equal(known_groups_find(&names.groups, 0x1234567890),
			    "/system.slice/shop.service");
	assert_null(known_groups_find(&names.groups, 2));
	known_names_write(&names, 9, &bytes);
	assert_int_equal(bytes.length, 2 * (8 + 48 + 32));
	bytes_free(&bytes);
	for (uint64_t id = 0; id < 1000000; id++)
		group(&names, id, "/a");
	assert_true(names.groups.now.records.length <= 32 << 20);
	assert_true(names.groups.now.records.length > 31 << 20);
	known_names_free(&names);
}

/* In the ring of a processor that is read before that of its parent's. */
static void a_thread_may_end_before_it_begins(void **state)
{
	struct known_names names = { 0 };

	(void)state;
	name(&names, 1, 1, "parent", 1);
	task(&names, PERF_RECORD_EXIT, 2, 1, 20);
	assert_null(at(&names, 2, 15));
	task(&names, PERF_RECORD_FORK, 2, 1, 10);
	name(&names, 2, 2, "child", 12);
	assert_string_equal(at(&names, 2, 15), "child");
	assert_int_equal(repeated(&names, "child"), 1);
	for (int i = 0; i < 3; i++)
		end_round(&names);
	assert_int_equal(repeated(&names, "child"), 0);
	assert_int_equal(repeated(&names, "parent"), 1);
	task(&names, PERF_RECORD_FORK, 2, 1, 30); /* another thread of this number */
	assert_int_equal(repeated(&names, "parent"), 2);
	known_names_free(&names);
}

static void control_groups_that_are_not_named_again_are_forgotten(void **state)
{
	struct known_names names = { 0 };

	(void)state;
	group(&names, 1, "/stays");
	group(&names, 2, "/ends");
	known_groups_turn(&names.groups);
	group(&names, 1, "/stays");
	group(&names, 3, "/new");
	assert_string_equal(known_groups_find(&names.groups, 1), "/stays");
	assert_string_equal(known_groups_find(&names.groups, 2), "/ends");
	known_groups_turn(&names.groups);
	assert_string_equal(known_groups_find(&names.groups, 1), "/stays");
	assert_null(known_groups_find(&names.groups, 2));
	assert_string_equal(known_groups_find(&names.groups, 3), "/new");
	known_names_free(&names);
}

/* Files */

static int exists(const char *path)
{
	return !access(path, F_OK);
}

static void create(const char *path)
{
	close(open(path, O_CREAT | O_WRONLY, 0600));
}

static int begin_in_folder(void **state)
{
	static char folder[] = "/tmp/seriesXXXXXX";

	*state = folder;
	return !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", (char *)*state);
	return chdir("/") || system(command);
}

static void open_next(struct file_series *series, const char *expected)
{
	struct outfile file;

	assert_int_equal(file_series_open(series, &file), 0);
	assert_string_equal(file.path, expected);
	assert_int_equal(outfile_empty(&file), 0);
	assert_int_equal(outfile_write(&file, "x", 1), 0);
	assert_int_equal(file_series_close(series, &file), 0);
	file_series_limit(series);
}

static void a_series_begins_behind_all_that_exists(void **state)
{
	static const char *const others[] = {
		"b.00001", "b.0000009x", "b.000009.old", "bb.000009", "b.99999999999999", "b.",
	};
	struct file_series series = { .files = 2 };

	(void)state;
	assert_int_equal(file_series_begin(&series, "a"), 0);
	assert_false(exists("a"));
	open_next(&series, "a");
	open_next(&series, "a.000001");
	open_next(&series, "a.000002");
	assert_false(exists("a"));
	assert_true(exists("a.000001") && exists("a.000002"));
	assert_int_equal(series.removed, 1);
	assert_int_equal(series.bytes, 3);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		create(others[i]);
	file_series_free(&series);
	series = (struct file_series){ .files = 2 };
	assert_int_equal(file_series_begin(&series, "./b"), 0);
	open_next(&series, "./b");
	file_series_free(&series);
	series = (struct file_series){ .files = 2 };
	create("a.1234567");
	assert_int_equal(file_series_begin(&series, "a"), 0);
	for (int i = 0; i < 3; i++) {
		char expected[32];

		snprintf(expected, sizeof(expected), "a.%d", 1234568 + i);
		open_next(&series, expected);
	}
	/* files of an earlier recording do not count */
	assert_true(exists("a.000001") && exists("a.1234567") && !exists("a.1234568"));
	file_series_free(&series);
}

static void a_file_that_appears_is_not_replaced(void **state)
{
	struct file_series series = { .files = 0 };
	struct outfile file;

	(void)state;
	assert_int_equal(file_series_begin(&series, "c"), 0);
	create("c");
	assert_int_equal(file_series_open(&series, &file), -1);
	assert_true(exists("c"));
	file_series_free(&series);
	assert_int_equal(file_series_begin(&series, "/nonexistent/c"), -1);
	assert_int_equal(file_series_begin(&series, "-"), -1);
	assert_int_equal(file_series_begin(&series, "."), -1);
	file_series_free(&series);
}

/* A disk of 100 blocks of 1 MiB, of which each file of the series takes 10. */
static struct {
	int frees_late; /* only when it is synchronized */
	fsblkcnt_t left;
	unsigned int syncs;
} disk;

static void look_at_disk(void)
{
	char name[16];

	disk.left = 100 - 10 * (fsblkcnt_t)exists("d");
	for (int i = 1; i < 10; i++) {
		snprintf(name, sizeof(name), "d.%06d", i);
		disk.left -= 10 * (fsblkcnt_t)exists(name);
	}
}

int fstatvfs(int fd, struct statvfs *status)
{
	(void)fd;
	if (!disk.frees_late)
		look_at_disk();
	*status = (struct statvfs){ .f_frsize = 1 << 20, .f_blocks = 100, .f_bavail = disk.left };
	return 0;
}

int syncfs(int fd)
{
	(void)fd;
	disk.syncs++;
	look_at_disk();
	return 0;
}

/* Five files, of which so many may stay: syncs wanted of the disk. */
static void make_room(int frees_late, size_t stay, unsigned int syncs)
{
	struct file_series series = { .keep_free = { .text = "", .bytes = (100 - 10 * stay) << 20 } };
	struct outfile file = { .fd = -1 };

	assert_int_equal(file_series_begin(&series, "d"), 0);
	open_next(&series, "d");
	for (int i = 1; i < 5; i++) {
		char expected[16];

		snprintf(expected, sizeof(expected), "d.%06d", i);
		open_next(&series, expected);
	}
	look_at_disk();
	disk.frees_late = frees_late;
	disk.syncs = 0;
	assert_int_equal(file_series_has_space(&series, &file, 0), stay > 0);
	assert_int_equal(series.count, stay > 0 ? stay : 1);
	assert_int_equal(disk.syncs, syncs);
	disk.frees_late = 0;
	assert_int_equal(system("rm -f d d.*"), 0);
	file_series_free(&series);
}

static void a_disk_that_frees_space_at_once_is_not_synchronized(void **state)
{
	(void)state;
	make_room(0, 5, 0);
	make_room(0, 2, 0);
	make_room(0, 0, 0);
	make_room(1, 2, 3);
}

static void space_to_keep_free_is_parsed(void **state)
{
	static const char *const wrong[] = {
		"", "%", "0", "0%", "100%", "-5%", "5%%", "5 %", "nan%", "inf%", "x", "-1", "1e9",
	};
	struct free_space space;

	(void)state;
	assert_int_equal(free_space_parse("5%", &space), 0);
	assert_true(space.part > 0.0499 && space.part < 0.0501);
	assert_int_equal(free_space_parse("0.5%", &space), 0);
	assert_int_equal(free_space_parse("500M", &space), 0);
	assert_true(space.part == 0 && space.bytes == 500 << 20);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(free_space_parse(wrong[i], &space), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_records_are_kept),
		cmocka_unit_test(names_are_those_of_the_time),
		cmocka_unit_test(names_of_ended_threads_stay_for_two_rounds),
		cmocka_unit_test(memory_for_names_is_bounded),
		cmocka_unit_test(names_of_control_groups_are_repeated_once),
		cmocka_unit_test(a_thread_may_end_before_it_begins),
		cmocka_unit_test(control_groups_that_are_not_named_again_are_forgotten),
		cmocka_unit_test(a_series_begins_behind_all_that_exists),
		cmocka_unit_test(a_file_that_appears_is_not_replaced),
		cmocka_unit_test(a_disk_that_frees_space_at_once_is_not_synchronized),
		cmocka_unit_test(space_to_keep_free_is_parsed),
	};

	return cmocka_run_group_tests(tests, begin_in_folder, remove_folder);
}
