/* SPDX-License-Identifier: MIT */
/*
 * Finds processors that went offline or came online.
 *
 * Their folder "topology" in sysfs exists while they are online, and has another inode
 * number each time, also after a suspend, and if one went and came between two looks. A
 * message of the kernel (uevent) only says when to look: it is sent neither for a suspend
 * nor into containers with users of their own.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "perf_rings.h"

/* More than any kernel can be built for. */
#define PROCESSORS_MAX 65536u

size_t processors_in_list(const char *list)
{
	unsigned long count = 0;
	char *end;

	do {
		const unsigned long number = strtoul(list, &end, 10);

		if (*list < '0' || *list > '9' || number >= PROCESSORS_MAX)
			return 0;
		if (number >= count)
			count = number + 1;
		list = end + 1;
	} while (*end == ',' || *end == '-');
	return *end && *end != '\n' ? 0 : count;
}

size_t processors_possible(void)
{
	AUTO_FREE char *list = read_file("/sys/devices/system/cpu/possible", NULL);
	const long configured = sysconf(_SC_NPROCESSORS_CONF);
	size_t count = list ? processors_in_list(list) : 0;

	if (!count)
		count = configured > 0 ? (size_t)configured : 1;
	return count;
}

static uint64_t read_node(size_t number)
{
	struct stat status;
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%zu/topology", number);
	return stat(path, &status) ? 0 : (uint64_t)status.st_ino;
}

/*
 * The folder exists before the processor runs, when the kernel accepts events for it and
 * drops them. The first processor has no such file where it cannot go. 0, or an errno:
 * ENODEV if it does not run, or one that says that the file cannot be read now.
 */
static int check_running(size_t number)
{
	char path[96], *text;
	int result = 0;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%zu/online", number);
	text = read_file(path, NULL);
	if (text ? text[0] != '1' : perf_is_short_of(errno))
		result = text ? ENODEV : errno;
	free(text);
	return result;
}

static uint64_t now(void)
{
	return (uint64_t)clock_now(CLOCK_MONOTONIC);
}

#define KERNEL_MESSAGES 1 /* the group; udev sends its own to another */

static int open_messages(void)
{
	const struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = KERNEL_MESSAGES,
	};
	const int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			      NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || !bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

int processors_fd(const struct processors *processors)
{
	return processors->each ? processors->fd : -1;
}

/* They may be about any device: only their arrival counts. */
static void drop_messages(const struct processors *processors)
{
	char byte;

	if (processors->fd < 0)
		return;
	while (recv(processors->fd, &byte, sizeof(byte), 0) >= 0 || errno == ENOBUFS)
		;
}

void processors_begin(struct processors *processors)
{
	*processors = (struct processors){ .count = processors_possible() };
	processors->each = xcalloc(processors->count, sizeof(*processors->each));
	processors->is_blind = 1;
	processors->fd = open_messages();
	for (size_t i = 0; i < processors->count; i++) {
		processors->each[i].node = check_running(i) ? 0 : read_node(i);
		processors->is_blind &= !processors->each[i].node;
	}
	processors->looked = now();
}

/* It came, at the earliest, after the last look, unless it already was a gap then. */
static void note_gap(struct processors *processors, struct processor *processor,
		     uint64_t until)
{
	const uint64_t gap = until - processors->looked;

	processor->had_gap = 1;
	processor->gap_ns += gap;
	processors->gaps_ns += gap;
	if (processor->gap_ns > processors->gap_ns)
		processors->gap_ns = processor->gap_ns;
}

/* Nothing can be attached to a processor that came: say so once. */
static void complain(size_t number, int error)
{
	const char *fix = "free memory, or, as root, raise sysctl kernel.perf_event_mlock_kb";
	char *limit = xprintf("raise the limit with prlimit --pid=%d --nofile=65536",
			      (int)getpid());

	if (error == EMFILE)
		fix = limit;
	if (error == ENFILE)
		fix = "as root, raise sysctl fs.file-max";
	message("cannot attach to processor %zu, which came online: %s; %s; trying again "
		"until it works", number, strerror(error), fix);
	free(limit);
}

/* The processor runs, or may run, and nothing is attached to it. */
static void note_failure(struct processors *processors, size_t number, int error,
			 uint64_t begun)
{
	struct processor *processor = &processors->each[number];

	processor->node = 0;
	if (!processor->gap_ns && error != ENODEV)
		complain(number, error);
	note_gap(processors, processor, begun);
}

/* It went. Before, it may have been a processor that nothing was attached to. */
static void note_end(struct processors *processors, struct processor *processor,
		     uint64_t begun)
{
	processor->node = 0;
	if (processor->gap_ns)
		note_gap(processors, processor, begun);
	processor->gap_ns = 0;
}

static int look_at(struct processors *processors, size_t number, uint64_t begun,
		   int (*change)(void *context, size_t number, int is_online),
		   void *context)
{
	struct processor *processor = &processors->each[number];
	const uint64_t node = read_node(number);
	int error, result = 0;

	if (node == processor->node && !processor->gap_ns)
		return 0;
	error = node ? check_running(number) : ENODEV;
	if (processor->node || !error)
		result = change(context, number, !error);
	if (result < 0)
		return -1;
	if (error == ENODEV) {
		note_end(processors, processor, begun);
	} else if (error || result) {
		note_failure(processors, number, error ? error : result, begun);
	} else {
		processor->node = node;
		note_gap(processors, processor, now());
		processor->gap_ns = 0;
	}
	return 0;
}

int processors_look(struct processors *processors,
		    int (*change)(void *context, size_t number, int is_online),
		    void *context)
{
	const uint64_t begun = now();
	int result = 0;

	drop_messages(processors); /* first: later messages lead to another look */
	for (size_t i = 0; i < processors->count && !result && !processors->is_blind; i++)
		result = look_at(processors, i, begun, change, context);
	processors->looked = begun;
	return result;
}

void processors_report(struct processors *processors)
{
	AUTO(bytes_free) struct bytes numbers = { 0 };
	size_t count = 0;

	if (processors->gaps_ns == processors->reported_ns)
		return;
	for (size_t i = 0; i < processors->count; i++) {
		if (processors->each[i].had_gap)
			bytes_list(&numbers, count++, "%zu", i);
		processors->each[i].had_gap = 0;
	}
	message("%zu processor%s came online meanwhile: events that were written there "
		"in up to %.2f s, before they could be seen, may be missing, and are "
		"not counted: %s.",
		count, count == 1 ? "" : "s", (double)processors->gap_ns / 1e9,
		(const char *)numbers.at);
	processors->gap_ns = 0;
	processors->reported_ns = processors->gaps_ns;
}

void processors_end(struct processors *processors)
{
	free(processors->each);
	if (processors_fd(processors) >= 0)
		close(processors->fd);
	*processors = (struct processors){ .each = NULL };
}

/* Finds threads of processes, and starts the command. */

static void add(pid_t **list, size_t *count, pid_t pid)
{
	*list = xgrow(*list, *count, sizeof(pid));
	(*list)[(*count)++] = pid;
}

/* Add all threads of a process; perf adds threads and processes that they start. */
static int add_threads(struct target *target, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	directory = opendir(path);
	if (!directory) {
		message("cannot record process %d: there is no such process", (int)pid);
		return -1;
	}
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			add(&target->threads, &target->thread_count,
			    (pid_t)atoi(entry->d_name));
	closedir(directory);
	return 0;
}

int target_add_processes(struct target *target, const struct words *pids)
{
	for (size_t i = 0; i < pids->count; i++) {
		uint64_t pid;

		if (parse_number(pids->items[i], &pid) || !pid || pid > INT32_MAX) {
			message("cannot record process \"%s\": that is not the number of "
				"a process",
				pids->items[i]);
			return EXIT_WRONG_USAGE;
		}
		if (add_threads(target, (pid_t)pid))
			return EXIT_FAILED;
		add(&target->processes, &target->process_count, (pid_t)pid);
	}
	return 0;
}

/* Losses in the command */

/* Shell scripts use the low numbers for files of their own. */
#define LOWEST_FD 100

/*
 * Without it, they are not known. The command has the descriptor, and must not make the
 * file shorter than the mapping here.
 */
static void make_loss_page(struct target *target)
{
	struct ue_loss_page *page = MAP_FAILED;
	int fd = memfd_create("userevents-losses", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return;
	if (!ftruncate(fd, UE_LOSS_PAGE_SIZE) && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		page = mmap(NULL, UE_LOSS_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			    fd, 0);
	if (page == MAP_FAILED) {
		close(fd);
		return;
	}
	page->mark = UE_LOSS_PAGE_MARK;
	page->reasons = UE_LOSS_REASONS;
	target->losses = page;
	target->losses_fd = fd;
}

/* This runs in the child. */
static void give_loss_page(void *context)
{
	const struct target *target = context;
	char number[16];
	int fd;

	if (!target->losses)
		return;
	fd = fcntl(target->losses_fd, F_DUPFD, LOWEST_FD);
	if (fd < 0) /* RLIMIT_NOFILE may be less */
		fd = fcntl(target->losses_fd, F_DUPFD, STDERR_FILENO + 1);
	snprintf(number, sizeof(number), "%d", fd);
	if (fd >= 0)
		setenv(UE_ENVIRONMENT_LOSSES, number, 1);
}

int target_start(struct target *target, char **command)
{
	make_loss_page(target);
	if (program_start(&target->command, command, give_loss_page, target))
		return -1;
	target->name = command[0];
	add(&target->threads, &target->thread_count, target->command.pid);
	return 0;
}

int target_go(struct target *target)
{
	int error = target->command.pid ? program_go(&target->command) : 0;

	if (!error)
		return 0;
	target->command.pid = 0;
	program_complain(target->name, error);
	return -1;
}

int target_is_over(struct target *target)
{
	if (target->command.pid) {
		if (!target->has_ended)
			target->has_ended = waitpid(target->command.pid, &target->status,
						    WNOHANG) == target->command.pid;
		return target->has_ended;
	}
	for (size_t i = 0; i < target->process_count; i++)
		if (!kill(target->processes[i], 0) || errno != ESRCH)
			return 0;
	return target->process_count > 0;
}

void target_close(struct target *target)
{
	program_drop(&target->command);
	if (target->losses)
		munmap(target->losses, UE_LOSS_PAGE_SIZE);
	if (target->losses)
		close(target->losses_fd);
	target->losses = NULL;
	free(target->threads);
	free(target->processes);
}
