/* SPDX-License-Identifier: MIT */
/*
 * Find processes in /proc.
 */
#include "process_losses.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <userevents/abi/process_note.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"

#define COMM_LENGTH 15 /* the kernel cuts longer names */

/* 0 if the process has ended. */
static int read_name(struct process *process)
{
	char path[64], *name;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)process->pid);
	name = read_file(path, NULL);
	if (!name)
		return 0;
	snprintf(process->name, sizeof(process->name), "%.*s", (int)strcspn(name, "\n"),
		 name);
	free(name);
	return 1;
}

/* A name may be a glob, only look like one, or be longer than the kernel keeps. */
static int is_called(const struct process *process, const char *word)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)process->pid);
	return !strcmp(word, number) || !strcmp(word, process->name) ||
	       !fnmatch(word, process->name, 0) ||
	       (strlen(process->name) == COMM_LENGTH &&
		!strncmp(process->name, word, COMM_LENGTH));
}

/* Marks the words that name the process. */
static int is_asked_for(const struct process *process, const struct words *words,
			char *is_found)
{
	int is_any = !words->count;

	for (size_t i = 0; i < words->count; i++)
		if (is_called(process, words->items[i]))
			is_found[i] = is_any = 1;
	return is_any;
}

static int complain_of_missing(const struct words *words, const char *is_found)
{
	int result = 0;

	for (size_t i = 0; i < words->count; i++)
		if (!is_found[i]) {
			message("cannot find a process \"%s\"%s", words->items[i],
				geteuid() ? "; /proc may hide it (mount option hidepid): "
					    "try as root" : "");
			result = -1;
		}
	return result;
}

static int is_number(const struct dirent *entry)
{
	return entry->d_name[strspn(entry->d_name, "0123456789")] == '\0';
}

int processes_find(const struct words *words,
		   int (*see)(const struct process *process, void *context),
		   void *context)
{
	struct dirent **entries;
	int count = scandir("/proc", &entries, is_number, versionsort);
	int is_enough = 0;
	AUTO_FREE char *is_found = NULL;

	if (count < 0) {
		message("cannot read /proc: %s; fix it with: mount -t proc proc /proc",
			strerror(errno));
		return -1;
	}
	is_found = xcalloc(words->count + 1, 1);
	for (int i = 0; i < count; i++) {
		struct process process = { .pid = (pid_t)atoi(entries[i]->d_name) };

		if (process.pid != getpid() && read_name(&process) &&
		    is_asked_for(&process, words, is_found) && !is_enough)
			is_enough = see(&process, context);
		free(entries[i]);
	}
	free(entries);
	return complain_of_missing(words, is_found);
}

/*
 * Read the library's lists in the memory of another process (abi/process_note.h).
 *
 * The process keeps running, so no value is trusted: /proc/PID/mem reports an address
 * that is not mapped, lists have a maximum length, and a struct that does not point back
 * to its list has left it.
 */

#define MILLISECONDS_MAX 5000
#define SESSIONS_MAX 4096
#define EVENTS_MAX 65536 /* of one session; the kernel has no more */

static int read_memory(int memory, const void *address, void *to, size_t size)
{
	ssize_t got = pread(memory, to, size, (off_t)(uintptr_t)address);

	return got >= 0 && (size_t)got == size ? 0 : -EAGAIN;
}

/* Events */

/* Afterwards the event must still be the same, so that the name is its name. */
static int read_event_name(int memory, const void *address, const struct ue_noted_event *event,
		     char *name)
{
	struct ue_noted_event now;

	if (event->name_length > 255 ||
	    read_memory(memory, event->definition, name, event->name_length) ||
	    read_memory(memory, address, &now, sizeof(now)) ||
	    now.session != event->session || now.definition != event->definition)
		return -EAGAIN;
	name[event->name_length] = '\0';
	return 0;
}

static int read_events(int memory, const void *address, const void *owner,
		       struct session_losses *session, struct process_losses *losses)
{
	struct ue_noted_event event;
	struct event_losses *one;

	for (; address; address = event.next) {
		session->events = xgrow(session->events, session->count, sizeof(*one));
		one = &session->events[session->count];
		if (losses->is_cancelled || session->count == EVENTS_MAX ||
		    read_memory(memory, address, &event, sizeof(event)) ||
		    event.session != owner ||
		    read_event_name(memory, address, &event, one->name))
			return -EAGAIN;
		memcpy(one->lost, event.lost, sizeof(one->lost));
		session->count++;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct event_losses *)a)->name,
		      ((const struct event_losses *)b)->name);
}

/* Sessions */

static int read_sessions(int memory, const struct ue_noted_library *library,
			 const char *path, struct process_losses *losses)
{
	struct ue_noted_session session;
	int result = 0;

	for (const void *at = library->sessions; at && !result; at = session.next) {
		struct session_losses *one;

		if (read_memory(memory, at, &session, sizeof(session)) ||
		    session.library != library->self || losses->count == SESSIONS_MAX)
			return -EAGAIN;
		losses->sessions = xgrow(losses->sessions, losses->count, sizeof(*one));
		one = &losses->sessions[losses->count++];
		*one = (struct session_losses){
			.library = xstrdup(path), .fd = session.fd, .abi = session.abi,
		};
		memcpy(one->lost, session.lost, sizeof(one->lost));
		result = read_events(memory, session.events, at, one, losses);
		if (one->count)
			qsort(one->events, one->count, sizeof(*one->events), compare);
	}
	return result;
}

/* Copies of the library */

/* Linkers put notes near the beginning of an image. */
#define IMAGE_BEGIN 16384

struct note {
	uint32_t name_size, size, type;
	char name[(sizeof(UE_NOTE_NAME) + 3) & ~3u];
	intptr_t distance;
} __attribute__((packed));

/* distance_at: the address of the note's distance in the process. */
static int read_copy(int memory, uintptr_t distance_at, const struct note *note,
		     const char *path, struct process_losses *losses)
{
	const void *address = (const void *)(distance_at + (uintptr_t)note->distance);
	struct ue_noted_library library;

	if (note->type != UE_NOTE_TYPE)
		return -EPROTO;
	/* A file that is mapped but not loaded has no pointer to itself. */
	if (read_memory(memory, address, &library, sizeof(library)) ||
	    library.self != address)
		return -ENOENT;
	losses->copies++;
	return read_sessions(memory, &library, path, losses);
}

static int read_image(int memory, const struct mapping *mapping,
		      struct process_losses *losses)
{
	const unsigned char word_size = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	unsigned char image[IMAGE_BEGIN];
	ssize_t size = pread(memory, image, sizeof(image), (off_t)mapping->begin);
	struct note note;

	if (size < EI_NIDENT || memcmp(image, ELFMAG, SELFMAG))
		return 0;
	if (image[EI_CLASS] != word_size)
		return -ENOEXEC;
	if (losses->wants_modules)
		module_events_read(memory, mapping, losses);
	for (size_t at = 0; at + sizeof(note) <= (size_t)size; at += 4) {
		memcpy(&note, image + at, sizeof(note));
		if (note.name_size == sizeof(UE_NOTE_NAME) &&
		    !memcmp(note.name, UE_NOTE_NAME, sizeof(UE_NOTE_NAME)))
			return read_copy(memory,
					 (uintptr_t)mapping->begin + at +
						 offsetof(struct note, distance),
					 &note, mapping->path, losses);
	}
	return -ENOENT;
}

/* An image begins where the beginning of its file is mapped. */
int mapping_parse(const char *line, struct mapping *mapping)
{
	unsigned long long begin, end, offset, inode;
	int length;

	if (sscanf(line, "%llx-%llx %*s %llx %*s %llu %n", &begin, &end, &offset,
		   &inode, &length) != 4 || offset || !inode)
		return 0;
	*mapping = (struct mapping){
		.begin = begin, .end = end, .inode = inode, .path = line + length,
	};
	return 1;
}

static int read_mapping(int memory, const char *line, struct process_losses *losses)
{
	struct mapping mapping;

	if (!mapping_parse(line, &mapping))
		return 0;
	if (mapping.begin > UINTPTR_MAX)
		return -ENOEXEC;
	return read_image(memory, &mapping, losses);
}

/* The process */

/* Only a copy that could not be read matters beside one that was read. */
static int read_mappings(int memory, char *mappings, struct process_losses *losses)
{
	int first = 0, failed = 0;

	for (char *next, *line = mappings; line && *line && !losses->is_cancelled;
	     line = next) {
		int result;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		result = read_mapping(memory, line, losses);
		if (result == -EPROTO || result == -EAGAIN)
			failed = result;
		else if (!first)
			first = result;
	}
	return failed || losses->copies ? failed : first ? first : -ENOENT;
}

/* Only a process that runs a program has mappings. */
static int read_process(struct process_losses *losses)
{
	char path[64], *mappings;
	int memory, result;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)losses->pid);
	mappings = read_file(path, NULL);
	if (!mappings || !*mappings) {
		result = mappings || errno == ENOENT ? -ESRCH : -errno;
		free(mappings);
		return result;
	}
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)losses->pid);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	result = memory < 0 ? -errno : read_mappings(memory, mappings, losses);
	if (memory >= 0)
		close(memory);
	free(mappings);
	return result;
}

static void *read_in_thread(void *argument)
{
	struct process_losses *losses = argument;

	losses->error = read_process(losses);
	eventfd_write(losses->done, 1);
	return NULL;
}

static int wait_for(struct process_losses *losses)
{
	struct pollfd done = { .fd = losses->done, .events = POLLIN };
	pthread_t thread;
	int result = -pthread_create(&thread, NULL, read_in_thread, losses);

	if (result)
		return result;
	/*
	 * Not joined: where a kernel lacks CONFIG_COMPAT_32BIT_TIME, glibc aborts a program of
	 * 32 bits that waits for a thread.
	 */
	pthread_detach(thread);
	while ((result = poll(&done, 1, MILLISECONDS_MAX)) < 0 && errno == EINTR)
		;
	return result > 0 ? 0 : -ETIMEDOUT;
}

/*
 * A thread reads, so that a process whose memory does not arrive (it may come from a
 * server that does not answer) cannot stop the tool. Such a thread keeps its memory, and
 * ends after the next thing that it reads.
 */
struct process_losses *process_losses_read(pid_t pid, int wants_modules)
{
	struct process_losses *losses = xcalloc(1, sizeof(*losses));
	int result;

	losses->pid = pid;
	losses->wants_modules = wants_modules;
	losses->done = eventfd(0, EFD_CLOEXEC);
	result = losses->done < 0 ? -errno : wait_for(losses);
	if (result == -ETIMEDOUT) {
		losses->is_cancelled = 1;
		losses = xcalloc(1, sizeof(*losses));
	} else if (losses->done >= 0)
		close(losses->done);
	if (result)
		losses->error = result;
	return losses;
}

void process_losses_free(struct process_losses *losses)
{
	for (size_t i = 0; i < losses->count; i++) {
		free(losses->sessions[i].events);
		free(losses->sessions[i].library);
	}
	for (size_t i = 0; i < losses->module_count; i++) {
		free(losses->modules[i].path);
		free(losses->modules[i].names.items);
		words_free(&losses->modules[i].unregistered);
	}
	words_free(&losses->registered);
	free(losses->modules);
	free(losses->sessions);
	free(losses);
}

const char *process_losses_reason(int error)
{
	switch (error) {
	case -EACCES:
	case -EPERM:
		return geteuid() ? "it belongs to another user, has more privileges, or "
				   "kernel.yama.ptrace_scope protects it; try as root" :
				   "this root lacks CAP_SYS_PTRACE (in a container: "
				   "--cap-add SYS_PTRACE), or a security module forbids it";
	case -ESRCH:
		return "it has ended, or is a kernel thread";
	case -ENOENT:
		return "it does not use libuserevents";
	case -ENOEXEC:
		return "it has another word size than this tool; use a tool of that size";
	case -EPROTO:
		return "its libuserevents has another version; use the tool of that "
		       "version";
	case -EAGAIN:
		return "a list changed meanwhile, or is damaged; try again";
	case -ETIMEDOUT:
		return "its memory did not arrive in time";
	default:
		return strerror(-error);
	}
}
