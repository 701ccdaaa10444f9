/* SPDX-License-Identifier: MIT */
/*
 * Which threads the events of an instance are recorded for: set_event_pid, or all threads
 * if that list is empty, but never those of set_event_notrace_pid. With the instance's
 * option event-fork, threads and processes that a thread of a list starts are added, and
 * those that end are removed.
 */
#ifndef UE__TOOLS_KERNEL_ENABLING_PID_LISTS_H
#define UE__TOOLS_KERNEL_ENABLING_PID_LISTS_H

#include "common/cli/options.h"
#include "kernel/control/instance.h"

struct pid_list {
	int *pids; /* of threads */
	size_t count;
};

struct pid_lists {
	struct pid_list only, except;
	int follows;
};

/* The wishes of the options. */
struct pid_wishes {
	struct words only, except; /* processes, or threads */
	int follows;
};

/*
 * Check the numbers before anything is touched, and as they are added, whether there are such
 * processes. 0, or an exit status after a message. verb: of the command.
 */
int pid_wishes_check(const struct pid_wishes *wishes, const char *verb, int adds);
/* Read the lists and the option: 0, or -1 after a message. */
int pid_lists_read(struct pid_lists *lists, const struct instance *instance);
/*
 * Whether threads can be added to lists that are like this: 0, or an exit status after a
 * message.
 */
int pid_lists_check(const struct pid_lists *lists, const struct pid_wishes *wishes);
/*
 * Add all threads of the processes; others in the lists stay. 0, or -1 after a message,
 * when the lists have been set back to before.
 */
int pid_lists_add(const struct pid_lists *before, const struct instance *instance,
		  const struct pid_wishes *wishes);
/*
 * The lists without the processes, or without any. Changes nothing. 0, or -1 after a message
 * if a list lacks one of them.
 */
int pid_lists_without(struct pid_lists *after, const struct pid_lists *before,
		      const struct pid_wishes *wishes, int has_all);
/*
 * Set lists that have fewer threads than before. 0, or -1 after a message, when they have been
 * set back. The kernel can only clear a list and then add to it, so there is a moment in which
 * it is empty. has_all: clear also lists that look empty, see pid_lists_show().
 */
int pid_lists_take_out(const struct pid_lists *after, const struct pid_lists *before,
		       const struct instance *instance, int has_all);
void pid_lists_set_back(const struct pid_lists *before, const struct instance *instance);
/* Print those of the instance. 0, or -1 after a message. */
int pid_lists_show(const struct instance *instance, int is_json);
void pid_lists_free(struct pid_lists *lists);

/* Numbers of processes and threads, as a person gives them. */

/* A decimal number of a process or thread; 0: it is none. */
int pid_of_word(const char *word);
int pid_is_in(const struct pid_list *list, int pid);
void pid_add(struct pid_list *list, int pid);
/*
 * Add all threads of a process, or one thread if the number is not that of its process.
 * Threads that the list has are not added again. Returns how many the process has now; 0: it
 * does not exist.
 */
size_t threads_add(struct pid_list *list, int pid);
/*
 * Whether processes have the numbers here that the kernel calls them by. In a container
 * they often have others.
 */
int pids_are_real(void);
/* The name of a thread, to be freed, without control characters; NULL: it does not exist. */
char *thread_name(int pid);

#endif
