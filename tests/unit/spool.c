/* SPDX-License-Identifier: MIT */
/*
 * The files of a queue: whatever becomes of them, a request is read as it was written, or
 * not at all.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "export/spool/spool.h"
#include "test.h"

#define LIMIT (UINT64_C(1) << 20)
#define REQUESTS 6

static char directory[] = "/tmp/ue-spool-XXXXXX";
static const char *const names[] = { "logs", "traces" };
static FILE *nowhere;

static struct spool *open_spool_with(uint64_t limit)
{
	const struct spool_options options = {
		.directory = directory, .limit = limit, .lanes = 2, .names = names,
	};
	struct spool *spool = spool_open(&options);

	assert_non_null(spool);
	return spool;
}

static struct spool *open_spool(void)
{
	return open_spool_with(LIMIT);
}

/* Each request has other bytes, and another length: 0, 1, 9, ... */
static size_t body_of(uint64_t number, uint8_t *body)
{
	const size_t length = number * number * 4 + number % 2;

	for (size_t i = 0; i < length; i++)
		body[i] = (uint8_t)(number * 31 + i * 7);
	return length;
}

static int put(struct spool *spool, unsigned int lane, uint64_t number)
{
	uint8_t body[4096];
	struct spool_record record = {
		.items = number, .events = number + 100, .time = 5,
		.length = (uint32_t)body_of(number, body),
	};

	return spool_put(spool, lane, &record, body);
}

/* The next request, which must be one that was put: its number; or -1. */
static int64_t take(struct spool *spool, unsigned int lane, struct spool_place *place)
{
	uint8_t body[4096], wanted[4096];
	struct spool_record record;
	struct spool_sums missing;
	const int result = spool_next(spool, lane, &record, &missing);

	if (result != 1)
		return -1;
	assert_true(record.items < 30 && record.events == record.items + 100);
	assert_int_equal(record.length, body_of(record.items, wanted));
	if (spool_take(spool, lane, &record, body, place))
		return take(spool, lane, place);
	assert_memory_equal(body, wanted, record.length);
	return (int64_t)record.items;
}

/* Those that are there, of the first lane, as bits. */
static uint64_t take_all(struct spool *spool)
{
	struct spool_place place;
	uint64_t all = 0;
	int64_t number, last = -1;

	while ((number = take(spool, 0, &place)) >= 0) {
		assert_true(number > last);
		last = number;
		all |= UINT64_C(1) << number;
	}
	return all;
}

static size_t files(char *name)
{
	DIR *found = opendir(directory);
	struct dirent *entry;
	size_t count = 0;

	while ((entry = readdir(found)))
		if (strstr(entry->d_name, ".queue")) {
			snprintf(name, 512, "%s/%s", directory, entry->d_name);
			count++;
		}
	closedir(found);
	return count;
}

static void empty_directory(void)
{
	char name[512];

	while (files(name))
		assert_int_equal(unlink(name), 0);
}

static int begin(void **state)
{
	(void)state;
	empty_directory();
	return 0;
}

static void requests_come_back_in_their_order(void **state)
{
	struct spool *spool = open_spool();
	struct spool_place place;

	(void)state;
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(put(spool, 0, i), 0);
	assert_int_equal(put(spool, 1, 20), 0);
	for (int64_t i = 0; i < 5; i++) {
		assert_int_equal(take(spool, 0, &place), i);
		if (i % 2 == 0)
			spool_done(spool, &place);
	}
	spool_close(spool);
	spool = open_spool();
	assert_int_equal(put(spool, 0, 10), 0); /* behind the others */
	assert_int_equal(spool_waiting(spool).requests, 9);
	assert_int_equal(take_all(spool), 0x7ea);
	assert_int_equal(take(spool, 1, &place), 20);
	spool_close(spool);
}

static void what_is_done_leaves_no_file(void **state)
{
	struct spool *spool = open_spool_with(UINT64_C(1) << 20);
	struct spool_place place;
	char name[512];

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < 400; i++) /* some files */
			assert_int_equal(put(spool, 0, i % 20), 0);
		assert_true(files(name) > 2);
		while (take(spool, 0, &place) >= 0)
			spool_done(spool, &place);
		assert_int_equal(files(name), 1);
	}
	spool_close(spool);
	assert_int_equal(files(name), 0);
}

static void at_the_limit_nothing_is_added_until_there_is_space(void **state)
{
	struct spool *spool = open_spool_with(200 << 10);
	struct spool_place place;
	struct spool_counts counts;
	int added = 0;

	(void)state;
	message_divert(nowhere);
	while (!put(spool, 0, 19))
		added++;
	assert_int_equal(put(spool, 1, 19), -EDQUOT);
	spool_count(spool, &counts);
	assert_uint_in_range(counts.bytes, 190 << 10, 200 << 10);
	for (int i = 0; i < added; i++) {
		assert_int_equal(take(spool, 0, &place), 19);
		spool_done(spool, &place);
	}
	assert_int_equal(put(spool, 1, 19), 0);
	spool_close(spool);
	message_divert(NULL);
}

/* The file of before is larger than the limit: it leaves with its last request. */
static void a_queue_with_a_lower_limit_is_used_once_it_is_empty(void **state)
{
	struct spool *spool = open_spool();
	struct spool_place place;

	(void)state;
	for (int i = 0; i < 40; i++)
		assert_int_equal(put(spool, 0, 19), 0);
	spool_close(spool);
	message_divert(nowhere);
	spool = open_spool_with(32 << 10);
	assert_int_equal(put(spool, 0, 19), -EDQUOT);
	while (take(spool, 0, &place) >= 0)
		spool_done(spool, &place);
	assert_int_equal(put(spool, 0, 18), 0);
	assert_int_equal(take(spool, 0, &place), 18);
	spool_close(spool);
	message_divert(NULL);
}

static size_t count_of(FILE *said, const char *text)
{
	char line[512];
	size_t count = 0;

	rewind(said);
	while (fgets(line, sizeof(line), said))
		count += strstr(line, text) != NULL;
	return count;
}

/* A slow receiver makes space for a moment, over and over. */
static void a_queue_that_is_full_again_and_again_is_reported_once(void **state)
{
	struct spool *spool = open_spool_with(100 << 10);
	struct spool_place place;
	FILE *said = tmpfile();

	(void)state;
	message_divert(said);
	for (int i = 0; i < 3; i++) {
		while (!put(spool, 0, 19))
			;
		while (take(spool, 0, &place) >= 0)
			spool_done(spool, &place);
	}
	assert_int_equal(put(spool, 0, 19), 0);
	message_divert(NULL);
	assert_int_equal(count_of(said, "is full"), 1);
	assert_int_equal(count_of(said, "takes requests again"), 1);
	fclose(said);
	spool_close(spool);
}

/* Damage */

struct file {
	char name[512];
	uint8_t bytes[4096];
	size_t length;
};

/* One with some requests. */
static struct file written_file(void)
{
	struct file file = { .length = 0 };
	struct spool *spool = open_spool();
	FILE *from;

	for (uint64_t i = 0; i < REQUESTS; i++)
		assert_int_equal(put(spool, 0, i), 0);
	spool_close(spool);
	assert_int_equal(files(file.name), 1);
	from = fopen(file.name, "re");
	file.length = fread(file.bytes, 1, sizeof(file.bytes), from);
	fclose(from);
	return file;
}

static void write_file(const struct file *file, size_t length)
{
	const int fd = open(file->name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(pwrite(fd, file->bytes, length, 0), length);
	assert_int_equal(ftruncate(fd, (off_t)length), 0);
	close(fd);
}

static size_t end_of(uint64_t requests)
{
	uint8_t body[4096];
	size_t end = sizeof(struct spool_head);

	for (uint64_t i = 0; i < requests; i++)
		end += spool_record_size(body_of(i, body));
	return end;
}

static void of_a_file_that_is_cut_anywhere_all_before_it_is_read(void **state)
{
	const struct file file = written_file();
	struct spool_counts counts;
	uint64_t whole = 0;

	(void)state;
	assert_int_equal(end_of(REQUESTS), file.length);
	message_divert(nowhere);
	for (size_t length = 0; length <= file.length; length++) {
		struct spool *spool;

		write_file(&file, length);
		whole += whole < REQUESTS && length >= end_of(whole + 1);
		spool = open_spool();
		assert_int_equal(spool_waiting(spool).requests, whole);
		assert_int_equal(take_all(spool), (UINT64_C(1) << whole) - 1);
		spool_count(spool, &counts);
		assert_int_equal(counts.left,
				 length && length < sizeof(struct spool_head));
		spool_close(spool);
	}
	message_divert(NULL);
}

static unsigned int ones(uint64_t bits)
{
	return (unsigned int)__builtin_popcountll(bits);
}

static void a_bit_that_flips_costs_one_request(void **state)
{
	struct file file = written_file();

	(void)state;
	message_divert(nowhere);
	for (size_t bit = 0; bit < file.length * 8; bit++) {
		struct spool *spool;
		uint64_t all;

		file.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		write_file(&file, file.length);
		spool = open_spool();
		all = take_all(spool);
		assert_true(bit / 8 < sizeof(struct spool_head) ||
			    ones(all) >= REQUESTS - 1);
		spool_close(spool);
		file.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	message_divert(NULL);
}

static void damage_is_counted(void **state)
{
	struct file file = written_file();
	struct spool_counts counts;
	struct spool *spool;

	(void)state;
	message_divert(nowhere);
	memset(file.bytes + end_of(1), 0xff, end_of(3) - end_of(1));
	write_file(&file, file.length);
	spool = open_spool();
	assert_int_equal(take_all(spool), 0x39);
	spool_count(spool, &counts);
	assert_int_equal(counts.damage, 1);
	spool_close(spool);
	message_divert(NULL);
}

/* A program chooses what is in a request: a record of an older file, for example. */
static void a_record_in_a_request_is_none(void **state)
{
	const struct file file = written_file();
	struct spool_record record = { .items = 1, .length = (uint32_t)file.length };
	const uint32_t nothing = 0;
	struct spool *spool;
	char name[512];
	int fd;

	(void)state;
	empty_directory();
	spool = open_spool();
	assert_int_equal(spool_put(spool, 0, &record, file.bytes), 0);
	assert_int_equal(put(spool, 0, 7), 0);
	spool_close(spool);
	assert_int_equal(files(name), 1);
	fd = open(name, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, &nothing, 4, sizeof(struct spool_head)), 4);
	close(fd);
	message_divert(nowhere);
	spool = open_spool();
	assert_int_equal(take_all(spool), 1 << 7);
	spool_close(spool);
	message_divert(NULL);
}

static void what_vanishes_meanwhile_is_told(void **state)
{
	const struct file file = written_file();
	struct spool_record record;
	struct spool_place place;
	struct spool_sums missing;
	struct spool *spool = open_spool();

	(void)state;
	assert_int_equal(take(spool, 0, &place), 0);
	assert_int_equal(truncate(file.name, (off_t)end_of(2)), 0);
	assert_int_equal(take(spool, 0, &place), 1);
	assert_int_equal(spool_next(spool, 0, &record, &missing), -EBADMSG);
	assert_int_equal(missing.requests, REQUESTS - 2);
	assert_int_equal(missing.items, 2 + 3 + 4 + 5);
	assert_int_equal(spool_next(spool, 0, &record, &missing), 0);
	spool_close(spool);
}

static void what_cannot_be_opened_now_is_read_later(void **state)
{
	const struct file file = written_file();
	struct spool *spool = open_spool();
	struct spool_record record;
	struct spool_sums missing;
	struct rlimit before, none;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(spool_next(spool, 0, &record, &missing), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(take_all(spool), (1 << REQUESTS) - 1);
	spool_close(spool);
	assert_int_equal(access(file.name, F_OK), 0);
}

static void files_of_others_are_left_alone(void **state)
{
	const struct file file = written_file();
	struct spool_counts counts;
	struct spool *spool;
	struct stat status;
	char link_name[512];

	(void)state;
	message_divert(nowhere);
	chmod(file.name, 0666);
	snprintf(link_name, sizeof(link_name), "%s/logs-00000000000000ff.queue",
		 directory);
	assert_int_equal(symlink(file.name, link_name), 0);
	spool = open_spool();
	assert_int_equal(spool_waiting(spool).requests, 0);
	spool_count(spool, &counts);
	assert_int_equal(counts.left, 2);
	assert_int_equal(put(spool, 0, 3), 0);
	assert_int_equal(take_all(spool), 1 << 3);
	spool_close(spool);
	assert_int_equal(stat(file.name, &status), 0);
	assert_int_equal(status.st_size, file.length);
	message_divert(NULL);
}

/* Descriptors */

static int has_no_threads;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
		   void *(*run)(void *), void *context)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		(__typeof__(create))dlsym(RTLD_NEXT, "pthread_create");

	return has_no_threads ? EAGAIN : create(thread, attributes, run, context);
}

/* The number of open files of the queue. */
static unsigned int open_files(const struct spool *spool, unsigned int *all)
{
	unsigned int count = *all = 0;

	for (unsigned int i = 0; i < 2; i++)
		for (const struct spool_segment *at = spool->lanes[i].first; at;
		     at = at->next) {
			count += at->fd >= 0;
			++*all;
		}
	return count;
}

static void fill(struct spool *spool)
{
	for (int i = 0; i < 200; i++)
		assert_int_equal(put(spool, 0, 29), 0);
}

static void without_a_thread_no_descriptor_is_left(void **state)
{
	struct spool *spool;
	unsigned int all;

	(void)state;
	has_no_threads = 1;
	spool = open_spool();
	fill(spool);
	has_no_threads = 0;
	assert_in_range(open_files(spool, &all), 1, 2);
	assert_true(all >= 8);
	spool_close(spool);
}

/* Until the thread has done it: it looks at the files each second. */
static void wait_for(struct spool *spool, int (*is_done)(const struct spool *spool))
{
	int done = 0;

	while (!done) {
		pthread_mutex_lock(&spool->lock);
		done = is_done(spool);
		pthread_cond_signal(&spool->wake);
		pthread_mutex_unlock(&spool->lock);
		usleep(1000);
	}
}

static int are_closed(const struct spool *spool)
{
	unsigned int all;

	return open_files(spool, &all) <= 2 && all >= 8;
}

static void the_thread_closes_files_that_are_on_the_disk(void **state)
{
	struct spool *spool = open_spool();

	(void)state;
	fill(spool);
	wait_for(spool, are_closed);
	spool_close(spool);
}

static int has_written_names(const struct spool *spool)
{
	return !spool->is_directory_dirty;
}

static int is_clean(const struct spool *spool)
{
	return !spool->lanes[0].last->is_dirty;
}

static void a_file_that_finds_no_descriptor_is_written_later(void **state)
{
	struct spool *spool = open_spool();
	struct rlimit before, none;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	assert_int_equal(put(spool, 0, 5), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	pthread_mutex_lock(&spool->lock);
	spool->is_directory_dirty = 1;
	spool->lanes[0].last->is_dirty = 1;
	pthread_mutex_unlock(&spool->lock);
	wait_for(spool, has_written_names);
	pthread_mutex_lock(&spool->lock);
	assert_true(spool->lanes[0].last->is_dirty);
	pthread_mutex_unlock(&spool->lock);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	wait_for(spool, is_clean);
	spool_close(spool);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, begin)
	const struct CMUnitTest tests[] = {
		TEST(requests_come_back_in_their_order),
		TEST(what_is_done_leaves_no_file),
		TEST(at_the_limit_nothing_is_added_until_there_is_space),
		TEST(a_queue_with_a_lower_limit_is_used_once_it_is_empty),
		TEST(a_queue_that_is_full_again_and_again_is_reported_once),
		TEST(of_a_file_that_is_cut_anywhere_all_before_it_is_read),
		TEST(a_bit_that_flips_costs_one_request),
		TEST(damage_is_counted),
		TEST(a_record_in_a_request_is_none),
		TEST(what_vanishes_meanwhile_is_told),
		TEST(what_cannot_be_opened_now_is_read_later),
		TEST(files_of_others_are_left_alone),
		TEST(without_a_thread_no_descriptor_is_left),
		TEST(the_thread_closes_files_that_are_on_the_disk),
		TEST(a_file_that_finds_no_descriptor_is_written_later),
	};
	char lock[512];
	int result;

	nowhere = fopen("/dev/null", "we");
	if (!mkdtemp(directory) || !nowhere)
		return 1;
	result = cmocka_run_group_tests(tests, NULL, NULL);
	empty_directory();
	snprintf(lock, sizeof(lock), "%s/lock", directory);
	unlink(lock);
	rmdir(directory);
	fclose(nowhere);
	return result;
}
