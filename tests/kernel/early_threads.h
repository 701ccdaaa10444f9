/* SPDX-License-Identifier: MIT */
/*
 * Threads that existed before the library could reach the kernel.
 *
 * With the argument "late" the program starts itself again where tracefs is not mounted;
 * main() starts the threads, and then mounts it. Without the argument, the library has
 * reached the kernel before main().
 */
#ifndef UE__TESTS_KERNEL_EARLY_THREADS_H
#define UE__TESTS_KERNEL_EARLY_THREADS_H

/* First of all in main(). */
void start_early_threads(int argc, char **argv);

/* The number of attempts at a race: 200, and fewer with "late", which must make no
 * difference. */
extern int rounds;

/* Calls a function in such a thread, which then continues, or ends. */
void *in_early_thread(void *(*function)(void *), void *argument);
void *in_early_thread_that_ends(void *(*function)(void *), void *argument);

/* Calls a function in a new thread, which then ends. */
void *in_new_thread(void *(*function)(void *), void *argument);

#endif
