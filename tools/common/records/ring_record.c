/* SPDX-License-Identifier: MIT */
/*
 * Makes records of a ring's events; recognizes files that are rings, and explains their
 * errors, losses, sizes and rules about stacks.
 */
#include "ring_record.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <userevents/session.h>

#include "byte_cursor.h"
#include "common/cli/memory.h"

/*
 * A tracepoint is made once for each event. The library gives only those whose definition
 * is valid.
 */
static struct tracepoint *find(struct ring_events *events, uint32_t index,
			       const char *definition)
{
	struct tracepoint **tracepoint;

	for (; events->count <= index; events->count++) {
		events->tracepoints = xgrow(events->tracepoints, events->count,
					    sizeof(*events->tracepoints));
		events->tracepoints[events->count] = NULL;
	}
	tracepoint = &events->tracepoints[index];
	if (!*tracepoint)
		*tracepoint = tracepoint_define(definition, HOST_IS_BIG_ENDIAN);
	if (!*tracepoint)
		*tracepoint = tracepoint_new("user_events", "unknown", NULL, 0,
					     HOST_IS_BIG_ENDIAN);
	(*tracepoint)->has_no_common = 1;
	return *tracepoint;
}

struct record ring_record(struct ring_events *events, const struct ue_captured *event)
{
	return (struct record){
		.tracepoint = find(events, event->index, event->definition),
		.bytes = event->bytes,
		.length = event->length,
		.sample = {
			.size = sizeof(struct ue_sample),
			.present = UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID |
				   UE_META_COMM | UE_META_LOST,
			.is_wall_clock = 1,
			.time = event->real_time,
			.cpu = event->cpu,
			.pid = (uint32_t)event->pid,
			.tid = (uint32_t)event->tid,
			.comm = event->thread,
			.lost = event->lost,
		},
		.program = event->process,
		.has_clock_time = 1,
		.clock_time = event->time,
	};
}

/* A moment is moved by the ring's clock since. */
static int64_t time_of(const struct ue_captured_page *page,
		       const struct ue_page_event *event, int64_t opened)
{
	const double since = (double)(int64_t)(event->clock - page->opened) * page->rate;
	const double most = 4e18;
	const double more = since > most ? most : since < -most ? -most :
								  since;

	return (int64_t)((uint64_t)opened + (uint64_t)(int64_t)more);
}

struct record ring_page_record(struct ring_events *events,
			       const struct ue_captured_page *page, uint32_t number)
{
	const struct ue_page_event *event = &page->events[number];
	const struct ue_page_thread *thread = &page->threads[event->thread];
	const struct ue_captured captured = {
		.definition = event->definition,
		.bytes = event->bytes,
		.length = event->length,
		.pid = page->pid,
		.index = event->index,
		.tid = thread->tid,
		.cpu = page->cpu,
		.lost = number ? 0 : page->lost,
		.time = time_of(page, event, page->time),
		.real_time = time_of(page, event, page->real_time),
		.process = page->process,
		.thread = thread->name,
	};

	return ring_record(events, &captured);
}

void ring_events_free(struct ring_events *events)
{
	for (uint32_t i = 0; i < events->count; i++)
		tracepoint_free(events->tracepoints[i]);
	free(events->tracepoints);
}

/* Recognizes rings, and explains errors and losses. */

/* The beginning of every version of a ring (doc/ring.md). */
#define MAGIC "UE_RING"
#define ORDER 0x01020304u

struct head {
	char magic[8];
	uint32_t order, version;
	uint64_t size;
};

int ring_begins(const uint8_t *bytes, size_t length)
{
	return length >= sizeof(MAGIC) && !memcmp(bytes, MAGIC, sizeof(MAGIC));
}

int ring_is_at(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint8_t magic[sizeof(MAGIC)];
	int is_ring;

	if (fd < 0)
		return 0;
	is_ring = pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
		  ring_begins(magic, sizeof(magic));
	close(fd);
	return is_ring;
}

/* The reason of the last call. */
static char sentence[160];

static const char *why_unknown(const struct head *head)
{
	if (head->order == __builtin_bswap32(ORDER))
		return "it was written on a machine of the other byte order; read it there";
	snprintf(sentence, sizeof(sentence), "it has version %u, which this tool does "
		 "not know; use the tool of the library that wrote it", head->version);
	return sentence;
}

static const char *why_damaged(int fd, const struct head *head)
{
	struct stat file;

	if (fstat(fd, &file) || (uint64_t)file.st_size >= head->size)
		return "its header is damaged; create another one";
	snprintf(sentence, sizeof(sentence), "it was cut, and has %llu of its %llu bytes; copy it "
		 "once more, or create another one", (unsigned long long)file.st_size,
		 (unsigned long long)head->size);
	return sentence;
}

const char *ring_reason(int fd, int error)
{
	struct head head = { .order = ORDER };

	if (fd >= 0 && pread(fd, &head, sizeof(head), 0) < (ssize_t)sizeof(head.magic))
		head = (struct head){ .order = ORDER };
	switch (error) {
	case -ENOTTY:
		return "it is no ring; \"userevents ring create\" makes one";
	case -EPROTONOSUPPORT:
		return why_unknown(&head);
	case -EBADMSG:
		return why_damaged(fd, &head);
	case -EBUSY:
		return "another process takes its events out; end that one first";
	case -EACCES:
	case -EPERM:
		return "this user has no rights to do so; ask its owner, or use root";
	}
	return strerror(-error);
}

/* The bracket's end, or NULL. */
static const char *bracket_end(const char *bracket)
{
	const char *inside = bracket + 1;

	inside += *inside == '!' || *inside == '^';
	return *inside ? strchr(inside + 1, ']') : NULL;
}

/* The library checks the globs of tracepoints; those of EventHeader events it never sees. */
static int is_event_glob(const char *glob)
{
	const size_t length = strlen(glob);

	for (const char *at = glob; (at = strpbrk(at, "[\\")); at++) {
		at = *at == '[' ? bracket_end(at) : at + 1;
		if (!at || !*at)
			return 0;
	}
	return length && length <= 255 && !strchr(glob, '\n');
}

/* A colon may stand in a bracket, too. */
size_t ring_glob_group(const char *glob)
{
	const char *at = glob, *end;

	for (; *at && *at != ':'; at++)
		if (*at == '[' && (end = bracket_end(at)))
			at = end;
	return (size_t)(at - glob);
}

int ring_globs(const char *glob, int (*apply)(void *context, const char *tracepoints),
	       void *context)
{
	static const char system[] = "user_events:";
	const size_t provider = ring_glob_group(glob);
	AUTO_FREE char *events = NULL;
	int result;

	if (!strncmp(glob, system, strlen(system)))
		return apply(context, glob + strlen(system));
	if (!glob[provider]) {
		result = apply(context, glob);
		return result ? result : apply(context, "*_L*K*");
	}
	if (!is_event_glob(glob + provider + 1))
		return -EINVAL;
	events = xprintf("%.*s_L*K*", (int)provider, glob);
	return apply(context, events);
}

const char *ring_why_empty(const struct ue_ring_info *info)
{
	if (!info->events)
		return info->processes ?
			"no program has registered an event in it; one " MUST_REGISTER :
			"no program registered an event in it; one " MUST_REGISTER
			", with the ring's name in " UE_ENVIRONMENT_RING "; " IGNORES_VARIABLE;
	if (!info->enabled)
		return "all events that are registered in it are disabled; enable them with: "
		       "userevents ring set --enable '*' RING";
	return info->mode == UE_RING_OVERWRITE ?
		"programs registered events in it, and wrote none" :
		"programs registered events in it, and wrote none, or a reader took them out";
}

const char *loss_key(enum ue_loss reason)
{
	static const char *const keys[UE_LOSS_REASONS] = {
		[UE_LOSS_TOO_LARGE] = "tooLarge",
		[UE_LOSS_NO_RIGHTS] = "noRights",
		[UE_LOSS_CAPTURE_FULL] = "captureFull",
		[UE_LOSS_INTERRUPTED] = "interrupted",
		[UE_LOSS_OTHER] = "other",
	};

	return keys[reason];
}

uint64_t losses_sum(const uint64_t *lost)
{
	uint64_t sum = 0;

	for (int i = 0; i < UE_LOSS_REASONS; i++)
		sum += lost[i];
	return sum;
}

char *losses_text(const uint64_t *lost)
{
	char *text = xstrdup("");

	for (int i = 0; i < UE_LOSS_REASONS; i++) {
		if (!lost[i])
			continue;
		xappend(&text, "%s%llu %s", *text ? ", " : "",
			(unsigned long long)lost[i], ue_name(UE_NAME_LOSS, (uint32_t)i));
	}
	return text;
}

/*
 * Says whether a ring fits a machine.
 *
 * A ring works with fewer pages than processors, too, but then writers wait for, or
 * overwrite, each other's.
 */

/* doc/ring.md has a table of it. */
#define BYTES_OF_PROCESS 16384u
#define PROCESSES_LEAST 64u
#define PROCESSES_MOST 4096u

static uint64_t processors_of(uint64_t large_pages)
{
	return large_pages / 2;
}

static uint64_t processes_of(uint64_t bytes)
{
	const uint64_t count = bytes / BYTES_OF_PROCESS;

	return count < PROCESSES_LEAST ? PROCESSES_LEAST :
	       count > PROCESSES_MOST  ? PROCESSES_MOST :
					 count;
}

uint64_t ring_processors_most(const struct ue_ring_info *info)
{
	return processors_of(info->pages - info->small_pages);
}

uint64_t ring_processes_most(const struct ue_ring_info *info)
{
	return processes_of(info->bytes);
}

/* A larger ring has more than in proportion, as its tables grow less. */
uint64_t ring_bytes_for(const struct ue_ring_info *info, uint64_t processors)
{
	uint64_t bytes = info->bytes, pages = info->pages - info->small_pages;

	while (bytes <= UE_RING_BYTES_MOST / 2 &&
	       (processors_of(pages) < processors ||
		(processes_of(bytes) <= info->processes &&
		 processes_of(bytes) < PROCESSES_MOST))) {
		bytes *= 2;
		pages *= 2;
	}
	return bytes;
}

char *ring_bytes_text(uint64_t bytes)
{
	static const char units[] = { '\0', 'K', 'M', 'G' };
	unsigned unit = 0;

	for (; unit < 3 && bytes && bytes % 1024 == 0; unit++)
		bytes /= 1024;
	return unit ? xprintf("%" PRIu64 "%c", bytes, units[unit]) :
		      xprintf("%" PRIu64, bytes);
}

char *ring_fits_text(const struct ue_ring_info *info)
{
	return xprintf("%" PRIu64 " processor%s and %" PRIu64 " processes",
		       ring_processors_most(info), ring_processors_most(info) == 1 ? "" : "s",
		       ring_processes_most(info));
}

/* Reads a ring's rules about stacks. */

int stack_rules_read(struct stack_rules *rules, int fd)
{
	const int result = ue_ring_rules(fd, rules->text, sizeof(rules->text));
	char *next = rules->text;
	const char *rule;

	rules->count = 0;
	if (result < 0)
		return result;
	while ((rule = strsep(&next, "\n")))
		if (*rule == 's' || *rule == 'n')
			rules->rules[rules->count++] = rule;
	return 0;
}

/* Whether a later rule asks for no stack of this one's events. */
static int is_void(const struct stack_rules *rules, size_t at)
{
	for (size_t i = at + 1; i < rules->count; i++)
		if (*rules->rules[i] == 'n' &&
		    !fnmatch(rules->rules[i] + 1, rules->rules[at] + 1, 0))
			return 1;
	return 0;
}

int stack_rules_ask(const struct stack_rules *rules, const char *apart_from)
{
	for (size_t i = 0; i < rules->count; i++)
		if (*rules->rules[i] == 's' && strcmp(rules->rules[i] + 1, apart_from) != 0 &&
		    !is_void(rules, i))
			return 1;
	return 0;
}
