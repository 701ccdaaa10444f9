/* SPDX-License-Identifier: MIT */
/*
 * Does random operations on the files of user_events from several processes and threads,
 * and ends with the number of operations by kind and result, and a verdict, as TAP. What
 * the kernel says about it is for scripts/vm to see.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "exerciser.h"

int is_tame, is_6_1, with_faults;
struct shared *shared;

static uint64_t seed;
static unsigned seconds = 20, no_faults;
static uint64_t operations; /* or so many, if not 0 */
static unsigned generation; /* of worker processes */
static pid_t workers[PROCESSES];

static const char usage[] =
	"usage: exerciser [--seed N] [--seconds N|--operations N] [--tame] [--no-faults]\n"
	"\n"
	"Does random operations on the files of user_events. Needs root, and a kernel\n"
	"without other users: it deletes all user_events. With --tame it leaves out what\n"
	"stock kernels are known to crash on. A seed repeats the choices of each worker,\n"
	"not the order in which the workers run.\n";

static unsigned long number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);

	if (end == text || *end) {
		fprintf(stderr, "exerciser: cannot read %s: not a number\n%s", text,
			usage);
		exit(2);
	}
	return value;
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", 1, NULL, 's' },	{ "seconds", 1, NULL, 'n' },
		{ "operations", 1, NULL, 'o' }, { "tame", 0, NULL, 't' },
		{ "no-faults", 0, NULL, 'f' },	{ "idle", 0, NULL, 'i' },
		{ "help", 0, NULL, 'h' },	{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 's':
			seed = number(optarg);
			break;
		case 'n':
			seconds = (unsigned)number(optarg);
			break;
		case 'o':
			operations = number(optarg);
			break;
		case 't':
			is_tame = 1;
			break;
		case 'f':
			no_faults = 1;
			break;
		case 'i':
			exit(0);
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
}

static void start_worker(unsigned number)
{
	uint64_t own = seed * 1000003 + (uint64_t)++generation * SLOTS;

	fflush(stdout);
	workers[number] = fork();
	if (!workers[number])
		live(own, number);
	if (workers[number] < 0) {
		perror("exerciser: cannot fork");
		exit(1);
	}
}

/* A worker may end by itself, or by a signal for want of memory. */
static void replace_dead(void)
{
	int status;
	pid_t pid = waitpid(-1, &status, WNOHANG);

	for (unsigned i = 0; i < PROCESSES; i++)
		if (pid > 0 && workers[i] == pid) {
			workers[i] = 0;
			if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
				fputs("# a worker cannot start\n", stdout);
			if (!shared->is_over)
				start_worker(i);
		}
}

static int any_left(void)
{
	for (unsigned i = 0; i < PROCESSES; i++)
		if (workers[i])
			return 1;
	return 0;
}

static int is_enough(uint64_t begin)
{
	uint64_t done = 0;

	for (unsigned i = 0; i < SLOTS; i++)
		done += shared->heartbeats[i].operations;
	return operations ? done >= operations : now() - begin >= seconds;
}

/* 0 if all workers ended in time. */
static int run(void)
{
	uint64_t begin = now();

	for (unsigned i = 0; i < PROCESSES; i++)
		start_worker(i);
	do {
		usleep(20000);
		if (is_enough(begin))
			shared->is_over = 1;
		replace_dead();
		if (is_any_hanging())
			return -1;
	} while (any_left());
	return 0;
}

static void prepare(void)
{
	struct utsname name;

	uname(&name);
	is_6_1 = !strncmp(name.release, "6.1.", 4);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || access(TRACING "user_events_data", W_OK)) {
		fputs("exerciser: cannot write to " TRACING
		      "user_events_data; run it as root "
		      "in scripts/vm\n",
		      stderr);
		exit(1);
	}
	list_kinds();
	prepare_faults();
	if (no_faults)
		with_faults = 0;
	forget_leaks();
	printf("# Linux %s, --seed %lu%s, faults injected: %s\n", name.release,
	       (unsigned long)seed, is_tame ? " --tame" : "", with_faults ? "yes" : "no");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int failed, left;

	seed = (uint64_t)time(NULL);
	parse(argc, argv);
	prepare();
	if (run()) {
		verdict(0, "nothing_hangs");
		puts("1..1");
		return 1;
	}
	left = remove_all();
	print_results();
	failed = verdict(1, "nothing_hangs") | judge_results();
	if (left)
		printf("# %d events cannot be removed\n", left);
	failed |= verdict(!left || with_faults, "no_event_stays_for_ever");
	failed |= verdict(!print_leaks(), "no_memory_leaks");
	puts("1..4");
	return failed;
}
