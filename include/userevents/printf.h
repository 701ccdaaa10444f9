/* SPDX-License-Identifier: MIT */
/*
 * Events whose one value is a formatted text, for what a program would otherwise print.
 *
 *	UE_EVENT(shop_note, UE_STRING(text));
 *
 *	UE_PRINTF(fd, shop_note, "order %d of %s: %m", order, customer);
 *
 * An event with a field for each value is smaller, faster to write, and can be filtered and
 * counted by its values; a text can only be read. logger.h has levels.
 */
#ifndef USEREVENTS_PRINTF_H
#define USEREVENTS_PRINTF_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <userevents/abi/event_state.h>
#include <userevents/abi/write_calls.h>
#include <userevents/classic_event.h>
#include <userevents/language.h>

#include <userevents/abi/hide_names.h>

/*
 * Bytes of a formatted text with its NUL. Define another number from 16 on before the first
 * header of the library: it is the room on the stack of UE_PRINTF(). Since 0.1.
 */
#ifndef UE_PRINTF_MAX
#define UE_PRINTF_MAX 1024
#endif
UE__STATIC_ASSERT(UE_PRINTF_MAX >= 16, "UE_PRINTF_MAX is less than 16");

/*
 * Write an event with a formatted text: UE_PRINTF(fd, name, format, values...).
 *
 * name: an event of UE_EVENT() or UE_EVENTHEADER() whose only field is a UE_STRING(),
 *   UE_STRING_MAX() or UE_CHARS(); others do not compile, except one with a UE_DECLARED() that
 *   takes a const char *. In C++ it may be qualified.
 * format, values: as of printf(3), with %m; -Wformat (part of -Wall) checks them.
 *
 * fd, format and values are evaluated, and the text is formatted, only while the event is
 * enabled. A text of UE_PRINTF_MAX bytes or more is truncated: as many of its first bytes
 * as leave room for "..." are kept, but no part of a UTF-8 character.
 *
 * Returns 0 when written, while disabled, and when the event is not registered; an error of
 * UE_WRITE(); or an error of vsnprintf(3), as -errno: -EILSEQ for a wide character that has
 * no multibyte sequence in the locale, -EOVERFLOW, -ENOMEM. Errors are counted as losses.
 * Any thread, but in signal handlers only if snprintf(3) is safe there with this format; no
 * cancellation point beyond that of snprintf(3); leaves errno alone. Needs UE_PRINTF_MAX
 * bytes of stack more than UE_WRITE(). Since 0.1.
 */
#define UE_PRINTF(fd, name, ...)                                                   \
	UE__IF_LISTENED(name, ue__print(name##_ue__write, fd, name##_ue__event,    \
					__VA_ARGS__))

/*
 * The same with the values in a va_list, which is still usable afterwards: UE_VPRINTF(fd,
 * name, format, values). Since 0.1.
 */
#define UE_VPRINTF(fd, name, format, values)                                       \
	UE__IF_LISTENED(name, ue__vprint(name##_ue__write, fd, name##_ue__event,   \
					 format, values))

/* Everything below is internal. */

typedef int ue__write_text_fn(int fd, struct ue_event *event, const char *text);

/* Put "..." at the end of a text that fills size bytes. */
static inline void ue__truncate_text(char *text, size_t size)
{
	size_t end = size - sizeof("...");
	size_t steps = 3; /* a character has at most 3 bytes before its last */

	while (steps > 0 && (text[end] & 0xc0) == 0x80) {
		end--;
		steps--;
	}
	memcpy(text + end, "...", sizeof("..."));
}

/*
 * Inline, so that gcc emits none that is not used, also without optimization. A function with
 * "..." is never inlined, which keeps the text out of its caller's frame.
 */
#define UE__FORMATS(at, values) \
	__attribute__((__cold__, __unused__, __format__(__printf__, at, values)))

/* Returns 0 or -errno. */
UE__FORMATS(3, 0)
static inline int ue__format_text(char *text, size_t size, const char *format,
			   __builtin_va_list values)
{
	const int before = errno;
	__builtin_va_list copy;
	int length, error = 0;

	__builtin_va_copy(copy, values);
	length = __builtin_vsnprintf(text, size, format, copy);
	__builtin_va_end(copy);
	if (length < 0)
		error = errno > 0 ? -errno : -EINVAL;
	else if (UE__CAST(size_t, length) >= size)
		ue__truncate_text(text, size);
	errno = before;
	return error;
}

UE__FORMATS(4, 0)
static inline int ue__vprint(ue__write_text_fn *write_text, int fd, struct ue_event *event,
		      const char *format, __builtin_va_list values)
{
	char text[UE_PRINTF_MAX];
	const int error = ue__format_text(text, sizeof(text), format, values);

	return error ? ue_event_lost(fd, event, error) : write_text(fd, event, text);
}

UE__FORMATS(4, 5)
static inline int ue__print(ue__write_text_fn *write_text, int fd, struct ue_event *event,
		     const char *format, ...)
{
	__builtin_va_list values;
	int result;

	__builtin_va_start(values, format);
	result = ue__vprint(write_text, fd, event, format, values);
	__builtin_va_end(values);
	return result;
}

#include <userevents/abi/restore_names.h>
#endif
