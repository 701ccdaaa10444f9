/* SPDX-License-Identifier: MIT */
/* Opens a session and registers events, with messages for a person. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/memory.h"
#include "common/cli/message.h"
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
	message("cannot open user_events: %s; \"userevents doctor\" reports more",
		ue_explain(UE_CALL_OPEN, fd));
	return -1;
}

struct ue_event *session_register(int fd, const char *definition, uint32_t flags)
{
	struct ue_event *event = xcalloc(1, sizeof(*event));
	int result = ue_event_init(event, definition, flags);

	if (!result)
		result = ue_register(fd, event);
	if (!result)
		return event;
	message("cannot register %.*s: %s", (int)strcspn(definition, " "), definition,
		ue_explain(UE_CALL_REGISTER, result));
	free(event);
	return NULL;
}
