/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "cli/message.h"
#include "writing_session.h"
#include "tracing_files.h"

struct ue_open_opts session_opts(const char *directory)
{
	return (struct ue_open_opts){
		.size = sizeof(struct ue_open_opts),
		.path = directory ? tracing_path(directory, "user_events_data") : NULL,
	};
}

int session_open(const char *directory)
{
	const struct ue_open_opts opts = session_opts(directory);
	int fd = ue_open(&opts);

	if (fd >= 0)
		return fd;
	if (fd == -ENODEV || (fd == -ENOENT && !directory))
		directory = tracing_find(NULL); /* which complains if there is none */
	if ((fd == -ENODEV && !directory) || tracing_lacks_user_events(directory))
		return -1;
	message("cannot open user_events: %s; \"userevents doctor\" looks closer",
		ue_explain(UE_CALL_OPEN, fd));
	return -1;
}
