/* SPDX-License-Identifier: MIT */
/* Reports events that a running process has and did not register. */
#include <string.h>

#include "cli/memory.h"
#include "cli/message.h"
#include "process/process_losses.h"
#include "report.h"

#define NAMES_SHOWN 10

static void report_missing(struct doctor *doctor, const char *who, const struct words *names,
			   int is_open)
{
	const char *fact = who;

	for (size_t i = 0; i < names->count && i < NAMES_SHOWN; i++)
		fact = xprintf("%s%s %s", fact, i ? "," : ":", names->items[i]);
	doctor_problem(doctor, "events", UE_ANSWER_NO,
		       names->count > NAMES_SHOWN ? xprintf("%s, ...", fact) : fact, is_open ?
		       "the program has to call ue_register_all(), again after it loaded a "
		       "shared object; ue_register_all_report() names the errors" :
		       "it has no descriptor: it did not call ue_open(), or that failed; "
		       "without --pid, doctor reports why it can fail", NULL);
}

static int check(const struct process *process, void *context)
{
	struct process_losses *losses = process_losses_read(process->pid, 1);
	const char *who = xprintf("Process %d (%s)", (int)process->pid, process->name);
	struct doctor *doctor = context;
	size_t known = 0;

	for (size_t i = 0; i < losses->module_count && !losses->error; i++) {
		const struct module_events *module = &losses->modules[i];
		size_t count = module->count, missing = module->unregistered.count;

		known += count;
		if (module->error)
			doctor_note(doctor, "events", UE_ANSWER_UNKNOWN,
				    xprintf("%s has %s, which cannot be read (%s)", who,
					    module->path, strerror(module->error)),
				    "it may have events that are not registered", NULL);
		else if (missing)
			report_missing(doctor, xprintf("%s has not registered %zu of %zu events "
						       "in %s", who, missing, count, module->path),
				       &module->unregistered, losses->count > 0);
		else if (count)
			doctor_note(doctor, "events", UE_ANSWER_YES,
				    xprintf("%s has registered all events in %s (%zu)", who,
					    module->path, count), NULL, NULL);
	}
	if (!losses->error && !known)
		doctor_note(doctor, "events", UE_ANSWER_NOT_ASKED,
			    xprintf("%s has no UE_EVENT() or UE_TRACEPOINT()", who),
			    "events that a program makes at run time are not checked", NULL);
	if (losses->error)
		message("cannot read process %d (%s): %s", (int)process->pid, process->name,
			process_losses_reason(losses->error));
	doctor->problems += losses->error != 0;
	process_losses_free(losses);
	return 0;
}

void doctor_processes(struct doctor *doctor, const struct words *processes)
{
	doctor->problems += processes_find(processes, check, doctor) < 0;
}
