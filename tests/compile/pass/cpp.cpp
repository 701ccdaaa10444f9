/* SPDX-License-Identifier: MIT */
#include "shared.h"

UE_EVENT(in_cpp, UE_STRING(text), UE_BOOL(flag));

namespace space {
UE_EVENT(in_a_namespace, UE_U8(value));

template <typename T> int write(int fd, T value)
{
	return UE_WRITE(fd, in_a_namespace, static_cast<uint8_t>(value)) |
	       UE_WRITE(fd, shared, static_cast<uint32_t>(value), "template");
}
} // namespace space

int write_from_cpp(int fd)
{
	auto lambda = [&] { return UE_WRITE(fd, in_cpp, "lambda", true); };

	return space::write(fd, 1) | space::write(fd, 2L) | lambda() |
	       write_shared_inline(fd, 5);
}
