/* SPDX-License-Identifier: MIT */
/*
 * Lists the events of a file as they will be once it is loaded: the section "ue_events" has
 * their addresses.
 */
#include "process_losses.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <userevents/abi/event_state.h>

#include "common/cli/memory.h"
#include "common/cli/program.h"

#define EVENTS_MAX 65536 /* the kernel has no more */

static size_t read_file_image(const void *file, uint64_t address, void *to, size_t size)
{
	return elf_file_read(file, address, to, size);
}

static int read_file_pointer(const void *file, uint64_t address, uint64_t *pointer)
{
	return elf_file_pointer(file, address, pointer);
}

static const char *add(struct defined_events *events, const struct event_image *image,
		       uint64_t address)
{
	struct image_event event;

	if (image_event_read(image, address, &event))
		return "an entry of its list is no event of libuserevents";
	image_event_define(image, address, &event);
	events->events = xgrow(events->events, events->count, sizeof(*events->events));
	events->events[events->count++] = (struct defined_event){
		event.definition, event.problem, event.flags,
	};
	return NULL;
}

static const char *read_list(struct defined_events *events, const struct elf_file *file,
			     const struct elf_section *section)
{
	const struct event_image image = {
		.word = file->word,
		.read = read_file_image,
		.read_pointer = read_file_pointer,
		.context = file,
	};
	const char *why = NULL;
	uint64_t event;

	for (uint64_t at = 0; at < section->size / file->word && !why; at++) {
		if (at == EVENTS_MAX)
			return "it lists more than 65,536 events";
		if (elf_file_pointer(file, section->address + at * file->word, &event))
			return "it ends early, or lists an event of another file";
		/* the linker may leave holes */
		if (event)
			why = add(events, &image, event);
	}
	return why;
}

int has_own_name(const struct defined_event *event)
{
	return !event->problem && !(event->flags & UE_EVENT_MULTI_FORMAT);
}

int are_namesakes(const struct defined_event *one, const struct defined_event *other)
{
	const size_t length = strcspn(one->definition, " ");

	return has_own_name(one) && has_own_name(other) &&
	       strcspn(other->definition, " ") == length &&
	       !memcmp(one->definition, other->definition, length) &&
	       strcmp(one->definition, other->definition) != 0;
}

static int by_definition(const void *a, const void *b)
{
	const struct defined_event *x = a, *y = b;

	return strcmp(x->definition, y->definition);
}

/*
 * Read them: NULL, or why not, or not all: "it ends early". The caller frees them in any
 * case. fd: of the file.
 */
static const char *defined_events_read(struct defined_events *events, int fd)
{
	struct elf_section section = { 0 };
	struct elf_file file;
	const char *why = elf_file_begin(&file, fd);

	*events = (struct defined_events){ 0 };
	if (!why)
		why = elf_file_section(&file, EVENTS_SECTION, &section);
	if (!why && section.is_empty)
		why = "it has debug symbols alone; the program itself has the events";
	if (!why && section.size)
		why = elf_file_relocate(&file);
	if (!why)
		why = read_list(events, &file, &section);
	if (events->count)
		qsort(events->events, events->count, sizeof(*events->events), by_definition);
	elf_file_free(&file);
	return why;
}

const char *defined_events_open(struct defined_events *events, const char *path)
{
	const char *why;
	int fd = regular_file_open(path, &why);

	*events = (struct defined_events){ 0 };
	if (fd < 0)
		return why;
	why = defined_events_read(events, fd);
	close(fd);
	return why;
}

void defined_events_free(struct defined_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		free(events->events[i].definition);
	free(events->events);
	*events = (struct defined_events){ 0 };
}

/* Processes */

struct modules {
	pid_t pid;
	int memory;
	uint64_t last; /* inode of the mapping before; one file may be mapped in pieces */
	void (*see)(const char *path, const struct defined_events *events, const char *why,
		    void *context);
	void *context;
};

static void read_module(struct modules *modules, const struct mapping *mapping)
{
	struct defined_events events = { 0 };
	const char *why;
	int fd;

	if (mapping->inode == modules->last)
		return;
	modules->last = mapping->inode;
	fd = module_file_open(modules->memory, modules->pid, mapping, &why);
	if (fd >= 0) {
		why = defined_events_read(&events, fd);
		close(fd);
	}
	/* other files may be mapped, too */
	if (why != elf_is_no_elf && (why || events.count))
		modules->see(mapping->path, &events, why, modules->context);
	defined_events_free(&events);
}

int process_events_each(pid_t pid,
			void (*see)(const char *path, const struct defined_events *events,
				    const char *why, void *context),
			void *context)
{
	struct modules modules = { .pid = pid, .see = see, .context = context };
	char path[64], *mappings;
	struct mapping mapping;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	mappings = read_file(path, NULL);
	if (!mappings || !*mappings) {
		free(mappings);
		return mappings ? ESRCH : errno;
	}
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	modules.memory = open(path, O_RDONLY | O_CLOEXEC);
	for (char *line = strtok(mappings, "\n"); line; line = strtok(NULL, "\n"))
		if (mapping_parse(line, &mapping))
			read_module(&modules, &mapping);
	if (modules.memory >= 0)
		close(modules.memory);
	free(mappings);
	return 0;
}

/*
 * Reads the events of a program that is about to be started.
 *
 * Only the loader knows which libraries a program gets: LD_LIBRARY_PATH, RUNPATH, the
 * cache and its own rules decide. So the loader that the program names is asked, with
 * "--list", which those of glibc and musl have (ldd uses it). That runs no code of the
 * program, and nothing that the program would not run a moment later. Libraries that it
 * opens with dlopen() are not known before.
 */

struct listed_command {
	char *path;
	void (*see)(const char *path, const struct defined_events *events,
		    const char *why, void *context);
	void *context;
};

/*
 * The file that execvp(3) runs, to be freed, or NULL. A shared object need not be
 * executable.
 */
static char *find_program(const char *command)
{
	return strchr(command, '/') ? xstrdup(command) : program_find(command);
}

/* Files */

static void read_events(const struct listed_command *command, const char *path, int fd)
{
	AUTO(defined_events_free) struct defined_events events;
	const char *why = defined_events_read(&events, fd);

	if (why != elf_is_no_elf && (why || events.count))
		command->see(path, &events, why, command->context);
}

static void read_library(const struct listed_command *command, const char *path)
{
	const char *why;
	int fd = regular_file_open(path, &why);

	if (fd < 0)
		return;
	read_events(command, path, fd);
	close(fd);
}

/*
 * The loader, to be freed; NULL: it has none, as it is linked statically or no program.
 */
static char *find_loader(int fd)
{
	char path[4096] = "";
	struct elf_file file;
	size_t size;

	if (elf_file_begin(&file, fd)) {
		elf_file_free(&file);
		return NULL;
	}
	size = file.interpreter.size < sizeof(path) ? (size_t)file.interpreter.size : 0;
	size = elf_file_read(&file, file.interpreter.address, path, size);
	elf_file_free(&file);
	return size && !path[size - 1] && path[0] == '/' ? xstrdup(path) : NULL;
}

/* The loader */

static _Noreturn void list(const char *loader, const char *program, int output)
{
	int nowhere = open("/dev/null", O_RDWR);

	dup2(nowhere, STDIN_FILENO);
	dup2(nowhere, STDERR_FILENO);
	dup2(output, STDOUT_FILENO);
	execl(loader, loader, "--list", program, (char *)NULL);
	_exit(127);
}

/* A list of libraries is shorter. */
#define OUTPUT_MAX ((size_t)1 << 20)

/* All text up to the end of the pipe, to be freed. */
static char *read_text(int fd)
{
	struct bytes text = { 0 };
	ssize_t got;

	do {
		got = read(fd, bytes_room(&text, 4096), 4095);
		text.length += got > 0 ? (size_t)got : 0;
	} while (got > 0 && text.length < OUTPUT_MAX);
	text.at[text.length] = '\0';
	return (char *)text.at;
}

/* The output of the loader, to be freed; empty if it cannot be run. */
static char *ask_loader(const char *loader, const char *program)
{
	char *text;
	int pipes[2];
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return xstrdup("");
	pid = fork();
	if (!pid)
		list(loader, program, pipes[1]);
	close(pipes[1]);
	text = pid > 0 ? read_text(pipes[0]) : xstrdup("");
	close(pipes[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return text;
}

/*
 * Lines "NAME => PATH (ADDRESS)", or "PATH (ADDRESS)" of a library that the program or
 * LD_PRELOAD names by its path. The kernel's library has no path.
 */
static char *path_in(char *line)
{
	char *arrow = strstr(line, " => ");
	char *path = arrow ? arrow + strlen(" => ") : line + strspn(line, "\t");
	char *end = strstr(path, " (0x");

	if (!end || !memchr(path, '/', (size_t)(end - path)))
		return NULL;
	*end = '\0';
	return path;
}

static void read_libraries(const struct listed_command *command, char *text)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *path = path_in(line);

		if (path)
			read_library(command, path);
	}
}

static void read_program(const struct listed_command *command, int fd)
{
	char *loader = find_loader(fd), *libraries;

	read_events(command, command->path, fd);
	if (!loader)
		return;
	libraries = ask_loader(loader, command->path);
	read_libraries(command, libraries);
	free(libraries);
	free(loader);
}

void command_events_each(const char *command,
			 void (*see)(const char *path,
				     const struct defined_events *events,
				     const char *why, void *context),
			 void *context)
{
	struct listed_command one = { .see = see, .context = context };
	const char *why;
	int fd;

	one.path = find_program(command);
	fd = one.path ? regular_file_open(one.path, &why) : -1;
	if (fd >= 0) {
		read_program(&one, fd);
		close(fd);
	}
	free(one.path);
}
