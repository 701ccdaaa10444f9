/* SPDX-License-Identifier: MIT */
/* The group of the probes of this tool: the system of their events. */
#ifndef UE__TOOLS_KERNEL_PROBE_PROBE_H
#define UE__TOOLS_KERNEL_PROBE_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/options.h"
#include "kernel/control/instance.h"

#define PROBE_GROUP "ue_probes"

/*
 * A definition of a probe, in the grammar of the kernel's dynamic_events:
 *
 *	p[:NAME] [MODULE:]SYMBOL[+OFFSET][%return]|ADDRESS [ARGUMENT...]
 *	r[MAXACTIVE][:NAME] [MODULE:]SYMBOL|ADDRESS [ARGUMENT...]
 *	p|r[:NAME] PATH:OFFSET|PATH:SYMBOL[+OFFSET][%return][(COUNTER)] [ARGUMENT...]
 *	e[:NAME] SYSTEM/EVENT [ARGUMENT...] [if FILTER]
 *
 * PATH:SYMBOL is an extension: the kernel takes offsets alone.
 *
 * The kernel parses it. Here it is split as far as the tool has to know: the name, by
 * which the probe is removed, and the place. The tool refuses only a definition that would
 * make a probe of another name or group, which it could not remove. It explains refusals
 * of the kernel, and warns of accepted probes that can never work.
 */

/* The kernel's MAX_EVENT_NAME_LEN, for names that are made here. */
#define PROBE_NAME_MAX 63

/* The first fault of a definition. */
struct fault {
	size_t at; /* in the definition */
	char *reason;
};

/* Returns -1. Only the first one is kept. */
int fault_at(struct fault *fault, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A part of the definition. */
struct part {
	const char *at;
	size_t length;
};

enum probe_kind {
	PROBE_FUNCTION, /* of the kernel, or of a kind that is not known here */
	PROBE_PROGRAM,
	PROBE_EVENT,
};

struct probe {
	const char *text; /* the definition */
	enum probe_kind kind;
	int is_return;
	struct part head; /* "p", "r16" */
	struct part name; /* empty: none */
	struct part place; /* all of it */
	struct part module, symbol; /* of PROBE_EVENT: system and event */
	struct part path;
	struct part suffix; /* of PROBE_PROGRAM: "%return(0x20)" */
	uint64_t offset; /* to the symbol; or in the file, if there is none */
	int is_address; /* the place is an address of the kernel */
	struct part rest; /* from the end of the place on: arguments, and a filter */
};

/* Split a definition: 0, or -1 and the fault. */
int probe_parse(struct probe *probe, const char *text, struct fault *fault);

/* Take the next word; its length is 0 at the end. */
struct part part_next(struct part *rest);
/* part_text(): to be freed. */
char *part_text(struct part part);
int part_is(struct part part, const char *text);
/* Whether it is an identifier of C. */
int part_is_name(struct part part);
/*
 * The same as the kernel's kstrtoul(text, 0): 0x..., 0... or decimal, no sign. 0 or -1.
 */
int part_number(struct part part, uint64_t *number);

/* The words of the kernel, and those that it leaves out. */

/*
 * The first part that the kernel takes for something else: -1 and the fault; or 0.
 * format: the text of the format file of the event that an eprobe is attached to.
 * knows_user_texts: whether the kernel knows which fields of user events are text.
 */
int probe_doubt(const struct probe *probe, const char *format, int knows_user_texts,
		struct fault *fault);
/*
 * The fix for a refusal whose reason and place the kernel gave, to be freed; NULL: there
 * is none to add.
 */
char *probe_hint(const struct probe *probe, const char *format,
		 const struct refusal *refusal);

/* Adds probes to the kernel, and removes them. */

/*
 * Add probes in a group. If the kernel refuses one, those before it are removed.
 * names: those of the probes are added, to be freed. 0, or -1 after a message.
 */
int probes_add(const char *directory, const char *group, const struct words *definitions,
	       struct words *names);
/* Remove one: 0, or -1 after a message. */
int probe_remove(const char *directory, const char *group, const char *name);

/*
 * Probes that last as long as a command. Their group has the command's own name
 * (kernel/control/instance.h), by which "userevents cleanup" knows whose they were.
 */

struct run_probes {
	struct words definitions;
	/* While they exist */
	const char *directory;
	char *group;
	struct words names;
};

#define RUN_PROBES_OPTION(probes)                                                     \
	{ .name = "probe", .words = &(probes).definitions, .value = "DEFINITION",      \
	  .help = "Add this probe (userevents probe --help) while the command\n"        \
		  "runs, beside other events. May be repeated." }

/*
 * Add them, and to globs those that select them, and all user events if there were none.
 * Does nothing without definitions. tracefs: NULL: the usual. 0, or -1 after a message.
 */
int run_probes_begin(struct run_probes *probes, const char *tracefs, struct words *globs);
/* Remove them. 0, or -1 after a message. */
int run_probes_end(struct run_probes *probes);

/* The probes that exist, as dynamic_events lists them. */

struct existing_probe {
	char kind; /* 'p', 'r', 'e', 'f', 't' */
	char *group;
	char *name;
	char *definition; /* the line of dynamic_events; the kernel leaves out filters */
	int is_of_program;
	int has_hits, has_misses; /* the kernel counts them */
	uint64_t hits, misses;
	struct words instances; /* where it is enabled; "" is the top one */
};

struct existing_probes {
	struct existing_probe *probes;
	size_t count;
};

/* Read all of them. directory: of tracefs. 0, or -1 after a message. */
int existing_probes_read(struct existing_probes *probes, const char *directory);
void existing_probes_free(struct existing_probes *probes);

/* NULL: there is none of this name. */
const struct existing_probe *existing_probe_find(const struct existing_probes *probes,
						 const char *group, const char *name);

/* Find out where a probe is enabled. perf does not show there. */
void existing_probe_look(struct existing_probe *probe, const char *directory);

/* Functions and data of the running kernel, as /proc/kallsyms lists them. */

struct kernel_symbols {
	char *text; /* of /proc/kallsyms; NULL: it cannot be read */
	char *blacklist; /* of debugfs; NULL: it cannot be read */
};

void kernel_symbols_read(struct kernel_symbols *symbols);
void kernel_symbols_free(struct kernel_symbols *symbols);

/*
 * Look for the function of a probe, and the symbols in its arguments: 0, or -1 and the
 * fault. Without a list of symbols nothing is a fault.
 */
int kernel_symbols_check(const struct kernel_symbols *symbols, const struct probe *probe,
			 struct fault *fault);

/* Places of probes in programs and shared objects. */

/*
 * The place of a PROBE_PROGRAM as the kernel takes it, "/PATH:0xOFFSET(COUNTER)", to be
 * freed; NULL and the fault. It reads the file, if there is a function to find.
 */
char *program_place(const struct probe *probe, struct fault *fault);
/* Whether the offset is that of code, as the kernel takes any: 0, or -1 and the fault. */
int program_place_doubt(const struct probe *probe, struct fault *fault);

#endif
