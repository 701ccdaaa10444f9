/* SPDX-License-Identifier: MIT */
/*
 * Starts threads that end at once, one after the other:
 *
 *	short_threads NUMBER
 */
#include <pthread.h>
#include <stdlib.h>

static void *end(void *nothing)
{
	return nothing;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	for (int left = argc == 2 ? atoi(argv[1]) : 0; left > 0; left--)
		if (pthread_create(&thread, NULL, end, NULL) || pthread_join(thread, NULL))
			return 1;
	return 0;
}
