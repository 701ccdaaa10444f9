/* SPDX-License-Identifier: MIT */
/*
 * userevents ring: creates rings, describes them, and enables their events.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <userevents/ring.h>

#include "commands.h"
#include "common/cli/memory.h"
#include "common/cli/message.h"
#include "common/cli/options.h"
#include "common/records/ring_record.h"

/* The index is an enum ue_ring_mode. */
static const char *const modes[] = { NULL, "drop", "wait", "overwrite" };

/* create */

static uint64_t size = UE_RING_BYTES_DEFAULT;
static const char *mode = "overwrite";
static int is_disabled;

static const struct tool_option create_options[] = {
	{ .name = "size", .letter = 's', .number = &size, .value = "BYTES",
	  .least = UE_RING_BYTES_LEAST,
	  .help = "Of the file (default 16M, at least 256k, at most 64G). All of\n"
		  "it is allocated." },
	{ .name = "mode", .letter = 'm', .text = &mode, .value = "MODE",
	  .help = "What happens to an event when the ring is full: overwrite\n"
		  "(the default): it replaces the oldest events; drop: it is\n"
		  "lost, and counted; wait: its program waits for the reader;\n"
		  "without one, as drop." },
	{ .name = "disabled", .letter = 'd', .flag = &is_disabled,
	  .help = "Events are disabled until \"userevents ring set\" enables\n"
		  "them. By default all are enabled." },
	OPTIONS_END,
};

static const struct usage create_usage = {
	.command = "ring create",
	.verb = "create a ring",
	.arguments = "FILE",
	.help = "Creates a ring: a file that programs write events into, without root, system\n"
		"calls or a reader. Start them with USEREVENTS_RING=FILE. The file is its\n"
		"owner's alone; chmod(1) lets others write or read. It appears complete or not\n"
		"at all, and replaces no other.\n",
	.options = create_options,
};

/* 0: there is no such mode. */
static uint32_t mode_of(const char *text)
{
	for (uint32_t i = UE_RING_DROP; i <= UE_RING_OVERWRITE; i++)
		if (!strcmp(text, modes[i]))
			return i;
	return 0;
}

static const char *create_reason(int error)
{
	switch (error) {
	case -EEXIST:
		return "it exists; delete it first, or use another name";
	case -ENOSPC:
	case -EDQUOT:
		return "the file system has no room for it; use a smaller --size, or another "
		       "directory";
	case -EFBIG:
		return "it would exceed the limit of file sizes; use a smaller --size, or raise "
		       "the limit with ulimit -f";
	case -EOPNOTSUPP:
		return "its file system cannot hold rings; use another one";
	case -EACCES:
	case -EPERM:
		return "this user may not create files there; use another directory";
	case -ENOENT:
		return "its directory does not exist; create that first";
	}
	return strerror(-error);
}

static int create(int argc, char **argv)
{
	struct ue_ring_opts opts = {
		.size = sizeof(opts), .flags = is_disabled ? UE_RING_DISABLED : 0,
	};
	int fd;

	if (argc != 1 || !*argv[0])
		return options_complain(&create_usage, "one file has to be given");
	opts.mode = mode_of(mode);
	if (!opts.mode)
		return options_complain(&create_usage,
					"the option --mode needs overwrite, drop or wait");
	if (size > UE_RING_BYTES_MOST)
		return options_complain(&create_usage, "the option --size needs at most 64G");
	opts.bytes = size;
	fd = ue_ring_create(argv[0], &opts);
	if (fd >= 0) {
		close(fd);
		return EXIT_ALL_WORKED;
	}
	message("cannot create %s: %s", argv[0], create_reason(fd));
	return EXIT_FAILED;
}

/* Opening one; verb: for the message. */

static int complain_of(const char *verb, const char *path, int fd, int error)
{
	message("cannot %s %s: %s", verb, path, ring_reason(fd, error));
	if (fd >= 0)
		close(fd);
	return EXIT_FAILED;
}

/* A FIFO or a device is no ring, and must not make the tool wait. */
static int open_ring(const char *path, int access)
{
	const int fd = open(path, access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

/* info */

static int is_json;

static const struct tool_option info_options[] = {
	{ .name = "json", .letter = 'j', .flag = &is_json,
	  .help = "JSON lines instead of text." },
	OPTIONS_END,
};

static const struct usage info_usage = {
	.command = "ring info",
	.verb = "describe a ring",
	.arguments = "FILE...",
	.help = "Describes rings: their size and mode, the processes that write to them, and\n"
		"what was lost, by reason; and for how many processors and processes the size\n"
		"is. Does not read events: \"userevents decode\" does.\n",
	.options = info_options,
};

static const char *time_text(int64_t nanoseconds, char *text, size_t room)
{
	const time_t seconds = (time_t)(nanoseconds / 1000000000);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(text, room, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return "?";
	return text;
}

static void print_pages(const struct ue_ring_info *info)
{
	printf("  pages        %" PRIu64 " of %" PRIu64 " of %" PRIu64
	       " bytes, and %" PRIu64 " of %" PRIu64 " of %" PRIu64
	       " bytes have events\n",
	       info->small_pages_used, info->small_pages, info->small_page_bytes,
	       info->pages_used - info->small_pages_used, info->pages - info->small_pages,
	       info->page_bytes);
	printf("  held         %" PRIu64 " pages", info->held);
	if (info->held)
		printf("; process %" PRIu64 " is amid an event", info->holder);
	printf("\n");
}

/* The size for this machine, whatever machine the ring comes from. */
static void print_fit(const struct ue_ring_info *info)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const uint64_t wanted =
		ring_bytes_for(info, processors > 0 ? (uint64_t)processors : 1);
	AUTO_FREE char *fits = ring_fits_text(info), *size = ring_bytes_text(wanted);

	printf("  fits         %s", fits);
	if (wanted != info->bytes)
		printf("; this machine has %ld processors, and %" PRIu32
		       " processes may write: %s would fit", processors, info->processes, size);
	printf("\n");
}

/* The rules of the ring that is described, or changed. */
static struct stack_rules stack_rules;

static void print_stacks(void)
{
	printf("  stacks       ");
	for (size_t i = 0; i < stack_rules.count; i++) {
		const char *rule = stack_rules.rules[i];

		printf("%s%s", i ? ", " : "", *rule == 'n' ? "not " : "");
		controls_print(rule + 1, strlen(rule + 1));
	}
	printf("%s\n", stack_rules.count ? "" : "none");
}

static void print_stacks_json(void)
{
	printf(",\"stacks\":[");
	for (size_t i = 0; i < stack_rules.count; i++) {
		const char *rule = stack_rules.rules[i];

		printf("%s{", i ? "," : "");
		json_member("glob", rule + 1, strlen(rule + 1), 1);
		printf(",\"isAsked\":%s}", *rule == 's' ? "true" : "false");
	}
	putchar(']');
}

static void print_info(const char *path, const struct ue_ring_info *info)
{
	const uint64_t lost = losses_sum(info->lost);
	char text[64];

	controls_print(path, strlen(path));
	printf("\n  size         %" PRIu64 " bytes\n", info->bytes);
	print_pages(info);
	print_fit(info);
	printf("  mode         %s\n", modes[info->mode]);
	printf("  created      %s\n", time_text(info->created, text, sizeof(text)));
	printf("  clock        %s\n", info->is_tsc ? "TSC" : "CLOCK_MONOTONIC");
	printf("  processes    %" PRIu32 " may write\n", info->processes);
	printf("  reader       %s\n", info->has_reader ? "one takes events out" : "none");
	printf("  events       %" PRIu64 " of at most %" PRIu64 " registered, %" PRIu64
	       " enabled\n", info->events, info->events_max, info->enabled);
	print_stacks();
	printf("  lost         %" PRIu64 "%s%s\n", lost, lost ? ": " : "",
	       losses_text(info->lost));
	printf("  overwritten  %" PRIu64 "\n", info->overwritten);
	printf("  cut off      %" PRIu64 "\n", info->cut_off);
}

static void print_info_json(const char *path, const struct ue_ring_info *info)
{
	char text[64];

	putchar('{');
	json_member("file", path, strlen(path), 1);
	printf(",\"bytes\":%" PRIu64, info->bytes);
	json_member("mode", modes[info->mode], strlen(modes[info->mode]), 0);
	time_text(info->created, text, sizeof(text));
	json_member("created", text, strlen(text), 0);
	printf(",\"isTsc\":%s,\"pages\":%" PRIu64 ",\"pagesUsed\":%" PRIu64
	       ",\"pageBytes\":%" PRIu64, info->is_tsc ? "true" : "false", info->pages,
	       info->pages_used, info->page_bytes);
	printf(",\"smallPages\":%" PRIu64 ",\"smallPagesUsed\":%" PRIu64
	       ",\"smallPageBytes\":%" PRIu64 ",\"pagesHeld\":%" PRIu64,
	       info->small_pages,
	       info->small_pages_used, info->small_page_bytes, info->held);
	printf(",\"processorsMost\":%" PRIu64 ",\"processesMost\":%" PRIu64,
	       ring_processors_most(info), ring_processes_most(info));
	printf(",\"processes\":%" PRIu32 ",\"hasReader\":%s,\"events\":%" PRIu64
	       ",\"eventsMax\":%" PRIu64 ",\"enabled\":%" PRIu64, info->processes,
	       info->has_reader ? "true" : "false", info->events, info->events_max,
	       info->enabled);
	print_stacks_json();
	printf(",\"lost\":{");
	for (int i = 0; i < UE_LOSS_REASONS; i++)
		printf("%s\"%s\":%" PRIu64, i ? "," : "", loss_key((enum ue_loss)i),
		       info->lost[i]);
	printf("},\"overwritten\":%" PRIu64 ",\"cutOff\":%" PRIu64 "}\n", info->overwritten,
	       info->cut_off);
}

static int describe(const char *path)
{
	const int fd = open_ring(path, O_RDONLY);
	struct ue_ring_info info;
	int result = fd < 0 ? fd : ue_ring_info(fd, &info);

	if (!result)
		result = stack_rules_read(&stack_rules, fd);
	if (result < 0)
		return complain_of("describe", path, fd, result);
	if (is_json)
		print_info_json(path, &info);
	else
		print_info(path, &info);
	close(fd);
	return 0;
}

static int info(int argc, char **argv)
{
	int status = EXIT_ALL_WORKED;

	if (!argc)
		return options_complain(&info_usage, "no file is given");
	for (int i = 0; i < argc; i++)
		status |= describe(argv[i]);
	return status;
}

/* set */

static struct words changes; /* each with its sign before it */
static uint64_t frames = 32;

static const struct tool_option set_options[] = {
	{ .name = "enable", .letter = 'e', .words = &changes, .prefix = "+", .value = "GLOB",
	  .help = "Enable events whose tracepoint's name matches, also those\n"
		  "that are registered later; \"PROVIDER:EVENT\": all EventHeader\n"
		  "events of that provider. May be repeated." },
	{ .name = "disable", .letter = 'd', .words = &changes, .prefix = "-", .value = "GLOB",
	  .help = "Disable them, also \"PROVIDER:*\". May be repeated." },
	{ .name = "stack", .words = &changes, .prefix = "s", .value = "GLOB",
	  .help = "Let programs write the stack with these events, if they are\n"
		  "enabled: \"NAME\", or \"PROVIDER:EVENT\" of EventHeader, whose\n"
		  "tracepoint's other events have stacks, too. Needs frame\n"
		  "pointers (-fno-omit-frame-pointer). May be repeated." },
	{ .name = "no-stack", .words = &changes, .prefix = "n", .value = "GLOB",
	  .help = "No longer. May be repeated." },
	{ .name = "frames", .number = &frames, .value = "N", .least = 1,
	  .help = "Frames of a stack, at most, without those of libuserevents\n"
		  "(default 32; 1 to 127), for all events of the ring." },
	OPTIONS_END,
};

static const struct usage set_usage = {
	.command = "ring set",
	.verb = "set a ring",
	.arguments = "FILE",
	.help = "Enables and disables events of a ring, and their stacks, in the order of the\n"
		"options: of those that match a name, the last counts. Programs that write to\n"
		"the ring notice at once, and the ring keeps the setting.\n",
	.options = set_options,
};

static const char *set_reason(int fd, int error)
{
	switch (error) {
	case -EINVAL:
		return "a GLOB has 1 to 255 bytes, and no newline, and closes its brackets";
	case -ENOSPC:
		return "the ring has too many different globs; set \"*\" first, which "
			"replaces all";
	}
	return ring_reason(fd, error);
}

struct change {
	int fd;
	char sign;
	int calls;
};

/* One that names tracepoints may have asked for those of all EventHeader events, too. */
static int ask_no_longer(struct change *change, const char *glob)
{
	int result = 0;

	if (change->calls++)
		result = stack_rules_read(&stack_rules, change->fd);
	if (result || (change->calls > 1 && stack_rules_ask(&stack_rules, glob)))
		return result;
	return ue_ring_stack(change->fd, glob, 0);
}

static int change(void *context, const char *glob)
{
	struct change *change = context;

	switch (change->sign) {
	case '+':
		return ue_ring_enable(change->fd, glob);
	case '-':
		return ue_ring_disable(change->fd, glob);
	case 's':
		return ue_ring_stack(change->fd, glob, (uint32_t)frames);
	default:
		return ask_no_longer(change, glob);
	}
}

/* A ring knows no EventHeader events: all of their tracepoint have stacks. */
static int takes_events(const char *word)
{
	return *word == 's' || *word == 'n' || word[1 + ring_glob_group(word + 1)];
}

/* Other events of that provider would be disabled with one. */
static int disables_too_many(const char *word)
{
	return *word == '-' && takes_events(word) &&
	       strcmp(word + 1 + ring_glob_group(word + 1), ":*") != 0;
}

/* word: the sign, then the glob. */
static int apply(int fd, const char *path, const char *word)
{
	struct change context = { .fd = fd, .sign = *word };
	const char *glob = word + 1;
	int result;

	if (strncmp(glob, "user_events:", strlen("user_events:")) != 0 &&
	    disables_too_many(word)) {
		message("cannot disable \"%s\" in %s: EventHeader events share tracepoints; "
			"disable \"%.*s:*\", all of that provider", glob, path,
			(int)ring_glob_group(glob), glob);
		return EXIT_FAILED;
	}
	result = takes_events(word) ? ring_globs(glob, change, &context) :
				      change(&context, glob);
	if (result)
		message("cannot %s \"%s\" in %s: %s",
			*word == '+' ? "enable" : *word == '-' ? "disable" : "set stacks of",
			glob, path, set_reason(fd, result));
	return result ? EXIT_FAILED : EXIT_ALL_WORKED;
}

static int set(int argc, char **argv)
{
	int fd, status = EXIT_ALL_WORKED;

	if (argc != 1)
		return options_complain(&set_usage, "one file has to be given");
	if (!changes.count)
		return options_complain(&set_usage, "no change is given, such as --enable");
	if (frames > 127)
		return options_complain(&set_usage, "--frames is at most 127");
	fd = open_ring(argv[0], O_RDWR);
	if (fd < 0)
		return complain_of("change", argv[0], fd, fd);
	for (size_t i = 0; i < changes.count && !status; i++)
		status = apply(fd, argv[0], changes.items[i]);
	close(fd);
	return status;
}

/* The command */

static const struct {
	const char *name, *help;
	struct command command;
} parts[] = {
	{ "create", "Create a ring.", { &create_usage, create } },
	{ "info", "Describe rings.", { &info_usage, info } },
	{ "set", "Enable and disable events of a ring, and their stacks.",
	  { &set_usage, set } },
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

static void print_help(void)
{
	printf("Usage: userevents ring create|info|set [OPTIONS] FILE\n\n"
	       "A ring is a file that programs write events into: they need no kernel support,\n"
	       "no root, and no reader. \"userevents decode FILE\" prints its events, also\n"
	       "after the programs ended or crashed; \"userevents watch FILE\" prints them as they\n"
	       "happen.\n\n");
	for (size_t i = 0; i < PARTS; i++)
		printf("  %-10s %s\n", parts[i].name, parts[i].help);
	printf("\n\"userevents ring create --help\" describes its options, and so on.\n");
}

static int command_ring(int argc, char **argv)
{
	const char *near;

	if (argc < 2) {
		message("cannot run \"ring\": create, info or set has to follow; \"userevents "
			"ring --help\" describes them");
		return EXIT_WRONG_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_help();
		return EXIT_ALL_WORKED;
	}
	for (size_t i = 0; i < PARTS; i++)
		if (!strcmp(parts[i].name, argv[1]))
			return command_start(&parts[i].command, argc - 1, argv + 1);
	near = nearest(argv[1], parts, PARTS, sizeof(parts[0]));
	message("cannot run \"ring %s\": there is create, info and set%s%s%s", argv[1],
		near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	return EXIT_WRONG_USAGE;
}

const struct command ring_command = { NULL, command_ring };
