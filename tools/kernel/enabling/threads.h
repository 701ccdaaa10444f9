/* SPDX-License-Identifier: MIT */
/* Numbers of processes and threads, as a person gives them. */
#ifndef UE__TOOLS_ENABLING_THREADS_H
#define UE__TOOLS_ENABLING_THREADS_H

#include "pid_lists.h"

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
