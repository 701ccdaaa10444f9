/* SPDX-License-Identifier: MIT */
/*
 * Threads that were there before the library could talk to the kernel.
 *
 * "late" as the program's argument starts it anew where tracefs is not mounted; main()
 * starts the threads, and mounts it then. Without it, the library has seen the kernel
 * before main() began.
 */
#ifndef UE__TESTS_KERNEL_EARLY_THREADS_H
#define UE__TESTS_KERNEL_EARLY_THREADS_H

/* First of all in main(). */
void start_early_threads(int argc, char **argv);

/* How often to try a race: 200 times; late, to see that it makes no difference, fewer. */
extern int rounds;

/* Call a function in such a thread, which goes on, or ends. */
void *in_early_thread(void *(*function)(void *), void *argument);
void *in_early_thread_that_ends(void *(*function)(void *), void *argument);

/* In a thread of now, which ends. */
void *in_new_thread(void *(*function)(void *), void *argument);

#endif
