/* SPDX-License-Identifier: MIT */
#include "logged.h"
#include "shared.h"

UE_EVENT(in_cpp, UE_STRING(text), UE_BOOL(flag));

UE_PROVIDER(in_cpp, "InCpp");
UE_TRACEPOINT(logged_in_cpp, in_cpp, UE_LEVEL_ERROR, 0x8000000000000000);

namespace space {
UE_PROVIDER(inner, "InNamespace");
UE_TRACEPOINT(logged_in_a_namespace, inner, UE_LEVEL_ERROR, 1);
UE_EVENTHEADER(logged_in_a_namespace, log_in_a_namespace, UE_BOOL(flag), UE_CHAR16(letter),
	     UE_STRING16(text), UE_ARRAY(UE_F32(numbers), 2),
	     UE_STRUCT(s, UE_SEQUENCE(UE_BLOB(blobs))));

template <typename T> int log(int fd, T value)
{
	const float numbers[] = { 1, 2 };
	const ue_span blob = { "x", 1 };

	return UE_WRITE(fd, log_in_a_namespace, true, u'x', u"text", numbers, &blob, 1) |
	       UE_WRITE_EVENTHEADER(fd, logged_in_a_namespace, "in a template",
		      UE_S64(value, static_cast<int64_t>(value)),
		      UE_STRING16(text, u"text"), UE_NULLABLE(UE_F64(none, nullptr)));
}

UE_EVENT(in_a_namespace, UE_U8(value));

template <typename T> int write(int fd, T value)
{
	return UE_WRITE(fd, in_a_namespace, static_cast<uint8_t>(value)) |
	       UE_WRITE(fd, shared, static_cast<uint32_t>(value), "template");
}
} // namespace space

/* With external linkage, as C++ functions have. */
inline int log_in_cpp_inline(int fd)
{
	return UE_WRITE_EVENTHEADER(fd, logged, "inline in C++", UE_POINTER(fd, &fd)) |
	       log_shared_inline(fd, 8);
}

int write_from_cpp(int fd)
{
	auto lambda = [&] { return UE_WRITE(fd, in_cpp, "lambda", true); };

	auto logging = [&](int number) {
		return UE_WRITE_EVENTHEADER(fd, logged_in_cpp, "in a lambda", UE_INT(number, number),
			      UE_STRING(text, "lambda"), UE_BLOB(bytes, "ab", 2)) |
		       UE_WRITE_EVENTHEADER_WITH(fd, logged_in_cpp, UE_ID(1, 2) | UE_OPCODE(1), nullptr,
				   nullptr, "with options");
	};

	return space::log(fd, 1) | space::log(fd, 2UL) | logging(7) | log_in_cpp_inline(fd) |
	       space::write(fd, 1) | space::write(fd, 2L) | lambda() |
	       write_shared_inline(fd, 5);
}
