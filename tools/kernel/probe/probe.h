/* SPDX-License-Identifier: MIT */
/* The group of the probes of this tool: the system of their events. */
#ifndef UE__TOOLS_KERNEL_PROBE_GRAMMAR_PROBE_H
#define UE__TOOLS_KERNEL_PROBE_GRAMMAR_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "common/cli/options.h"

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
 * Everything is checked before the kernel sees it. The kernel reports a wrong definition
 *by errno, and by a few words in error_log, and accepts some that can never work: a
 *second event of the same name joins the first, "r5:NAME PATH:OFFSET" loses its name, a
 *'#' cuts off the rest, and an address @SYMBOL may be one that does not exist.
 */

/* As the kernel's MAX_EVENT_NAME_LEN and MAX_TRACE_ARGS. */
#define PROBE_NAME_MAX 63
#define PROBE_ARGUMENTS_MAX 128

/* The first fault of a definition. */
struct fault {
	size_t at; /* in the definition */
	char *reason;
};

/* Returns -1. Only the first one is kept. */
int fault_at(struct fault *fault, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The kernel's grammar, as its README describes it. */
struct grammar {
	int has_char;
	int has_symstr;
	int has_dentry; /* %pd and %pD */
	int has_entry_arguments; /* $argN in return probes */
	int has_variables; /* arguments of functions by name (BTF) */
	int knows_user_texts; /* in user events */
};
void grammar_read(struct grammar *grammar, const char *readme);

/* A part of the definition. */
struct part {
	const char *at;
	size_t length;
};

enum probe_kind {
	PROBE_FUNCTION, /* of the kernel */
	PROBE_PROGRAM,
	PROBE_EVENT,
};

struct probe {
	const char *text; /* the definition */
	enum probe_kind kind;
	int is_return;
	uint64_t maxactive; /* 0: the usual */
	struct part name; /* empty: none */
	struct part place; /* all of it */
	struct part module, symbol; /* of PROBE_EVENT: system and event */
	struct part path;
	struct part counter; /* "(0x20)" */
	uint64_t offset; /* to the symbol; or in the file, if there is none */
	int is_address; /* offset is an address of the kernel */
	struct part arguments[PROBE_ARGUMENTS_MAX];
	size_t argument_count;
	struct part filter; /* to the end of the text */
};

/* Split a definition, and check all but the arguments: 0, or -1 and the fault. */
int probe_parse(struct probe *probe, const char *text, struct fault *fault);

/*
 * Check the arguments. format: the text of the format file of the event that an eprobe is
 * attached to; NULL for other probes. 0, or -1 and the fault.
 */
int probe_check_arguments(const struct probe *probe, const struct grammar *grammar,
			  const char *format, struct fault *fault);

/* part_text(): to be freed. */
char *part_text(struct part part);
int part_is(struct part part, const char *text);
/* Whether it is an identifier of C. */
int part_is_name(struct part part);
/* As the kernel's kstrtoul(text, 0): 0x..., 0... or decimal, no sign. 0 or -1. */
int part_number(struct part part, uint64_t *number);

#endif
