// SPDX-License-Identifier: MIT
// The definitions of the first namespace.
#include "namespaces.h"

namespace first {
UE_EVENT_DEFINE(tick);
UE_TRACEPOINT_DEFINE(info);
UE_LOGGER_DEFINE(log);

int write_all(int fd)
{
	return UE_WRITE(fd, tick, 7) | UE_SYSLOG(fd, log, 3, "%d", 7);
}
}
