/* SPDX-License-Identifier: MIT */
/* Reports events that a running process has and did not register. */
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/process/process_losses.h"
#include "report.h"

static void report_missing(struct doctor *doctor, const char *who,
			   const struct module_events *module, int is_open)
{
	const char *fact = xprintf("%s has not registered %zu of %zu events in %s", who,
				   module->missing, module->count, module->path);

	for (size_t i = 0; i < module->names.count; i++)
		fact = xprintf("%s%s %s", fact, i ? "," : ":", module->names.items[i]);
	if (module->missing > module->names.count)
		fact = xprintf("%s, ...", fact);
	doctor_problem(doctor, "events", UE_ANSWER_NO, fact, is_open ?
		       "the program has to call ue_register_all(), again after it loaded a "
		       "shared object; ue_register_all_report() names the errors" :
		       "it has no descriptor: it did not call ue_open(), or that failed; "
		       "without --pid, doctor reports why it can fail", NULL);
}

static int by_name(const void *a, const void *b)
{
	const char *one = *(const char *const *)a, *other = *(const char *const *)b;
	const size_t length = strcspn(one, " "), others = strcspn(other, " ");
	const int order = memcmp(one, other, length < others ? length : others);

	return order ? order : (length > others) - (length < others);
}

#define NAMESAKES_SHOWN 10

/* A process can register one of several events of a name. registered: sorted. */
static void report_namesakes(struct doctor *doctor, const char *who,
			     const struct module_events *module, const struct words *registered)
{
	size_t shown = 0;

	for (size_t i = 0; i < module->unregistered.count && shown < NAMESAKES_SHOWN; i++) {
		const char *one = module->unregistered.items[i];
		const char **other = registered->count ?
			bsearch(&one, registered->items, registered->count,
				sizeof(*registered->items), by_name) : NULL;

		if (!other || !strcmp(*other, one))
			continue;
		shown++;
		doctor_problem(doctor, "events", UE_ANSWER_NO,
			       xprintf("%s cannot register \"%s\" of %s: \"%s\" has its name, and "
				       "other fields", who, one, module->path, *other),
			       "one of them needs another name", NULL);
	}
}

static void report_module(struct doctor *doctor, const char *who,
			  const struct module_events *module, int is_open)
{
	if (module->why)
		doctor_note(doctor, "events", UE_ANSWER_UNKNOWN,
			    xprintf("%s has %s, which cannot be read (%s)", who, module->path,
				    module->why),
			    "it may have events that are not registered", NULL);
	if (module->missing)
		report_missing(doctor, who, module, is_open);
	else if (module->count && !module->why)
		doctor_note(doctor, "events", UE_ANSWER_YES,
			    xprintf("%s has registered all events in %s (%zu)", who,
				    module->path, module->count), NULL, NULL);
}

static int check(const struct process *process, void *context)
{
	struct process_losses *losses = process_losses_read(process->pid, 1);
	const char *who = xprintf("Process %d (%s)", (int)process->pid, process->name);
	struct doctor *doctor = context;
	int is_any = losses->error != 0;

	if (losses->registered.count)
		qsort(losses->registered.items, losses->registered.count,
		      sizeof(*losses->registered.items), by_name);
	for (size_t i = 0; i < losses->module_count; i++) {
		const struct module_events *module = &losses->modules[i];

		is_any |= module->why || module->count;
		/* a list that could not be read may have a descriptor */
		report_module(doctor, who, module, losses->count || losses->error);
		report_namesakes(doctor, who, module, &losses->registered);
	}
	if (!is_any)
		doctor_note(doctor, "events", UE_ANSWER_NOT_ASKED,
			    xprintf("%s has no UE_EVENT() or UE_TRACEPOINT()", who),
			    "events that a program makes at run time are not checked", NULL);
	if (losses->error)
		message("cannot read process %d (%s): %s", (int)process->pid, process->name,
			process_losses_reason(losses->error));
	doctor_rings_of(doctor, process->pid, who);
	doctor->problems += losses->error != 0;
	process_losses_free(losses);
	return 0;
}

void doctor_processes(struct doctor *doctor, const struct words *processes)
{
	doctor->problems += processes_find(processes, check, doctor) < 0;
}
