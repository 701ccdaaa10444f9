// SPDX-License-Identifier: MIT
// Names of other namespaces, at any depth.
#include <userevents/logger.h>
#include <userevents/printf.h>
#include <userevents/userevents.h>

namespace shop {
UE_EVENT(closed);
UE_EVENT(order, UE_STRING(item), UE_U32(count));
UE_PROVIDER(provider, "Shop");
UE_EVENT(note, UE_STRING(text));
UE_LOGGER(log, provider, 2);
namespace inner {
UE_TRACEPOINT(information, provider, UE_LEVEL_INFORMATION, 1);
UE_EVENTHEADER(information, packed, UE_U64(order));
}
}
UE_EVENT(outside, UE_U32(count));
UE_TRACEPOINT(errors, shop::provider, UE_LEVEL_ERROR, 1);
UE_EVENTHEADER(shop::inner::information, sent, UE_U64(order));

namespace elsewhere {
int write_all(int fd);

int write_all(int fd)
{
	const struct ue_activity *none = nullptr;
	int result = ue_register(fd, UE_EVENT_OF(shop::order));

	if (UE_ENABLED(shop::order) || UE_ENABLED(shop::inner::information))
		result |= UE_WRITE(fd, shop::closed);
	result |= UE_WRITE(fd, shop::order, "tea", 2);
	result |= UE_WRITE(fd, ::shop::order, "tea", 2);
	result |= UE_WRITE(fd, ::outside, 3);
	result |= UE_PRINTF(fd, shop::note, "%d", 3) | UE_SYSLOG(fd, ::shop::log, 3, "%d", 3);
	result |= UE_WRITE(fd, shop::inner::packed, 17);
	result |= UE_WRITE_ACTIVITY(fd, none, none, shop::inner::packed, 17);
	result |= UE_WRITE(fd, ::sent, 17);
	result |= UE_WRITE_EVENTHEADER(fd, shop::inner::information, "Lost", UE_U64(order, 17));
	result |= UE_TRACEPOINT_OF(shop::inner::information)->event.size == 0;
	return result | [fd] { return UE_WRITE(fd, shop::order, "milk", 1); }();
}
}
