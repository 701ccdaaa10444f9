/* SPDX-License-Identifier: MIT */
/*
 * The sessions of another process, their events, and the losses of both; the events
 * that programs and shared objects define (modules), in memory and in files; and ELF
 * files.
 */
#ifndef UE__TOOLS_COMMON_PROCESS_PROCESS_LOSSES_H
#define UE__TOOLS_COMMON_PROCESS_PROCESS_LOSSES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <userevents/loss.h>

#include "common/cli/options.h"

struct event_losses {
	char name[256];
	uint32_t lost[UE_LOSS_REASONS];
};

struct session_losses {
	char *library; /* path of the file that has this copy of the library */
	int fd;
	uint32_t abi; /* enum ue_abi */
	uint32_t lost[UE_LOSS_REASONS];
	struct event_losses *events; /* by name */
	size_t count;
};

/* The events that a program or shared object lists for ue_register_all(). */
struct module_events {
	char *path;
	const char *why; /* it cannot be read, or not all of it; NULL: it was read */
	size_t count;
	size_t missing; /* those not registered */
	struct words names; /* of the first of these: "NAME", or "NAME (REASON)" */
	struct words unregistered; /* their definitions */
};

/* A process may have any number of events, and only so many names are shown. */
#define MODULE_NAMES 10

/* A line of /proc/PID/maps: the beginning of a file. */
struct mapping {
	uint64_t begin, end, inode;
	const char *path;
};

/* Whether the line, without its newline, is one; the path stays a part of the line. */
int mapping_parse(const char *line, struct mapping *mapping);

struct process_losses {
	pid_t pid;
	int error; /* if not 0, the sessions may be incomplete */
	struct session_losses *sessions; /* of each copy, the last opened first */
	size_t count;
	size_t copies; /* of the library */
	int wants_modules;
	struct module_events *modules;
	size_t module_count;
	size_t entries; /* of the lists of all modules */
	struct words registered; /* their definitions */
	int done;      /* an eventfd, while a thread reads */
	atomic_int is_cancelled; /* the thread is to stop, as nobody waits for it */
};

/*
 * Read the lists of a process once, within 5 seconds. The process is neither stopped nor
 * changed. error is 0, one of pthread_create(3) or eventfd(2), or
 *   -EACCES, -EPERM  this user may not read the process;
 *   -ESRCH      it has ended, or is a kernel thread;
 *   -ENOENT     it does not use the library;
 *   -ENOEXEC    it has another word size than the tool;
 *   -EPROTO     a copy of the library has another version of the note;
 *   -EAGAIN     a list changed meanwhile, or is damaged;
 *   -ETIMEDOUT  the memory did not arrive in time.
 */
struct process_losses *process_losses_read(pid_t pid, int wants_modules);
void process_losses_free(struct process_losses *losses);

/* The error for a person. */
const char *process_losses_reason(int error);

/* Add the events of the module whose file is mapped from its beginning. */
void module_events_read(int memory, const struct mapping *mapping,
			struct process_losses *losses);

/* Processes as a person names them: by number, or by name (/proc/PID/comm). */

struct process {
	pid_t pid;
	char name[64];
};

/*
 * Call see() for each process that words name, or without words for all but the tool
 * itself, in the order of their numbers, until it returns something else than 0. Returns
 * 0, or -1 after a message if a word names no process.
 */
int processes_find(const struct words *words,
		   int (*see)(const struct process *process, void *context),
		   void *context);

/* The events that a program or shared object defines, read from its file (ELF). */

struct defined_event {
	char *definition; /* complete: a name and fields */
	const char *problem; /* why it cannot be registered: a sentence, or NULL */
	uint32_t flags; /* UE_EVENT_* */
};

/* Can it be registered, and no other event of its process have its name? */
int has_own_name(const struct defined_event *event);
/* Are they of one name, and of other fields? A process can register one of them. */
int are_namesakes(const struct defined_event *one, const struct defined_event *other);

struct defined_events {
	struct defined_event *events; /* by name */
	size_t count;
};

/* The same of the file at a path. */
const char *defined_events_open(struct defined_events *events, const char *path);
void defined_events_free(struct defined_events *events);

/*
 * Call see() for each program and shared object that a process has loaded, with their
 * events, or why they cannot be read. Returns 0, or an errno if the process cannot be
 * read.
 */
int process_events_each(pid_t pid,
			void (*see)(const char *path, const struct defined_events *events,
				    const char *why, void *context),
			void *context);

/*
 * The events that a command will have: those of its program, and of the libraries it
 * links.
 */

/*
 * Call see() for each file of the command that has events, or whose events cannot all be
 * read. command: as execvp(3) takes it. A script, and a command that does not exist, have
 * no events.
 */
void command_events_each(const char *command,
			 void (*see)(const char *path,
				     const struct defined_events *events,
				     const char *why, void *context),
			 void *context);

/*
 * Events of a module, a program or shared object, in its image: the memory of a process,
 * or a file that is not loaded (struct elf_file). The image may hold anything.
 */

/* The section with the addresses of a module's events. */
#define EVENTS_SECTION "ue_events"

struct event_image {
	unsigned int word; /* size of a pointer: 4 or 8 */
	/* How many bytes there are, up to size. */
	size_t (*read)(const void *context, uint64_t address, void *to, size_t size);
	/* 0, or -1 if there is none. */
	int (*read_pointer)(const void *context, uint64_t address, uint64_t *pointer);
	const void *context;
};

struct image_event {
	uint32_t flags; /* UE_EVENT_* */
	int is_registered;
	/* Set by image_event_define(). */
	char *definition; /* to be freed; without a problem, it can be registered */
	const char *problem; /* a sentence, or NULL */
};

/* Read the event at this address: 0, or -1 if there is none. */
int image_event_read(const struct event_image *image, uint64_t address,
		     struct image_event *event);
/* Read its definition, which of an EventHeader tracepoint is made of its parts. */
void image_event_define(const struct event_image *image, uint64_t address,
			struct image_event *event);

/* The file of a program or shared object (a module) that another process has mapped. */

/* The section with the addresses of the module's events. */
struct module_section {
	uint64_t at;   /* its distance from the beginning of the mapped file */
	uint64_t size; /* 0: there is none */
};

/* Open a file at a path: the descriptor, or -1 with why; a device or pipe is not opened. */
int regular_file_open(const char *path, const char **why);

/*
 * Open the file. memory: of the process. Returns the descriptor, or -1 with why, which is
 * a static text.
 */
int module_file_open(int memory, pid_t pid, const struct mapping *mapping,
		     const char **why);

/*
 * A program or shared object as it will be in memory (ELF), read from its file: of both
 * word sizes, and of any machine with the byte order of this one.
 *
 * The bytes are unchecked. They are read in pieces, so a file that becomes shorter, or
 * whose header claims more than it has, costs neither a signal nor memory. Functions
 * that return a text return NULL, or why the file cannot be read: "it ends early".
 */

struct elf_section {
	uint64_t address; /* as the file was linked */
	uint64_t offset;  /* in the file */
	uint64_t size;
	int is_empty; /* it has no bytes in this file, as those of debug symbols */
};

/* A part of the file that is loaded. */
struct elf_segment {
	uint64_t address;
	uint64_t offset;
	uint64_t size; /* of its bytes in the file */
	int is_code;   /* it may be executed */
};

/* The loader stores an address here. */
struct elf_relocation {
	uint64_t address;
	uint64_t addend;
	uint32_t symbol;
	uint32_t is_in_place; /* the addend is the file's value there */
};

struct elf_file {
	int fd; /* of the caller */
	unsigned int word; /* size of a pointer: 4 or 8 */
	uint64_t section_headers; /* offset; 0: none */
	unsigned int section_count;
	unsigned int section_of_names;
	struct elf_segment *segments;
	size_t segment_count;
	struct elf_segment dynamic; /* size 0: none */
	struct elf_segment interpreter; /* path of the loader; size 0: none */
	struct elf_relocation *relocations; /* by address */
	size_t relocation_count;
	uint64_t symbols; /* address; 0: none */
};

/* Results of elf_file_begin() for files of other kinds. */
extern const char elf_is_no_elf[];

/* All of these bytes of a file or of memory: NULL, or why not. */
const char *file_read_at(int fd, uint64_t offset, void *to, size_t size);

/* Read the headers; elf_file_free() frees, also after a failure. */
const char *elf_file_begin(struct elf_file *file, int fd);
void elf_file_free(struct elf_file *file);

/* Find a section by name. The size is 0 if there is none. */
const char *elf_file_section(const struct elf_file *file, const char *name,
			     struct elf_section *section);

/* Read the relocations, which elf_file_pointer() needs. */
const char *elf_file_relocate(struct elf_file *file);

/* Read bytes of the loaded file. Returns how many there are, up to size. */
size_t elf_file_read(const struct elf_file *file, uint64_t address, void *to, size_t size);
/* A pointer as the loader makes it; 0, or -1 if it is not in the file. */
int elf_file_pointer(const struct elf_file *file, uint64_t address, uint64_t *pointer);

/* Functions of a program or shared object, by name, and where its file has them. */

struct elf_function {
	uint64_t offset; /* in the file */
	uint64_t size; /* in bytes; 0: not known */
	int is_chosen; /* the loader calls it to choose one of several functions (IFUNC)
			*/
	size_t others; /* functions of this name at other places */
};

/*
 * Find a function in .symtab and .dynsym. A version ("name@VERSION") does not matter.
 * NULL, or why not: near is then the nearest name, to be freed, or NULL.
 */
const char *elf_find_function(const struct elf_file *file, const char *name,
			      struct elf_function *function, char **near);
/* Whether a byte of the file is loaded as code. */
int elf_is_code(const struct elf_file *file, uint64_t offset);

/* Functions by address. */

struct elf_code {
	uint64_t address; /* as the file was linked */
	uint64_t size;	  /* 0: not known */
	const char *name;
	int rank; /* of several at one address the lowest is the best */
};

struct elf_functions {
	struct elf_code *functions; /* by address, one for each */
	size_t count;
	char *names; /* which the functions refer to */
};

/* Read those of .symtab, or without any of .dynsym. NULL, or why not; count may be 0. */
const char *elf_functions_read(const struct elf_file *file, struct elf_functions *functions);
void elf_functions_free(struct elf_functions *functions);

/* The file's build-id, of any length: its first bytes, and how many; 0: it has none. */
#define BUILD_ID_MOST 20
uint8_t elf_build_id(const struct elf_file *file, uint8_t *id);

#endif
