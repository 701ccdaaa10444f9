/* SPDX-License-Identifier: MIT */
/* Adds probes: names them, writes them into dynamic_events, and explains refusals. */
#include "probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/message.h"
#include "common/cli/memory.h"
#include "common/cli/program.h"
#include "kernel/control/instance.h"
#include "kernel/tracefs/tracing_files.h"

struct adding {
	const char *directory, *group;
	struct kernel_symbols symbols;
	struct existing_probes existing;
	const struct words *names; /* of the probes before this one */
};

struct addition {
	struct probe probe;
	char *name;
	char *line;
};

static void complain(const char *definition, struct fault *fault)
{
	message("cannot add a probe: %s", fault->reason);
	message_caret(definition, fault->at);
	free(fault->reason);
}

/* Names */

static int is_taken(const struct adding *adding, const char *name)
{
	for (size_t i = 0; i < adding->names->count; i++)
		if (!strcmp(adding->names->items[i], name))
			return 1;
	return existing_probe_find(&adding->existing, adding->group, name) != NULL;
}

/* A name of the place: function, program_function, with the offset and "_return". */
static char *base_name(const struct probe *probe)
{
	const struct part path = probe->path;
	const char *slash = path.length ? memrchr(path.at, '/', path.length) : NULL;
	const char *file = slash ? slash + 1 : "";
	const int file_length = slash ? (int)(path.at + path.length - file) : 0;
	AUTO_FREE char *symbol = part_text(probe->symbol);
	char offset[24] = "";

	if (probe->offset)
		snprintf(offset, sizeof(offset), "%s0x%llx", *symbol ? "_" : "",
			 (unsigned long long)probe->offset);
	return xprintf("%s%.*s%s%.40s%s%s", probe->is_address ? "at_" : "", file_length,
		       file, slash ? "_" : "", symbol, offset,
		       probe->is_return ? "_return" : "");
}

/* Leave room for a number. */
#define AUTOMATIC_MAX (PROBE_NAME_MAX - 5)

static char *automatic_name(const struct adding *adding, const struct probe *probe)
{
	char *base = base_name(probe), *name;
	size_t length = strlen(base),
	       from = length > AUTOMATIC_MAX ? length - AUTOMATIC_MAX : 0;

	for (size_t i = 0; i < length; i++)
		if (!part_is_name((struct part){ (char[]){ 'a', base[i] }, 2 }))
			base[i] = '_';
	name = xprintf("%s%s", base[from] >= '0' && base[from] <= '9' ? "_" : "",
		       base + from);
	for (unsigned i = 2; is_taken(adding, name) && i < 10000; i++) {
		free(name);
		name = xprintf("%s_%u", base + from, i);
	}
	free(base);
	return name;
}

static int choose_name(const struct adding *adding, const struct probe *probe,
		       struct addition *addition, struct fault *fault)
{
	if (!probe->name.length) {
		addition->name = automatic_name(adding, probe);
		return 0;
	}
	addition->name = part_text(probe->name);
	if (!is_taken(adding, addition->name))
		return 0;
	return fault_at(fault, (size_t)(probe->name.at - probe->text),
			"there is a probe \"%s\", "
			"which a second definition would join; give another name, or "
			"\"userevents probe delete %s\" first",
			addition->name, addition->name);
}

/* Lines for the kernel */

/* The place as the kernel takes it, to be freed; NULL and the fault. */
static char *place_text(const struct probe *probe, struct fault *fault)
{
	return probe->kind == PROBE_PROGRAM ? program_place(probe, fault) :
					      part_text(probe->place);
}

static int compose(const struct adding *adding, struct addition *addition,
		   struct fault *fault)
{
	const struct probe *probe = &addition->probe;
	AUTO_FREE char *place = place_text(probe, fault);

	if (!place)
		return -1;
	addition->line = xprintf("%.*s:%s/%s %s%.*s", (int)probe->head.length,
				 probe->head.at, adding->group, addition->name, place,
				 (int)probe->rest.length, probe->rest.at);
	return 0;
}

/* Explanations */

static char *read_format(const struct adding *adding, const struct probe *probe)
{
	AUTO_FREE char *path = xprintf("%s/events/%.*s/%.*s/format", adding->directory,
				       (int)probe->module.length, probe->module.at,
				       (int)probe->symbol.length, probe->symbol.at);

	return read_file(path, NULL);
}

static char *nearest_event(const struct adding *adding, const char *typed)
{
	AUTO_FREE char *path = tracing_path(adding->directory, "available_events");
	char *text = read_file(path, NULL), *rest = text, *line, *result;
	struct words names = { 0 };
	const char *near;

	while (rest && (line = strsep(&rest, "\n"))) {
		char *colon = strchr(line, ':');

		if (colon)
			*colon = '/';
		words_add(&names, line);
	}
	near = nearest(typed, names.items, names.count, sizeof(*names.items));
	result = near ? xstrdup(near) : NULL;
	free(names.items);
	free(text);
	return result;
}

static int complain_of_event(const struct adding *adding, const struct probe *probe,
			     struct fault *fault)
{
	AUTO_FREE char *typed = part_text(probe->place),
		       *near = nearest_event(adding, typed);
	const size_t at = (size_t)(probe->place.at - probe->text);

	if (near)
		fault_at(fault, at, "there is no event %s; did you mean \"%s\"?", typed,
			 near);
	else
		fault_at(fault, at,
			 "there is no event %s; a user event must be registered first",
			 typed);
	return -1;
}

/* The kernel says of other probes that they do not exist. */
static int explain_event(const struct adding *adding, const struct probe *probe,
			 const char *format, struct fault *fault)
{
	AUTO_FREE char *system = part_text(probe->module),
		       *name = part_text(probe->symbol);
	int is_probe = existing_probe_find(&adding->existing, system, name) != NULL;

	if (is_probe)
		return fault_at(fault, (size_t)(probe->place.at - probe->text),
				"the event is that of "
				"a probe, to which the kernel attaches no other");
	return format ? 0 : complain_of_event(adding, probe, fault);
}

static int prepare(const struct adding *adding, const char *definition,
		   struct addition *addition)
{
	struct fault fault;

	if (!probe_parse(&addition->probe, definition, &fault) &&
	    !choose_name(adding, &addition->probe, addition, &fault) &&
	    !compose(adding, addition, &fault))
		return 0;
	complain(definition, &fault);
	return -1;
}

/* Adding */

static int begin(struct adding *adding, const char *directory, const char *group,
		 const struct words *names)
{
	*adding =
		(struct adding){ .directory = directory, .group = group, .names = names };
	if (existing_probes_read(&adding->existing, directory))
		return -1;
	kernel_symbols_read(&adding->symbols);
	return 0;
}

/* If the kernel has no words for it. */
static const char *reason_of(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return "only root may do that, or the owner of tracefs";
	case EEXIST:
		return "there is an event of this name";
	case E2BIG:
		return "it has too many arguments; kernels up to Linux 6.12 take 128";
	case ENOENT:
		return "this kernel cannot make this kind of probe, or the place does "
		       "not exist";
	default:
		return strerror(error);
	}
}

static int is_about_place(const struct addition *addition, const struct refusal *refusal)
{
	const char *place = strchr(addition->line, ' '), *end = strchr(place + 1, ' ');
	const size_t length =
		end ? (size_t)(end - addition->line) : strlen(addition->line);

	return !refusal->reason || refusal->at <= length;
}

/* TRACING_FEATURES: a kind that only the kernel may know. */
static enum tracing_feature feature_of(const struct probe *probe)
{
	switch (*probe->head.at) {
	case 'p':
	case 'r':
		return probe->kind == PROBE_PROGRAM ? TRACING_UPROBES : TRACING_KPROBES;
	case 'e':
		return TRACING_EVENT_PROBES;
	case 'f':
		return TRACING_FPROBES;
	case 't':
		return TRACING_TRACEPOINT_PROBES;
	default:
		return TRACING_FEATURES;
	}
}

static void report(const struct addition *addition, const char *format,
		   const struct refusal *refusal)
{
	AUTO_FREE char *verb = xprintf("add the probe %s", addition->name);
	AUTO_FREE char *hint = refusal->reason && refusal->command &&
					       refusal->at <= strlen(refusal->command) ?
				       probe_hint(&addition->probe, format, refusal) :
				       NULL;

	if (refusal->reason && strstr(refusal->reason, "No matching dynamic event type")) {
		message("cannot %s: this kernel has no probes of the kind \"%c\"; event probes, e, "
			"may need CONFIG_EPROBE_EVENTS, and f and t CONFIG_FPROBE_EVENTS", verb,
			*addition->probe.head.at);
	} else if (hint) {
		message("cannot %s: %s; %s", verb, refusal->reason, hint);
		message_caret(refusal->command, refusal->at);
	} else if (refusal->reason) {
		refusal_report(refusal, verb);
	} else {
		message("cannot %s: %s%s", verb, reason_of(refusal->error),
			addition->probe.kind != PROBE_EVENT || refusal->error != EINVAL ? "" :
			"; perhaps the kernel was built without CONFIG_EPROBE_EVENTS, which newer "
			"ones have");
	}
}

static void explain_place(const struct adding *adding, const struct probe *probe,
			  const char *format, struct fault *fault)
{
	const struct part place = probe->place;

	if (!strchr("preft", *probe->head.at))
		fault_at(
			fault, 0,
			"the kernel has no kind \"%.*s\" of probes; a definition begins "
			"with \"p\" (a function's entry or a place), \"r\" (its return), "
			"\"f\" (a function, faster), \"t\" (a tracepoint) or \"e\" (an event)",
			(int)probe->head.length, probe->head.at);
	else if (probe->kind == PROBE_EVENT && probe->symbol.length)
		explain_event(adding, probe, format, fault);
	else if (probe->kind == PROBE_FUNCTION && place.length &&
		 memchr(place.at, '/', place.length))
		fault_at(fault, (size_t)(place.at + place.length - probe->text),
			 ":OFFSET or :FUNCTION must follow a path");
	else
		kernel_symbols_check(&adding->symbols, probe, fault);
}

/* The kernel has few reasons for a place, so look for the function or event here. */
static void explain(const struct adding *adding, const struct addition *addition,
		    const struct refusal *refusal)
{
	const struct probe *probe = &addition->probe;
	AUTO_FREE char *format =
		probe->kind == PROBE_EVENT ? read_format(adding, probe) : NULL;
	struct fault fault = { 0 };

	if (refusal->error != EACCES && refusal->error != EPERM &&
	    is_about_place(addition, refusal))
		explain_place(adding, probe, format, &fault);
	if (!fault.reason && !refusal->reason)
		probe_doubt(probe, format, 1, &fault);
	if (fault.reason)
		complain(probe->text, &fault);
	else
		report(addition, format, refusal);
}

/* Warn of words that the kernel misread. */
static void doubt(const struct adding *adding, const struct addition *addition)
{
	const struct probe *probe = &addition->probe;
	AUTO_FREE char *format =
		probe->kind == PROBE_EVENT ? read_format(adding, probe) : NULL;
	struct fault fault = { 0 };

	/* since this version, fields of user events have the types of their text */
	if (!probe_doubt(probe, format, kernel_version() >= 6004, &fault) &&
	    !kernel_symbols_check(&adding->symbols, probe, &fault) &&
	    probe->kind == PROBE_PROGRAM)
		program_place_doubt(probe, &fault);
	if (fault.reason) {
		message("doubtful probe: %s", fault.reason);
		message_caret(probe->text, fault.at);
	}
	free(fault.reason);
}

/* The kernel is asked after a refusal, as only that is certain. */
static int lacks_kind(const struct adding *adding, const struct addition *addition)
{
	const enum tracing_feature feature = feature_of(&addition->probe);
	AUTO_FREE char *verb = xprintf("add the probe %s", addition->name);

	return feature != TRACING_FEATURES &&
	       tracing_lacks(adding->directory, feature, verb);
}

static int add(const struct adding *adding, const struct addition *addition)
{
	AUTO_FREE char *path = tracing_path(adding->directory, "dynamic_events");
	AUTO(refusal_free) struct refusal refusal;
	int result = control_try(adding->directory, path, addition->line, &refusal);

	if (result && !lacks_kind(adding, addition))
		explain(adding, addition, &refusal);
	return result ? -1 : 0;
}

static int prepare_all(struct adding *adding, const struct words *definitions,
		       struct addition *additions, struct words *names)
{
	for (size_t i = 0; i < definitions->count; i++) {
		if (prepare(adding, definitions->items[i], &additions[i]))
			return -1;
		words_add(names, additions[i].name);
	}
	return 0;
}

static int add_all(const struct adding *adding, const struct addition *additions,
		   size_t count)
{
	size_t i = 0, added;
	sigset_t before;

	signals_hold(&before);
	while (i < count && !add(adding, &additions[i]))
		i++;
	added = i;
	while (added < count && i)
		probe_remove(adding->directory, adding->group, additions[--i].name);
	sigprocmask(SIG_SETMASK, &before, NULL);
	for (i = 0; i < count && added == count; i++)
		doubt(adding, &additions[i]);
	return added < count ? -1 : 0;
}

int probes_add(const char *directory, const char *group, const struct words *definitions,
	       struct words *names)
{
	AUTO_FREE struct addition *additions =
		xcalloc(definitions->count + 1, sizeof(*additions));
	struct words added = { 0 };
	struct adding adding;
	int result = begin(&adding, directory, group, &added);

	if (!result)
		result = prepare_all(&adding, definitions, additions, &added);
	if (!result)
		result = add_all(&adding, additions, definitions->count);
	for (size_t i = 0; i < definitions->count; i++) {
		free(additions[i].line);
		if (result)
			free(additions[i].name);
		else
			words_add(names, additions[i].name);
	}
	free(added.items);
	existing_probes_free(&adding.existing);
	kernel_symbols_free(&adding.symbols);
	return result;
}

/* Adds probes for one run of a command, and removes them. */

int run_probes_begin(struct run_probes *probes, const char *tracefs, struct words *globs)
{
	if (!probes->definitions.count)
		return 0;
	probes->directory = tracing_find(tracefs);
	if (!probes->directory)
		return -1;
	probes->group = own_name("probes");
	if (probes_add(probes->directory, probes->group, &probes->definitions, &probes->names))
		return -1;
	if (!globs->count)
		words_add(globs, "*");
	words_add(globs, xprintf("%s:*", probes->group));
	return 0;
}

int run_probes_end(struct run_probes *probes)
{
	int result = 0;

	for (size_t i = 0; i < probes->names.count; i++)
		result |= probe_remove(probes->directory, probes->group,
				       probes->names.items[i]);
	free(probes->group);
	probes->group = NULL;
	probes->names.count = 0;
	return result;
}
