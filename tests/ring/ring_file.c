/* SPDX-License-Identifier: MIT */
/* Files of rings: created whole or not at all, and described. */
#define _GNU_SOURCE
#include "child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <userevents/ring.h>

#include "ring/events.h"
#include "ring/ring_lock.h"
#include "ring/ring_memory.h"
#include "ring/read/ring_reader.h"
#include "ring/write/ring_writer.h"

/* The exit status of a test that cannot run here. */
#define CANNOT 77

/* A file system without O_TMPFILE, or none. The linker has the library call these. */
static int has_no_unnamed_files;

#define WRAP(open)                                                             \
	int __real_##open(const char *path, int flags, mode_t mode);           \
	int __wrap_##open(const char *path, int flags, mode_t mode);           \
	int __wrap_##open(const char *path, int flags, mode_t mode)            \
	{                                                                      \
		if (has_no_unnamed_files && (flags & O_TMPFILE) == O_TMPFILE) { \
			errno = EOPNOTSUPP;                                    \
			return -1;                                             \
		}                                                              \
		return __real_##open(path, flags, mode);                       \
	}

/* glibc has the second for files of any size. */
WRAP(open)
#ifdef __GLIBC__
WRAP(open64)
#endif

/* Each test has an empty directory, and begins in it. */

static char directory[] = "/tmp/ring-test-XXXXXX";

static int enter(void **state)
{
	(void)state;
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	return !mkdtemp(directory) || chdir(directory);
}

static int leave(void **state)
{
	static const char *const names[] = { "ring", "other", "link" };

	(void)state;
	has_no_unnamed_files = 0;
	chmod(".", 0700);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(names[i]);
	return chdir("/") || rmdir(directory); /* which fails if anything else is left */
}

static struct ue_ring_opts opts_of(uint32_t flags)
{
	return (struct ue_ring_opts){
		.size = sizeof(struct ue_ring_opts), .bytes = UE_RING_BYTES_LEAST, .flags = flags,
	};
}

static int create(uint32_t flags)
{
	struct ue_ring_opts opts = opts_of(flags);
	int fd = ue_ring_create("ring", &opts);

	assert_true(fd >= 0);
	return fd;
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void assert_text(const char *path, const char *text)
{
	char found[64] = "";
	int fd = open(path, O_RDONLY, 0);

	assert_int_equal(read(fd, found, sizeof(found) - 1), strlen(text));
	assert_string_equal(found, text);
	close(fd);
}

/* Creating */

static void check_new_file(void)
{
	const mode_t mask = umask(0);
	struct ue_ring_info info;
	struct stat file;
	int fd = create(0);

	umask(mask);
	assert_int_equal(stat("ring", &file), 0);
	assert_int_equal(file.st_mode, S_IFREG | 0600);
	assert_int_equal(file.st_size, UE_RING_BYTES_LEAST);
	assert_true((uint64_t)file.st_blocks * 512 >= UE_RING_BYTES_LEAST);
	assert_int_equal(file.st_nlink, 1);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(ue_ring_info(fd, &info), 0);
	assert_int_equal(info.bytes, UE_RING_BYTES_LEAST);
	assert_int_equal(info.mode, UE_RING_OVERWRITE);
	close(fd);
}

static void a_file_is_its_owners_and_has_all_its_space(void **state)
{
	(void)state;
	check_new_file();
}

static void the_same_without_unnamed_files(void **state)
{
	(void)state;
	has_no_unnamed_files = 1;
	check_new_file();
}

static void the_defaults_are_those_of_the_header(void **state)
{
	struct ue_ring_info info;
	char path[128];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/ring", directory);
	errno = 4711;
	fd = ue_ring_create(path, NULL);
	assert_true(fd >= 0);
	assert_int_equal(ue_ring_info(fd, &info), 0);
	assert_int_equal(errno, 4711);
	assert_int_equal(info.size, sizeof(info));
	assert_int_equal(info.bytes, UE_RING_BYTES_DEFAULT);
	assert_int_equal(info.mode, UE_RING_OVERWRITE);
	close(fd);
}

static void a_ring_without_a_name_is_sealed(void **state)
{
	struct ue_ring_info info;
	int fd = ue_ring_create(NULL, NULL);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	assert_int_equal(ftruncate(fd, 4096), -1);
	assert_int_equal(ue_ring_info(fd, &info), 0);
	close(fd);
}

static void check_existing(const char *path)
{
	struct ue_ring_opts opts = opts_of(0);

	assert_int_equal(ue_ring_create(path, &opts), -EEXIST);
	has_no_unnamed_files = 1;
	assert_int_equal(ue_ring_create(path, &opts), -EEXIST);
}

static void what_exists_is_not_overwritten(void **state)
{
	(void)state;
	write_text("other", "precious");
	check_existing("other");
	assert_text("other", "precious");
	assert_int_equal(symlink("nowhere", "link"), 0);
	check_existing("link");
	assert_int_equal(access("nowhere", F_OK), -1);
}

static void wrong_options_are_refused(void **state)
{
	struct {
		struct ue_ring_opts opts;
		uint64_t later;
	} long_opts = { .opts = opts_of(0) };
	struct ue_ring_opts opts = opts_of(0);

	(void)state;
	opts.size = sizeof(opts) - 1;
	assert_int_equal(ue_ring_create("ring", &opts), -EINVAL);
	opts = opts_of(4);
	assert_int_equal(ue_ring_create("ring", &opts), -EINVAL);
	opts = opts_of(0);
	opts.mode = 4;
	assert_int_equal(ue_ring_create("ring", &opts), -EINVAL);
	opts = opts_of(0);
	opts.bytes = UE_RING_BYTES_LEAST - 1;
	assert_int_equal(ue_ring_create("ring", &opts), -EINVAL);
	opts.bytes = UE_RING_BYTES_MOST + 1;
	assert_int_equal(ue_ring_create("ring", &opts), -EINVAL);
	assert_int_equal(access("ring", F_OK), -1);
	long_opts.opts.size = sizeof(long_opts);
	long_opts.later = 1;
	assert_int_equal(ue_ring_create("ring", &long_opts.opts), -E2BIG);
	long_opts.later = 0;
	close(ue_ring_create("ring", &long_opts.opts));
	assert_int_equal(access("ring", F_OK), 0);
}

static void paths_that_cannot_be(void **state)
{
	char long_path[5000];

	(void)state;
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	write_text("other", "text");
	assert_int_equal(ue_ring_create("", NULL), -ENOENT);
	assert_int_equal(ue_ring_create("nowhere/ring", NULL), -ENOENT);
	assert_int_equal(ue_ring_create("other/ring", NULL), -ENOTDIR);
	assert_int_equal(ue_ring_create(long_path, NULL), -ENAMETOOLONG);
	long_path[2000] = '/';
	assert_int_equal(ue_ring_create(long_path, NULL), -ENAMETOOLONG);
}

/* No space */

static int is_empty(void)
{
	DIR *files = opendir(directory);
	int count = 0;

	while (readdir(files))
		count++;
	closedir(files);
	return count == 2; /* "." and ".." */
}

static int set_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY, 0);

	return fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd);
}

/* Only users and groups of the namespace can create files in its file systems. */
static int enter_namespaces(void)
{
	char users[32], groups[32];

	snprintf(users, sizeof(users), "0 %u 1", getuid());
	snprintf(groups, sizeof(groups), "0 %u 1", getgid());
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) || set_file("/proc/self/uid_map", users) ||
	       set_file("/proc/self/setgroups", "deny") ||
	       set_file("/proc/self/gid_map", groups);
}

/* The file system has less room than a ring needs. */
static int create_on_a_small_file_system(void)
{
	struct ue_ring_opts opts = opts_of(UE_RING_MAY_EXIST);
	char path[128];

	if (enter_namespaces() ||
	    mount("none", directory, "tmpfs", 0, "size=128k") || chdir(directory))
		return CANNOT;
	snprintf(path, sizeof(path), "%s/ring", directory);
	for (has_no_unnamed_files = 0; has_no_unnamed_files < 2; has_no_unnamed_files++)
		MUST(ue_ring_create(path, &opts) == -ENOSPC);
	MUST(is_empty());
	MUST(!mount("none", directory, NULL, MS_REMOUNT, "size=300k"));
	MUST(ue_ring_create(path, &opts) >= 0);
	return 0;
}

static void check_in_child(int (*function)(void))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		status = function();
		fflush(stdout);
		_exit(status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT)
		skip();
	assert_int_equal(status, 0);
}

static void a_full_file_system_is_left_as_it_was(void **state)
{
	(void)state;
	check_in_child(create_on_a_small_file_system);
}

/* A signal would end the program. */
static int create_beyond_the_limit(void)
{
	struct rlimit limit = { UE_RING_BYTES_LEAST - 4096, UE_RING_BYTES_LEAST - 4096 };
	struct ue_ring_opts opts = opts_of(0);

	MUST(!setrlimit(RLIMIT_FSIZE, &limit));
	MUST(ue_ring_create("ring", &opts) == -EFBIG);
	MUST(ue_ring_create(NULL, &opts) == -EFBIG);
	MUST(access("ring", F_OK));
	return 0;
}

static void a_limit_of_file_sizes_raises_no_signal(void **state)
{
	(void)state;
	in_child(create_beyond_the_limit);
}

/* No rights: root has them all, unless it gives them up. */
static int create_without_rights(void)
{
	struct ue_ring_opts opts = opts_of(UE_RING_MAY_EXIST);
	int fd = ue_ring_create("ring", &opts);

	MUST(fd >= 0);
	MUST(!chmod("ring", 0400) && !chmod(".", 0500));
	if (!getuid() && setuid(65534))
		return CANNOT;
	MUST(ue_ring_create("ring", &opts) == -EACCES);
	MUST(ue_ring_create("new", &opts) == -EACCES);
	return 0;
}

static void without_rights_the_error_says_so(void **state)
{
	(void)state;
	check_in_child(create_without_rights);
}

/* Those that exist */

static void one_that_exists_is_used_as_it_is(void **state)
{
	struct ue_ring_opts opts = opts_of(UE_RING_MAY_EXIST);
	struct ue_ring_info info;
	struct stat first, second;
	int fd = create(UE_RING_MAY_EXIST), again;

	(void)state;
	opts.bytes = 2 * UE_RING_BYTES_LEAST;
	opts.mode = UE_RING_WAIT;
	again = ue_ring_create("ring", &opts);
	assert_true(again >= 0);
	assert_int_equal(fstat(fd, &first), 0);
	assert_int_equal(fstat(again, &second), 0);
	assert_int_equal(first.st_ino, second.st_ino);
	assert_int_equal(fcntl(again, F_GETFD), FD_CLOEXEC);
	assert_int_equal(ue_ring_info(again, &info), 0);
	assert_int_equal(info.bytes, UE_RING_BYTES_LEAST);
	assert_int_equal(info.mode, UE_RING_OVERWRITE);
	close(fd);
	close(again);
}

static void what_is_no_ring_is_not_used(void **state)
{
	struct ue_ring_opts opts = opts_of(UE_RING_MAY_EXIST);

	(void)state;
	write_text("other", "precious");
	assert_int_equal(ue_ring_create("other", &opts), -ENOTTY);
	assert_text("other", "precious");
	assert_int_equal(symlink("nowhere", "link"), 0);
	assert_int_equal(ue_ring_create("link", &opts), -EEXIST);
	close(create(0));
	assert_int_equal(truncate("ring", 8192), 0);
	assert_int_equal(ue_ring_create("ring", &opts), -EBADMSG);
	assert_int_equal(ue_ring_create(".", &opts), -EISDIR);
	assert_int_equal(ue_ring_create("/dev/null", &opts), -ENOTTY);
}

/* Two at once */

#define CREATORS 8
#define ROUNDS 40

static pthread_barrier_t barrier;

struct creator {
	uint32_t flags;
	int fd;
};

static void *create_with_others(void *argument)
{
	struct creator *creator = argument;
	struct ue_ring_opts opts = opts_of(creator->flags);

	pthread_barrier_wait(&barrier);
	creator->fd = ue_ring_create("ring", &opts);
	return NULL;
}

static void create_at_once(struct creator *creators, uint32_t flags)
{
	pthread_t threads[CREATORS];

	unlink("ring");
	for (int i = 0; i < CREATORS; i++) {
		creators[i].flags = flags;
		assert_int_equal(pthread_create(&threads[i], NULL, create_with_others,
						&creators[i]), 0);
	}
	for (int i = 0; i < CREATORS; i++)
		pthread_join(threads[i], NULL);
}

static int count_and_close(const struct creator *creators)
{
	struct stat file, named;
	int count = 0;

	assert_int_equal(stat("ring", &named), 0);
	for (int i = 0; i < CREATORS; i++) {
		if (creators[i].fd < 0) {
			assert_int_equal(creators[i].fd, -EEXIST);
			continue;
		}
		assert_int_equal(fstat(creators[i].fd, &file), 0);
		assert_int_equal(file.st_ino, named.st_ino);
		close(creators[i].fd);
		count++;
	}
	return count;
}

static void of_creators_at_once_one_wins(void **state)
{
	struct creator creators[CREATORS];

	(void)state;
	pthread_barrier_init(&barrier, NULL, CREATORS);
	for (int i = 0; i < ROUNDS; i++) {
		has_no_unnamed_files = i % 2;
		create_at_once(creators, 0);
		assert_int_equal(count_and_close(creators), 1);
		create_at_once(creators, UE_RING_MAY_EXIST);
		assert_int_equal(count_and_close(creators), CREATORS);
	}
	pthread_barrier_destroy(&barrier);
}

/* Describing */

static int info_of(const char *path)
{
	struct ue_ring_info info;
	int fd = open(path, O_RDONLY, 0), result = ue_ring_info(fd, &info);

	close(fd);
	return result;
}

static void change(size_t at, uint32_t number)
{
	int fd = open("ring", O_WRONLY, 0);

	assert_int_equal(pwrite(fd, &number, sizeof(number), (off_t)at), sizeof(number));
	close(fd);
}

static void damage_has_its_own_errors(void **state)
{
	struct ue_ring_info info;

	(void)state;
	close(create(0));
	assert_int_equal(info_of("ring"), 0);
	change(offsetof(struct ue__ring, version), UE__RING_VERSION + 1);
	assert_int_equal(info_of("ring"), -EPROTONOSUPPORT);
	change(offsetof(struct ue__ring, version), UE__RING_VERSION);
	change(offsetof(struct ue__ring, order), __builtin_bswap32(UE__RING_ORDER));
	assert_int_equal(info_of("ring"), -EPROTONOSUPPORT);
	change(offsetof(struct ue__ring, order), UE__RING_ORDER);
	assert_int_equal(info_of("ring"), 0);
	change(offsetof(struct ue__ring, mode), 4);
	assert_int_equal(info_of("ring"), -EBADMSG);
	change(offsetof(struct ue__ring, mode), UE__RING_DROP);
	assert_int_equal(info_of("ring"), 0);
	for (off_t size = UE_RING_BYTES_LEAST - 1; size >= 8; size /= 4) {
		assert_int_equal(truncate("ring", size), 0);
		assert_int_equal(info_of("ring"), -EBADMSG);
	}
	assert_int_equal(truncate("ring", 7), 0);
	assert_int_equal(info_of("ring"), -ENOTTY);
	assert_int_equal(info_of("."), -ENOTTY);
	assert_int_equal(info_of("/dev/zero"), -ENOTTY);
	assert_int_equal(ue_ring_info(-1, &info), -EBADF);
}

static struct ue_ring_info read_info(int fd)
{
	struct ue_ring_info info;

	assert_int_equal(ue_ring_info(fd, &info), 0);
	return info;
}

static int put(struct ue__ring_writer *writer)
{
	char bytes[200] = { 0 };

	return ue__ring_put(writer, bytes, sizeof(bytes));
}

static void info_counts_what_is_in_the_ring(void **state)
{
	struct ue_ring_opts opts = opts_of(0);
	static struct ue__ring_writer writer;
	static struct ue__ring_reader reader;
	struct ue_ring_info info;
	int fd;

	(void)state;
	opts.mode = UE_RING_DROP;
	fd = ue_ring_create("ring", &opts);
	info = read_info(fd);
	assert_int_equal(info.pages_used + info.processes + info.events + info.has_reader, 0);
	assert_true(info.small_pages * info.small_page_bytes +
			    (info.pages - info.small_pages) * info.page_bytes <
		    info.bytes);
	assert_int_equal(info.held, 0);
	assert_true(info.created > INT64_C(1700000000) * 1000000000);
	assert_int_equal(ue__ring_attach(&writer, fd, -1), 0);
	assert_int_equal(ue__ring_reader_begin(&reader, fd, 1), 0);
	assert_int_equal(ue__ring_define(&writer.memory, "one u32 a", 3, 0), 0);
	while (!put(&writer))
		;
	ue__ring_count_loss(&writer, UE_LOSS_CAPTURE_FULL);
	info = read_info(fd);
	assert_int_equal(info.processes, 1);
	assert_int_equal(info.has_reader, 1);
	assert_int_equal(info.events, 1);
	assert_int_equal(info.enabled, 1);
	assert_int_equal(info.pages_used, info.pages);
	assert_int_equal(info.lost[UE_LOSS_CAPTURE_FULL], 1);
	ue__ring_reader_end(&reader);
	ue__ring_detach(&writer);
	info = read_info(fd);
	assert_int_equal(info.processes, 0);
	assert_int_equal(info.has_reader, 0);
	close(fd);
}

static void info_counts_what_was_overwritten(void **state)
{
	static struct ue__ring_writer writer;
	struct ue_ring_info info;
	int fd = create(0);

	(void)state;
	assert_int_equal(ue__ring_attach(&writer, fd, -1), 0);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(put(&writer), 0);
	info = read_info(fd);
	assert_true(info.overwritten > 5000 && info.overwritten < 10000);
	for (int i = 0; i < 8; i++)
		assert_int_equal(info.lost[i], 0);
	ue__ring_detach(&writer);
	close(fd);
}

/* A process that dies in the middle of its second event. */
static int write_and_die(void)
{
	static struct ue__ring_writer writer;
	struct ue__ring_place place;
	int fd = open("ring", O_RDWR);

	MUST(!ue__ring_attach(&writer, fd, -1));
	MUST(!put(&writer));
	MUST(!ue__ring_reserve(&writer, 40, &place));
	return 0;
}

static void info_counts_what_was_cut_off(void **state)
{
	static struct ue__ring_writer writer;
	int fd = create(0);

	(void)state;
	in_child(write_and_die);
	assert_int_equal(read_info(fd).cut_off, 1);
	assert_int_equal(ue__ring_attach(&writer, fd, -1), 0);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(put(&writer), 0);
	assert_int_equal(read_info(fd).cut_off, 1);
	ue__ring_detach(&writer);
	close(fd);
}

/* The last event is taken out when the reader comes back. */
static void info_counts_what_is_not_taken_out(void **state)
{
	const struct ue_ring_opts opts = { .size = sizeof(opts), .mode = UE_RING_DROP };
	static struct ue__ring_writer writer;
	static struct ue__ring_reader reader;
	struct ue__ring_place place;
	struct ue__ring_event event;
	struct ue_ring_info info;
	int fd = ue_ring_create(NULL, &opts);

	(void)state;
	assert_int_equal(ue__ring_attach(&writer, fd, -1), 0);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(put(&writer), 0);
	assert_int_equal(ue__ring_reserve(&writer, 40, &place), 0);
	info = read_info(fd);
	assert_int_equal(info.unread, 10000);
	assert_int_equal(info.held, 1);
	assert_int_equal(info.holder, getpid());
	assert_int_equal(ue__ring_reader_begin(&reader, fd, 1), 0);
	for (uint32_t i = 1; i <= 10000; i++) {
		assert_int_equal(ue__ring_reader_next(&reader, &event), 1);
		if (!(i % 999))
			assert_int_equal(read_info(fd).unread, 10000 - i + 1);
	}
	assert_int_equal(ue__ring_reader_next(&reader, &event), 0);
	assert_int_equal(read_info(fd).unread, 0);
	ue__ring_reader_end(&reader);
	ue__ring_detach(&writer);
	close(fd);
}

/* Enabling */

static void define(int fd, const char *name)
{
	struct ue__ring_memory memory;

	assert_int_equal(ue__ring_map(&memory, fd), 0);
	assert_true(ue__ring_define(&memory, name, (uint32_t)strlen(name), 0) >= 0);
	ue__ring_unmap(&memory);
}

static void events_are_enabled_by_glob(void **state)
{
	int fd = create(UE_RING_DISABLED);

	(void)state;
	define(fd, "shop_open");
	define(fd, "shop_close");
	assert_int_equal(read_info(fd).enabled, 0);
	assert_int_equal(ue_ring_enable(fd, "*_open"), 0);
	assert_int_equal(read_info(fd).enabled, 1);
	assert_int_equal(ue_ring_enable(fd, "*"), 0);
	assert_int_equal(read_info(fd).enabled, 2);
	assert_int_equal(ue_ring_disable(fd, "shop_*"), 0);
	define(fd, "other");
	assert_int_equal(read_info(fd).events, 3);
	assert_int_equal(read_info(fd).enabled, 1);
	close(fd);
}

static void a_new_ring_has_all_events_enabled(void **state)
{
	int fd = create(0);

	(void)state;
	define(fd, "any");
	assert_int_equal(read_info(fd).enabled, 1);
	close(fd);
}

static void enabling_has_errors_too(void **state)
{
	char glob[300], number[16];
	int fd = create(0), reader = open("ring", O_RDONLY, 0), result = 0;

	(void)state;
	memset(glob, 'x', sizeof(glob));
	glob[256] = '\0';
	assert_int_equal(ue_ring_enable(reader, "*"), -EACCES);
	assert_int_equal(ue_ring_enable(fd, ""), -EINVAL);
	assert_int_equal(ue_ring_enable(fd, "a\nb"), -EINVAL);
	assert_int_equal(ue_ring_enable(fd, glob), -EINVAL);
	glob[255] = '\0';
	assert_int_equal(ue_ring_enable(fd, glob), 0);
	for (int i = 0; i < 100 && !result; i++) {
		snprintf(number, sizeof(number), "%d", i);
		memcpy(glob, number, strlen(number));
		result = ue_ring_disable(fd, glob);
	}
	assert_int_equal(result, -ENOSPC);
	assert_int_equal(ue_ring_enable(fd, "*"), 0);
	assert_int_equal(ue_ring_disable(fd, glob), 0);
	close(fd);
	close(reader);
	write_text("other", "text");
	fd = open("other", O_RDWR, 0);
	assert_int_equal(ue_ring_enable(fd, "*"), -ENOTTY);
	close(fd);
}

static void its_creator_ends_it_whoever_changes_the_rules(void **state)
{
	int fd = create(0), other = open("ring", O_RDWR, 0), reader = open("ring", O_RDONLY, 0);

	(void)state;
	define(fd, "any");
	assert_int_equal(ue__ring_lock(other, UE__RING_RULES_LOCK), 0);
	assert_int_equal(ue_ring_end(reader), -EACCES);
	assert_int_equal(read_info(fd).enabled, 1);
	assert_int_equal(ue_ring_end(fd), 0);
	assert_int_equal(read_info(fd).enabled, 0);
	define(fd, "later");
	assert_int_equal(read_info(fd).enabled, 0);
	close(reader);
	close(other);
	close(fd);
}

#define CHANGES 50

static void *enable_many(void *argument)
{
	static int next;
	const int who = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
	char glob[16];

	for (int i = 0; i < CHANGES; i++) {
		snprintf(glob, sizeof(glob), "%d_%d", who, i);
		assert_int_equal(ue_ring_enable(*(int *)argument, glob), 0);
	}
	return NULL;
}

static void callers_at_once_lose_no_rule(void **state)
{
	int fd = create(UE_RING_DISABLED);
	pthread_t threads[2];
	char name[16];

	(void)state;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, enable_many, &fd);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2 * CHANGES; i++) {
		snprintf(name, sizeof(name), "%d_%d", i / CHANGES, i % CHANGES);
		define(fd, name);
	}
	assert_int_equal(read_info(fd).enabled, 2 * CHANGES);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_file_is_its_owners_and_has_all_its_space),
		TEST(the_same_without_unnamed_files),
		TEST(the_defaults_are_those_of_the_header),
		TEST(a_ring_without_a_name_is_sealed),
		TEST(what_exists_is_not_overwritten),
		TEST(wrong_options_are_refused),
		TEST(paths_that_cannot_be),
		TEST(a_full_file_system_is_left_as_it_was),
		TEST(a_limit_of_file_sizes_raises_no_signal),
		TEST(without_rights_the_error_says_so),
		TEST(one_that_exists_is_used_as_it_is),
		TEST(what_is_no_ring_is_not_used),
		TEST(of_creators_at_once_one_wins),
		TEST(damage_has_its_own_errors),
		TEST(info_counts_what_is_in_the_ring),
		TEST(info_counts_what_was_overwritten),
		TEST(info_counts_what_was_cut_off),
		TEST(info_counts_what_is_not_taken_out),
		TEST(events_are_enabled_by_glob),
		TEST(a_new_ring_has_all_events_enabled),
		TEST(enabling_has_errors_too),
		TEST(its_creator_ends_it_whoever_changes_the_rules),
		TEST(callers_at_once_lose_no_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
