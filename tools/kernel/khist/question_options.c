/* SPDX-License-Identifier: MIT */
/* Checks the options that khist and klatency share. */
#include "kernel_question.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/message.h"

#define SECONDS_MOST 1e9

static const struct {
	const char *name;
	uint64_t nanoseconds;
} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };

/* How many arguments are behind "--"; -1: there is none. */
static int count_behind(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc - i - 1;
	return -1;
}

static int check_unit(struct question_options *options, const struct usage *usage)
{
	for (size_t i = 0; options->unit && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, options->unit))
			options->unit_nanoseconds = units[i].nanoseconds;
	if (options->unit && !options->unit_nanoseconds)
		return options_complain(usage, "the option --unit needs ns, us, ms or s, not "
					"\"%s\"", options->unit);
	return 0;
}

static int check_duration(struct question_options *options, const struct usage *usage)
{
	char *end;

	if (!options->duration)
		return 0;
	options->seconds = strtod(options->duration, &end);
	if (*end || end == options->duration ||
	    !(options->seconds > 0 && options->seconds <= SECONDS_MOST))
		return options_complain(usage, "the option --duration needs seconds, more than 0, "
					"not \"%s\"", options->duration);
	return 0;
}

static int check(struct question_options *options, const struct usage *usage)
{
	int status = check_unit(options, usage);

	if (!status)
		status = check_duration(options, usage);
	if (status)
		return status;
	if (options->size > QUESTION_SIZE_MOST)
		return options_complain(usage, "--size is at most %d: the kernel has no larger "
					"histograms", QUESTION_SIZE_MOST);
	if (options->duration && options->command)
		return options_complain(usage, "--duration and a COMMAND exclude each other");
	if (options->is_json && options->is_batch)
		return options_complain(usage, "--json and --batch exclude each other");
	return 0;
}

int question_options_parse(struct question_options *options, const struct usage *usage,
			   int argc, char **argv, const char *const names[2],
			   const char *given[2])
{
	const int behind = count_behind(argc, argv);
	int status = options_parse(usage, &argc, &argv), before;

	if (status != OPTIONS_GO_ON)
		return status;
	before = behind > 0 ? argc - behind : argc;
	if (before < 2)
		return options_complain(usage, before == 1 ? "no %s is given" : "no %s and no %s "
					"are given", before == 1 ? names[1] : names[0], names[1]);
	if (before > 2)
		return options_complain(usage, "\"%s\" is one argument too many; a COMMAND stands "
					"behind \"--\"", argv[2]);
	if (!behind)
		return options_complain(usage, "no COMMAND is behind \"--\"");
	given[0] = argv[0];
	given[1] = argv[1];
	options->command = behind > 0 ? argv + 2 : NULL;
	status = check(options, usage);
	return status ? status : OPTIONS_GO_ON;
}
