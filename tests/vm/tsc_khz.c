/* SPDX-License-Identifier: MIT */
/*
 * Prints the rate of this machine's time stamp counter in kHz. A guest has the same counter, and
 * would measure its rate by timers that QEMU emulates: on a busy machine this gave a quarter of
 * the rate, and all clocks of the guest ran four times too fast.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct moment {
	uint64_t ns, ticks;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

/* The reading that took the shortest time, as this process may be interrupted in any. */
static struct moment read_both(void)
{
	struct moment best = {0};
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		uint64_t before = now(), ticks = __rdtsc(), took = now() - before;

		if (took < shortest) {
			shortest = took;
			best = (struct moment){before + took / 2, ticks};
		}
	}
	return best;
}

int main(void)
{
	struct moment start = read_both(), end;

	nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	end = read_both();
	printf("%ju\n", (uintmax_t)((end.ticks - start.ticks) * 1000000 / (end.ns - start.ns)));
}
