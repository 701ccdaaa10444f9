/* SPDX-License-Identifier: MIT */
/*
 * Asks whether the kernel takes the lock that keeps events and addresses from being
 * freed.
 *
 * Memory freed under event_mutex may not be looked at without it. The two meet too
 * rarely for a test, so another one asks for the lock: a thread has it, waits for a page
 * that this program brings, and meanwhile another thread looks.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absent_page.h"
#include "surprises.h"

#define EVENT "ue_race"
#define ENABLE "events/user_events/" EVENT "/enable"
#define INSTANCE "/sys/kernel/tracing/instances/ue_race"

static int data, status;
static void (*look)(void);
static pthread_t looker;
static atomic_int looker_id, has_looked;
static int has_waited;

static void *look_once(void *unused)
{
	atomic_store(&looker_id, gettid());
	look();
	atomic_store(&has_looked, 1);
	return unused;
}

/* Whether it waits for a lock of the kernel, which no signal ends. */
static int waits_for_lock(int thread)
{
	char path[64], line[256] = "", *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	end = strrchr(line, ')');
	return end && end[1] == ' ' && end[2] == 'D';
}

/* Called while the other thread has event_mutex. */
static void look_meanwhile(void)
{
	pthread_create(&looker, NULL, look_once, NULL);
	while (!atomic_load(&has_looked) && !has_waited) {
		usleep(1000);
		has_waited = waits_for_lock(atomic_load(&looker_id));
	}
}

/* The kernel reads this list of pids under event_mutex, and refuses it. */
static void look_under_event_mutex(void (*function)(void))
{
	struct absent_page pids = { .before = look_meanwhile };
	int fd = open_tracefs("set_event_pid", O_WRONLY);

	look = function;
	make_absent_page(&pids);
	if (write(fd, pids.page, strlen("content")) >= 0)
		fprintf(stderr, "surprises: the list of pids was not refused\n");
	pthread_join(pids.thread, NULL);
	pthread_join(looker, NULL);
	answer("%s", has_waited ? "waits" : "does not wait");
	close(fd);
}

static void read_status(void)
{
	char text[4096];

	if (read(status, text, sizeof(text)) <= 0)
		perror("user_events_status");
}

static void status_under_event_mutex(void)
{
	status = open_tracefs("user_events_status", O_RDONLY);
	look_under_event_mutex(read_status);
	close(status);
}

static void register_again(void)
{
	if (register_raw(data, EVENT " u32 a", NULL) >= 0)
		fprintf(stderr, "surprises: one word and bit were registered twice\n");
}

/* Without addresses there is nothing to ask. */
static int has_no_addresses(void)
{
	if (is_6_1())
		answer("no addresses");
	return is_6_1();
}

static void word_under_event_mutex(void)
{
	if (has_no_addresses())
		return;
	data = open_tracefs("user_events_data", O_RDWR);
	register_raw(data, EVENT " u32 a", NULL);
	look_under_event_mutex(register_again);
	close(data);
}

/* Messages of the kernel from now on. */
static int open_messages(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	lseek(fd, 0, SEEK_END);
	return fd;
}

static int has_message(int fd, const char *text)
{
	char message[1024];
	ssize_t length;

	while ((length = read(fd, message, sizeof(message) - 1)) > 0) {
		message[length] = '\0';
		if (strstr(message, text))
			return 1;
	}
	return 0;
}

#define MUCH ((size_t)128 << 20)
#define MAPPED_AT_ONCE ((size_t)16 * PAGE) /* by one access, if the pages exist */

/* To give up much memory takes time, and the word comes before it. */
static pid_t start_child(char *memory)
{
	pid_t child = fork();

	if (!child) {
		for (size_t at = 0; at < MUCH; at += MAPPED_AT_ONCE)
			*(volatile char *)(memory + at);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	return child;
}

/*
 * While exec gives up the memory of the old program, the kernel may bring back the page
 * of a word that it writes to, and then misses it. Children have their parent's
 * registrations.
 */
static void enable_during_exec(void)
{
	int messages = open_messages(), is_enabled = 0, found = 0;
	char *memory = mmap(NULL, MUCH, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (has_no_addresses())
		return;
	data = open_tracefs("user_events_data", O_RDWR);
	register_raw(data, EVENT " u32 a", NULL);
	/* with another listener, the kernel need not change its code each time */
	mkdir(INSTANCE, 0700);
	put_tracefs("instances/ue_race/" ENABLE, "1");
	for (int i = 0; i < 40 && !found; i++) {
		pid_t child = start_child(memory);

		while (waitpid(child, NULL, WNOHANG) == 0)
			put_tracefs(ENABLE, (is_enabled = !is_enabled) ? "1" : "0");
		found = has_message(messages, "Bad rss-counter");
	}
	put_tracefs(ENABLE, "0");
	put_tracefs("instances/ue_race/" ENABLE, "0");
	rmdir(INSTANCE);
	answer("%s", found ? "a page is lost" : "works");
	close(messages);
	close(data);
}

const struct surprise race_surprises[] = {
	{ "status-lock", "reading user_events_status while events may be freed",
	  status_under_event_mutex },
	{ "word-lock", "registering a word and bit again while the first may be freed",
	  word_under_event_mutex },
	{ "exec-enabled", "enabling an event while children execute another program",
	  enable_during_exec },
	{ 0 },
};
