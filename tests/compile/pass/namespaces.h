// SPDX-License-Identifier: MIT
// Two events, and two of each other shared object, of one name in two namespaces.
#ifndef NAMESPACES_H
#define NAMESPACES_H

#include <userevents/logger.h>
#include <userevents/userevents.h>

namespace first {
UE_EVENT_DECLARE(tick, UE_U32(x));
UE_PROVIDER(provider, "First");
UE_TRACEPOINT_DECLARE(info, provider, UE_LEVEL_INFORMATION, 1);
UE_LOGGER_DECLARE(log, provider, 2);
int write_all(int fd);
}

// As in a header that is for C as well.
extern "C" {
namespace second {
UE_EVENT_DECLARE(tick, UE_U64(y), UE_STRING(text));
UE_PROVIDER(provider, "Second");
UE_TRACEPOINT_DECLARE(info, provider, UE_LEVEL_ERROR, 1);
UE_LOGGER_DECLARE(log, provider, 2);
}
}

#endif
