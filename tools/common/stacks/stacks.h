/* SPDX-License-Identifier: MIT */
/*
 * Code that processes have mapped, and the functions there.
 *
 * A stack is a list of addresses of one process (struct stack_frame,
 * common/records/tracepoint.h). The records of a recording say which files it had mapped.
 * So an address becomes a module and an offset at once, while the mappings are those of
 * the event, and a function only when somebody wants its name.
 */
#ifndef UE__TOOLS_COMMON_STACKS_STACKS_H
#define UE__TOOLS_COMMON_STACKS_STACKS_H

#include <stddef.h>
#include <stdint.h>
#include <userevents/capture.h>

#include "common/cli/key_table.h"
#include "common/cli/memory.h"
#include "common/process/process_losses.h"
#include "common/records/tracepoint.h"

/* The identity of a mapped file: the build-id if it is known, else the inode; 0: not known. */
struct module_identity {
	uint8_t build_id[BUILD_ID_MOST];
	uint8_t build_id_size;
	uint64_t inode;
	/*
	 * When it was found mapped, in nanoseconds since 1970; 0: not known. A compiler may give a
	 * new file the inode of the one before, and that has changed since then.
	 */
	int64_t seen;
};

struct module_functions;

/* A program, a library, or memory with another name. Modules stay until the tool ends. */
struct module {
	const char *path;
	struct module_identity identity;
	struct module_functions *functions; /* read when the first name is wanted */
};

/*
 * The one with this path and identity; made if need be. Their memory is bounded: those that are
 * too many share one that has no file.
 */
struct module *module_of(const char *path, size_t length,
			 const struct module_identity *identity);

/* One that was made of this path and inode before, or NULL. */
struct module *module_known(const char *path, uint64_t inode);

/* A part of a module with code, as a process has it mapped. */
struct code_map {
	uint64_t begin, end;
	uint64_t offset; /* in the file */
	uint64_t time; /* of the mapping; 0: before all events */
	struct module *module;
};

struct mapped_process;

/*
 * The mappings of all processes, each of which has a number: its pid, unless the
 * recording tells processes of equal pids apart. Zero it before the first use.
 */
struct code_maps {
	struct mapped_process *processes;
	uint32_t count;
	struct key_table by_number;
	size_t map_count; /* of all */
	uint32_t ended; /* of the processes */
	uint64_t uses; /* counts */
};

/*
 * Processes map code, begin as copies of others, and run other programs. Times are those of
 * records, which may come a little late: a change is ignored if a later one made it void.
 */
void code_maps_add(struct code_maps *maps, uint64_t process, const struct code_map *map);
void code_maps_fork(struct code_maps *maps, uint64_t parent, uint64_t child,
		    uint64_t time);
void code_maps_exec(struct code_maps *maps, uint64_t process, uint64_t time);
/*
 * When there are too many mappings, processes that ended are forgotten; if few have,
 * those that were not asked for for the longest time.
 */
void code_maps_exit(struct code_maps *maps, uint64_t process);
/* Find the module of frame->address. A call lies in front of the address that it returns to. */
void code_maps_find(struct code_maps *maps, uint64_t process, int is_return,
		    struct stack_frame *frame);
/* Call see() for each mapping of a process that has not ended. */
void code_maps_each(const struct code_maps *maps,
		    void (*see)(void *context, uint64_t process,
				const struct code_map *map),
		    void *context);
void code_maps_free(struct code_maps *maps);

/* The code that a process has mapped now, from /proc; none if this user may not read it. */
void code_maps_read(struct code_maps *maps, uint32_t pid);

/* Functions */

/*
 * The function of a frame, or NULL; *inside is the distance from its beginning. The name is of
 * a file, and may hold anything.
 */
const char *frame_function(const struct stack_frame *frame, uint64_t *inside);
/*
 * The stack of a record from the function that wrote the event, of as many frames as were
 * asked for.
 */
struct program_stack {
	const struct stack_frame *frames;
	uint32_t count;
};

struct program_stack stack_of_program(const struct record *record);

#define SHORT_STACKS_PROGRAMS 64u

struct stacks_of_program {
	char name[17];
	uint64_t all, shorts;
};

/* Short stacks of programs; those of more programs are not counted. Zero it first. */
struct short_stacks {
	struct stacks_of_program programs[SHORT_STACKS_PROGRAMS];
	uint32_t count;
};

void short_stacks_note(struct short_stacks *stacks, const struct record *record);
/* A sentence, with the fix, if most stacks of a program are short; else NULL. */
char *short_stacks_text(const struct short_stacks *stacks);

/*
 * A name to show: the function, else "MODULE+0xOFFSET", else the address. Control characters
 * are gone.
 */
void frame_put_name(struct bytes *to, const struct stack_frame *frame);
/* "    7f12 handle+0x1f (/usr/bin/shop)", a line for each frame of the program. */
void stack_put_text(struct bytes *to, const struct record *record);
/* "key":[{"ip":"0x7f12","symbol":"handle","offset":31,"module":"/usr/bin/shop"}, ...] */
void stack_put_json(struct bytes *to, const char *key, const struct record *record);
/* Report the modules whose functions were wanted, and cannot be named. */
void modules_report(void);

/* Stacks of events of a ring or a capture, and the mappings that their processes describe. */

#define RING_FRAMES_MOST 132u

/* Zero it before the first use. */
struct ring_stacks {
	struct code_maps code;
	struct stack_frame *frames; /* of the last record */
};

/* The stack of an event. */
struct ring_stack {
	uint64_t process; /* the same for no two processes; their pids may be */
	const uint64_t *addresses;
	uint32_t count;
	uint32_t asked; /* frames of the program, at most */
	int is_cut;
};

struct ring_stack ring_stack_of(const struct ue_captured *event);

/*
 * Take a record and its stack, in the order of times: 1, and the record has its frames, which
 * stay until the next call; or 0 if it is no event of the program, but describes its code.
 */
int ring_stacks_take(struct ring_stacks *stacks, struct record *record,
		     const struct ring_stack *stack);
/* Whether events of a tracepoint are the program's. */
int ring_stacks_is_event(const struct tracepoint *tracepoint);
/* Whether events with a definition describe code. */
int ring_stacks_describes(const char *definition);
/* The events of a page that describe no code: those of the program. */
uint32_t ring_stacks_events(const struct ue_captured_page *page);
void ring_stacks_free(struct ring_stacks *stacks);

#endif
