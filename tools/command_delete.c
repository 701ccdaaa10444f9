/* SPDX-License-Identifier: MIT */
/*
 * userevents delete: delete events that nobody uses any more.
 */
#include <userevents/event.h>

#include "commands.h"
#include "message.h"
#include "options.h"
#include "session.h"
#include "tracefs.h"

static const char *directory;

static const struct option options[] = {
	TRACEFS_OPTION(directory),
	{ 0 },
};

static const struct usage usage = {
	.command = "delete",
	.arguments = "NAME...",
	.help = "Deletes events from the system. Needed for those of --persist, and up to Linux\n"
		"6.3 for all; from 6.4 on others go away with their last user.\n",
	.options = options,
};

int command_delete(int argc, char **argv)
{
	int status = options_parse(&usage, &argc, &argv);
	struct ue_open_opts opts;

	if (status != OPTIONS_GO_ON)
		return status;
	if (!argc)
		return options_complain(&usage, "delete: Which event?");
	opts = session_opts(directory);
	status = EXIT_ALL_WORKED;
	for (int i = 0; i < argc; i++) {
		int result = ue_delete(argv[i], &opts);

		if (!result)
			continue;
		message("%s is not deleted: %s.", argv[i], ue_explain(UE_CALL_DELETE, result));
		status = EXIT_FAILED;
	}
	return status;
}
