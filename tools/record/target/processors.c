/* SPDX-License-Identifier: MIT */
/*
 * Finds processors that went offline or came online.
 *
 * Their folder "topology" in sysfs exists while they are online, and has another inode
 * number each time, also after a suspend, and if one went and came between two looks. A
 * message of the kernel (uevent) is sent neither for a suspend nor into containers.
 */
#include "processors.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/bytes.h"
#include "cli/clock.h"
#include "cli/memory.h"
#include "cli/message.h"

static uint64_t read_node(size_t number)
{
	struct stat status;
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%zu/topology", number);
	return stat(path, &status) ? 0 : (uint64_t)status.st_ino;
}

/*
 * The folder exists before the processor runs, when the kernel accepts events for it and
 * drops them. The first processor has no such file where it cannot go.
 */
static int is_running(size_t number)
{
	char path[96], *text;
	int result;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%zu/online", number);
	text = read_file(path, NULL);
	result = !text || text[0] == '1';
	free(text);
	return result;
}

static uint64_t now(void)
{
	return (uint64_t)clock_now(CLOCK_MONOTONIC);
}

void processors_begin(struct processors *processors)
{
	const long count = sysconf(_SC_NPROCESSORS_CONF);

	*processors = (struct processors){ .count = count > 0 ? (size_t)count : 1 };
	processors->each = xcalloc(processors->count, sizeof(*processors->each));
	processors->is_blind = 1;
	for (size_t i = 0; i < processors->count; i++) {
		processors->each[i].node = is_running(i) ? read_node(i) : 0;
		processors->is_blind &= !processors->each[i].node;
	}
	processors->looked = now();
}

static void note_gap(struct processors *processors, struct processor *processor)
{
	const uint64_t gap = now() - processors->looked;

	processor->times++;
	processors->gaps_ns += gap;
	if (gap > processors->gap_ns)
		processors->gap_ns = gap;
}

static int look_at(struct processors *processors, size_t number,
		   int (*change)(void *context, size_t number, int is_online),
		   void *context)
{
	struct processor *processor = &processors->each[number];
	const uint64_t node = read_node(number);
	int is_online, result;

	if (node == processor->node)
		return 0;
	is_online = node && is_running(number);
	if (node && !is_online && !processor->node)
		return 0;
	result = change(context, number, is_online);
	if (result < 0)
		return -1;
	processor->node = is_online && !result ? node : 0;
	if (processor->node)
		note_gap(processors, processor);
	return 0;
}

int processors_look(struct processors *processors,
		    int (*change)(void *context, size_t number, int is_online),
		    void *context)
{
	const uint64_t begun = now();
	int result = 0;

	for (size_t i = 0; i < processors->count && !result && !processors->is_blind; i++)
		result = look_at(processors, i, change, context);
	processors->looked = begun;
	return result;
}

void processors_report(struct processors *processors)
{
	struct bytes numbers = { 0 };
	size_t count = 0;

	if (processors->gaps_ns == processors->reported_ns)
		return;
	for (size_t i = 0; i < processors->count; i++) {
		if (processors->each[i].times)
			bytes_list(&numbers, count++, "%zu", i);
		processors->each[i].times = 0;
	}
	message("%zu processor%s came online meanwhile: events that were written there "
		"in up to %.2f s, before they could be seen, may be missing, and are "
		"not counted: %s.",
		count, count == 1 ? "" : "s", (double)processors->gap_ns / 1e9,
		(const char *)numbers.at);
	bytes_free(&numbers);
	processors->gap_ns = 0;
	processors->reported_ns = processors->gaps_ns;
}

void processors_end(struct processors *processors)
{
	free(processors->each);
	*processors = (struct processors){ .each = NULL };
}
