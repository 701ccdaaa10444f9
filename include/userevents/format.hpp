// SPDX-License-Identifier: MIT
//
// Texts of std::format(), for C++20 and a library that has it (gcc 13, clang 17 with libc++):
//
//	UE_EVENT(shop_note, UE_STRING(text));
//	UE_LOGGER(shop_log, shop, 0x1);
//
//	UE_FORMAT(fd, shop_note, "order {} of {}", order, customer);
//	UE_SYSLOG_FORMAT(fd, shop_log, LOG_ERR, "cannot open {}", path);
//
// The compiler checks the format. A header of its own, as <format> takes long to compile; where
// it is missing, this defines nothing: #ifdef UE_FORMAT. Everything is since 0.1.
#ifndef USEREVENTS_FORMAT_HPP
#define USEREVENTS_FORMAT_HPP

#include <userevents/logger.h>
#include <userevents/userevents.hpp>

#if __cplusplus >= 202002L && __has_include(<format>)
#include <format>
#endif

#ifdef __cpp_lib_format
#include <new>
#include <utility>
#endif

#include <userevents/abi/hide_names.h>

#ifdef __cpp_lib_format

// Write an event with a formatted text: UE_FORMAT(fd, name, format, values...).
//
// name: as for UE_PRINTF(). format, values: as of std::format(). All is evaluated, and formatted,
// only while the event is enabled. A text of UE_PRINTF_MAX bytes or more is truncated as there.
// It ends before a NUL.
//
// Returns as UE_PRINTF(); -ENOMEM if a formatter throws std::bad_alloc, and -EINVAL if it throws
// anything else. These are counted as losses, and nothing is thrown.
#define UE_FORMAT(fd, name, ...) \
	UE__IF_LISTENED(name, ::ue__format_event(name##_ue__write, fd, name##_ue__event, __VA_ARGS__))

// Write a message: UE_SYSLOG_FORMAT(fd, name, priority, format, values...), as UE_SYSLOG().
#define UE_SYSLOG_FORMAT(fd, name, priority, ...) \
	UE__LOG(::ue__format_log, fd, name, priority, __VA_ARGS__)

// Everything below is internal.

#ifdef __cpp_exceptions
#define UE__TRY try
#define UE__CATCH(kind, error) catch (kind) { return error; }
#else
#define UE__TRY
#define UE__CATCH(kind, error)
#endif

// Returns 0 or -errno.
template <typename... Values>
int ue__format(char (&text)[UE_PRINTF_MAX], std::format_string<Values...> format,
	       Values &&...values) noexcept
{
	UE__TRY {
		const auto end = std::format_to_n(text, UE_PRINTF_MAX - 1, format,
						  std::forward<Values>(values)...);

		*end.out = '\0';
		if (end.size >= UE_PRINTF_MAX)
			ue__truncate_text(text, sizeof(text));
		return 0;
	}
	UE__CATCH(const std::bad_alloc &, -ENOMEM)
	UE__CATCH(..., -EINVAL)
}

// Not inline, which keeps the text out of its caller's frame.
template <typename... Values>
__attribute__((__cold__, __noinline__)) int
ue__format_event(ue__write_text_fn *write_text, int fd, ue_event *event,
		 std::format_string<Values...> format, Values &&...values) noexcept
{
	char text[UE_PRINTF_MAX];
	const int error = ue__format<Values...>(text, format, std::forward<Values>(values)...);

	return error ? ue_event_lost(fd, event, error) : write_text(fd, event, text);
}

template <typename... Values>
__attribute__((__cold__, __noinline__)) int
ue__format_log(const ue__log_level *level, int fd, int priority,
	       std::format_string<Values...> format, Values &&...values) noexcept
{
	char text[UE_PRINTF_MAX];
	const int error = ue__format<Values...>(text, format, std::forward<Values>(values)...);

	return error ? ue_event_lost(fd, level->event, error) :
		       level->write_log(fd, level->event, text,
					static_cast<std::uint8_t>(priority & 7),
					static_cast<std::uint8_t>(priority >> 3 & 0xff));
}

#undef UE__TRY
#undef UE__CATCH
#endif

#include <userevents/abi/restore_names.h>
#endif
