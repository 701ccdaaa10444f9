/* SPDX-License-Identifier: MIT */
/*
 * Pretends to have the library, in the way that its argument names, and runs until its
 * standard input ends.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <userevents/abi/process_note.h>
#include <userevents/session.h>

extern struct ue_noted_library library;
extern uint32_t note_type;

static struct ue_noted_session sessions[2];
static struct ue_noted_event events[3];
static const char *const definition = "honest u32 a";

struct ue_noted_library library = { &library, sessions };

#if UINTPTR_MAX == UINT64_MAX
#define DISTANCE ".quad "
#else
#define DISTANCE ".long "
#endif

__asm__(".pushsection .note.hostile, \"a\", %note\n"
	".balign 4\n"
	".long 11, 2f - 1f\n"
	"note_type: .long 1\n"
	".asciz \"userevents\"\n"
	".balign 4\n"
	"1:\n"
	DISTANCE "library - .\n"
	"2:\n"
	".popsection\n");

#define WILD ((void *)0x10)

static void sane(void)
{
	events[0] = (struct ue_noted_event){
		.session = sessions, .definition = definition, .name_length = 6,
		.lost = { 7 },
	};
	sessions[0] = (struct ue_noted_session){
		.library = &library, .events = events, .lost = { 1, 2, 3, 4, 5 },
		.abi = UE_ABI_CAPTURE, .fd = 3,
	};
}

static void other_kind(void)
{
	sessions[0].abi = UE_ABI_RING;
}

static void circle_of_sessions(void)
{
	sessions[1] = sessions[0];
	sessions[0].next = &sessions[1];
	sessions[1].next = &sessions[0];
}

static void circle_of_events(void)
{
	events[1] = events[2] = events[0];
	events[0].next = &events[1];
	events[1].next = &events[2];
	events[2].next = &events[1];
}

static void wild_list(void)
{
	library.sessions = (void *)-8;
}

static void wild_session(void)
{
	sessions[0].next = WILD;
}

static void wild_event(void)
{
	events[0].next = WILD;
}

static void wild_name(void)
{
	events[0].definition = WILD;
}

static void long_name(void)
{
	static char name[300];

	events[0].definition = memset(name, 'n', sizeof(name));
	events[0].name_length = sizeof(name);
}

static void closed_session(void)
{
	sessions[0].library = NULL;
}

static void unregistered_event(void)
{
	events[1] = events[0];
	events[0].next = &events[1];
	events[1].session = NULL;
}

static void not_loaded(void)
{
	library.self = NULL;
}

static void other_version(void)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	mprotect((void *)((uintptr_t)&note_type & -page), page, PROT_READ | PROT_WRITE);
	note_type = 4711;
}

static void escapes(void)
{
	events[0].definition = "\x1b]0;owned\x07\n\x7f\xc2\x9b" "31m\"\\";
	events[0].name_length = (uint32_t)strlen(events[0].definition);
	prctl(PR_SET_NAME, "\x1b[2J evil");
}

static void *change(void *unused)
{
	for (;;) {
		sessions[0].events = NULL;
		sched_yield();
		sessions[0].events = events;
		sched_yield();
	}
	return unused;
}

static void changing(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, change, NULL);
}

#define WAY(name) { #name, name }

static const struct {
	const char *name;
	void (*prepare)(void);
} ways[] = {
	WAY(sane), WAY(circle_of_sessions), WAY(circle_of_events), WAY(wild_list),
	WAY(wild_session), WAY(wild_event), WAY(wild_name), WAY(long_name),
	WAY(closed_session), WAY(unregistered_event), WAY(not_loaded), WAY(other_version),
	WAY(escapes), WAY(changing), WAY(other_kind),
};

int main(int argc, char **argv)
{
	char byte;

	sane();
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (argc == 2 && !strcmp(argv[1], ways[i].name))
			ways[i].prepare();
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
