// SPDX-License-Identifier: MIT
// Writes the events of both namespaces, and defines those of the second, and those of the
// first unless SPLIT. Prints what each event is.
#include <cstdio>

#include "namespaces.h"

#ifndef SPLIT
#include "namespaces_first.cpp"
#endif

namespace second {
UE_EVENT_DEFINE(tick);
UE_TRACEPOINT_DEFINE(info);
UE_LOGGER_DEFINE(log);
}

#define PRINT_EVENT(name) \
	std::printf("%s: %s, %u bytes\n", #name, UE_EVENT_OF(name)->definition, \
		    UE_EVENT_OF(name)->ue__fixed_size)
#define PRINT_PROVIDER(name) \
	std::printf("%s: %s %u\n", #name, UE_EVENT_OF(name)->ue__parts->provider, \
		    UE_EVENT_OF(name)->ue__parts->level)

int main()
{
	PRINT_EVENT(first::tick);
	PRINT_EVENT(second::tick);
	PRINT_PROVIDER(first::info);
	PRINT_PROVIDER(second::info);
	std::printf("words: %d\n", UE_EVENT_OF(first::tick)->word != UE_EVENT_OF(second::tick)->word);
	return first::write_all(1) | UE_WRITE(1, second::tick, 7, "text") |
	       UE_SYSLOG(1, second::log, 3, "%d", 7);
}
