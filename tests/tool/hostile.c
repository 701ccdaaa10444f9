/* SPDX-License-Identifier: MIT */
/*
 * Pretends to have the library, in the way that its argument names, and runs until its
 * standard input ends.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <userevents/abi/event_state.h>
#include <userevents/loss.h>
#include <userevents/abi/process_note.h>

struct session {
	struct session *next;
	int fd;
	uint32_t abi;
	struct registration *registrations;
	uint32_t lost[UE_LOSS_REASONS];
};

struct registration {
	struct registration *next;
	struct ue_event *event;
	uint32_t *word;
	uint64_t binding;
};

extern struct ue_overview overview;
extern struct session *first;

struct ue_overview overview = {
	.version = UE_OVERVIEW_VERSION,
	.size = sizeof(struct ue_overview),
	.pointer_size = sizeof(void *),
	.loss_reasons = UE_LOSS_REASONS,
	.session_size = sizeof(struct session),
	.session_next = offsetof(struct session, next),
	.session_fd = offsetof(struct session, fd),
	.session_abi = offsetof(struct session, abi),
	.session_registrations = offsetof(struct session, registrations),
	.session_lost = offsetof(struct session, lost),
	.registration_size = sizeof(struct registration),
	.registration_next = offsetof(struct registration, next),
	.registration_event = offsetof(struct registration, event),
	.registration_word = offsetof(struct registration, word),
	.registration_binding = offsetof(struct registration, binding),
	.event_size = sizeof(struct ue_event),
	.event_definition = offsetof(struct ue_event, definition),
	.event_word = offsetof(struct ue_event, word),
	.event_status_byte = offsetof(struct ue_event, ue__status_byte),
	.event_binding = offsetof(struct ue_event, ue__binding),
	.event_lost = offsetof(struct ue_event, ue__lost),
};

struct session *first;

#if UINTPTR_MAX == UINT64_MAX
#define DISTANCE ".quad "
#else
#define DISTANCE ".long "
#endif

__asm__(".pushsection .note.hostile, \"a\", %note\n"
	".balign 4\n"
	".long 11, 2f - 1f, 1\n"
	".asciz \"userevents\"\n"
	".balign 4\n"
	"1:\n"
	DISTANCE "overview - .\n"
	DISTANCE "first - .\n"
	"2:\n"
	".popsection\n");

static struct session sessions[2];
static struct registration registrations[3];
static struct ue_event event = UE_EVENT_INIT(event, "honest u32 a");

#define WILD ((void *)0x10)

static void sane(void)
{
	registrations[0] = (struct registration){ .event = &event, .word = event.word };
	sessions[0] = (struct session){
		.fd = 3, .abi = 3, .registrations = registrations,
		.lost = { 1, 2, 3, 4, 5 },
	};
	event.ue__lost[0] = 7;
	first = sessions;
}

static void circle_of_sessions(void)
{
	sessions[0].next = &sessions[1];
	sessions[1].next = &sessions[0];
}

static void circle_of_one(void)
{
	sessions[0].next = sessions;
}

static void circle_of_registrations(void)
{
	registrations[0].next = &registrations[1];
	registrations[1].next = &registrations[2];
	registrations[2].next = &registrations[1];
}

static void wild_head(void)
{
	first = (void *)-8;
}

static void wild_session(void)
{
	sessions[0].next = WILD;
}

static void wild_registration(void)
{
	sessions[0].registrations = WILD;
}

static void wild_event(void)
{
	registrations[0].event = WILD;
}

static void wild_definition(void)
{
	event.definition = WILD;
}

static void wild_word(void)
{
	event.word = registrations[0].word = WILD;
}

static void wild_status(void)
{
	event.own_word = UE_WORD_ASK | 1;
	event.ue__status_byte = WILD;
	sessions[0].abi = 1;
}

static void other_version(void)
{
	overview.version = 4711;
}

static void other_pointers(void)
{
	overview.pointer_size = 12 - overview.pointer_size;
}

static void many_reasons(void)
{
	overview.loss_reasons = 0x40000001; /* times 4 is 4 */
}

static void huge_structs(void)
{
	overview.session_size = 0xffffffff;
	overview.session_lost = 0xfffffff0;
}

static void offset_outside(void)
{
	overview.registration_binding = overview.registration_size - 4;
}

/* More than any program has, and no circle. */
static void endless(void)
{
	const size_t count = 200000;
	struct registration *many = calloc(count, sizeof(*many));

	for (size_t i = 0; many && i + 1 < count; i++) {
		many[i] = registrations[0];
		many[i].next = &many[i + 1];
	}
	sessions[0].registrations = many;
}

static void escapes(void)
{
	event.definition = "\x1b]0;owned\x07\n\x7f\xc2\x9b" "31m\xff\"\\ u32 a";
	prctl(PR_SET_NAME, "\x1b[2J evil");
}

/* A name of the length that the tool reads, which ends where the memory ends. */
static void long_name(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *text = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(text + page, page);
	memset(text, 'n', page);
	event.definition = text + page - 600;
}

static void cut_name(void)
{
	long_name();
	event.definition += 500;
}

static void *change(void *unused)
{
	for (;;) {
		sessions[0].registrations = NULL;
		sched_yield();
		sessions[0].registrations = registrations;
		sched_yield();
	}
	return unused;
}

static void changing(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, change, NULL);
}

static uint32_t random_number(uint32_t below)
{
	static uint32_t seed = 1;

	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Segments inside the page, and a note with a valid beginning. */
static void put_segments(unsigned char *at, uint32_t page)
{
	const struct {
		Elf64_Nhdr head;
		char name[12];
	} note = { { 11, random_number(2) ? 16 : random_number(page), 1 }, "userevents" };
	Elf64_Ehdr *header = (Elf64_Ehdr *)at;
	Elf64_Phdr *segments = (Elf64_Phdr *)(header + 1);

	header->e_ident[EI_CLASS] = ELFCLASS64;
	header->e_phoff = sizeof(*header);
	header->e_phentsize = sizeof(*segments);
	header->e_phnum = 4;
	memset(segments, 0, 4 * sizeof(*segments));
	segments[0].p_type = PT_LOAD;
	for (int i = 1; i < 4; i++) {
		segments[i].p_type = PT_NOTE;
		segments[i].p_vaddr = 512 + random_number(page - 512);
		segments[i].p_memsz = random_number(page);
		if (segments[i].p_vaddr + sizeof(note) <= page)
			memcpy(at + segments[i].p_vaddr, &note, sizeof(note));
	}
}

/* Headers of random content, each in a file and a mapping of its own, as if loaded. */
static void images(void)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE), count = 400;

	for (uint32_t i = 0; i < count; i++) {
		int fd = memfd_create("images", 0);
		unsigned char *at;

		if (fd < 0 || ftruncate(fd, page))
			exit(1);
		at = mmap(NULL, page, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0);
		if (at == MAP_FAILED)
			exit(1);
		close(fd);
		for (size_t j = 0; j < page; j++)
			at[j] = (unsigned char)random_number(i % 2 ? 256 : 4);
		memcpy(at, ELFMAG, SELFMAG);
		at[EI_CLASS] = (unsigned char)(1 + i % 2);
		at[EI_DATA] = ELFDATA2LSB;
		if (i % 4 >= 2)
			put_segments(at, page);
	}
}

#define WAY(name) { #name, name }

static const struct {
	const char *name;
	void (*prepare)(void);
} ways[] = {
	WAY(sane), WAY(circle_of_sessions), WAY(circle_of_one),
	WAY(circle_of_registrations), WAY(wild_head), WAY(wild_session),
	WAY(wild_registration), WAY(wild_event), WAY(wild_definition), WAY(wild_word),
	WAY(wild_status), WAY(other_version), WAY(other_pointers), WAY(many_reasons),
	WAY(huge_structs), WAY(offset_outside), WAY(endless), WAY(escapes), WAY(long_name),
	WAY(cut_name), WAY(changing), WAY(images),
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
