/* SPDX-License-Identifier: MIT */
/*
 * Loggers: a sink for log messages with the priorities of syslog(3).
 *
 *	UE_PROVIDER(shop, "MyCompany_Shop");
 *	UE_LOGGER(shop_log, shop, 0x1);
 *
 *	ue_register_all(fd);
 *	UE_SYSLOG(fd, shop_log, LOG_ERR, "cannot open %s: %m", path);
 *
 * A logger is five tracepoints of its provider and keyword, one of each level, and an event
 * "Log" of each, with the fields message (text), severity (0 to 7, LOG_EMERG to LOG_DEBUG)
 * and facility (LOG_DAEMON >> 3, ...). Tools enable the levels that they want, here
 * MyCompany_Shop_L1K1 to MyCompany_Shop_L5K1:
 *
 *	LOG_EMERG, LOG_ALERT, LOG_CRIT	1, critical
 *	LOG_ERR				2, error
 *	LOG_WARNING			3, warning
 *	LOG_NOTICE, LOG_INFO		4, information
 *	LOG_DEBUG			5, verbose
 */
#ifndef USEREVENTS_LOGGER_H
#define USEREVENTS_LOGGER_H

#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/abi/write_calls.h>
#include <userevents/classic_event.h>
#include <userevents/eventheader_event.h>
#include <userevents/language.h>
#include <userevents/printf.h>

#include <userevents/abi/hide_names.h>

/*
 * Define a logger for this source file: UE_LOGGER(name, provider, keyword).
 *
 * name: a C identifier, which UE_SYSLOG() takes.
 * provider: of UE_PROVIDER().
 * keyword: a constant of 64 bits.
 *
 * At file scope, followed by a semicolon. Its tracepoints are registered by
 * ue_register_all() and the like. Since 0.1.
 */
#define UE_LOGGER(name, provider, keyword)                                  \
	UE_TRACEPOINT(name##_ue__1, provider, UE_LEVEL_CRITICAL_ERROR, keyword); \
	UE_TRACEPOINT(name##_ue__2, provider, UE_LEVEL_ERROR, keyword);     \
	UE_TRACEPOINT(name##_ue__3, provider, UE_LEVEL_WARNING, keyword);   \
	UE_TRACEPOINT(name##_ue__4, provider, UE_LEVEL_INFORMATION, keyword); \
	UE_TRACEPOINT(name##_ue__5, provider, UE_LEVEL_VERBOSE, keyword);   \
	UE__LOGGER_EVENTS(name)

/*
 * For a logger of several source files of a module: UE_LOGGER_DECLARE(name, provider,
 * keyword) in a header, and UE_LOGGER_DEFINE(name) in one of the files that include it.
 * Since 0.1.
 */
#define UE_LOGGER_DECLARE(name, provider, keyword)                                  \
	UE_TRACEPOINT_DECLARE(name##_ue__1, provider, UE_LEVEL_CRITICAL_ERROR, keyword); \
	UE_TRACEPOINT_DECLARE(name##_ue__2, provider, UE_LEVEL_ERROR, keyword);     \
	UE_TRACEPOINT_DECLARE(name##_ue__3, provider, UE_LEVEL_WARNING, keyword);   \
	UE_TRACEPOINT_DECLARE(name##_ue__4, provider, UE_LEVEL_INFORMATION, keyword); \
	UE_TRACEPOINT_DECLARE(name##_ue__5, provider, UE_LEVEL_VERBOSE, keyword);   \
	UE__LOGGER_EVENTS(name)
#define UE_LOGGER_DEFINE(name)              \
	UE_TRACEPOINT_DEFINE(name##_ue__1); \
	UE_TRACEPOINT_DEFINE(name##_ue__2); \
	UE_TRACEPOINT_DEFINE(name##_ue__3); \
	UE_TRACEPOINT_DEFINE(name##_ue__4); \
	UE_TRACEPOINT_DEFINE(name##_ue__5)

/*
 * Write a message: UE_SYSLOG(fd, name, priority, format, values...).
 *
 * fd: from ue_open(). name: of a logger; in C++ it may be qualified.
 * priority: a severity, which a facility may be added to, as of syslog(3). Without one the
 *   field facility is 0. setlogmask(3) and openlog(3) have no influence.
 * format, values: as for UE_PRINTF().
 *
 * Only priority is evaluated while the level is disabled. With a constant priority that
 * costs as much as UE_WRITE() of a disabled event.
 *
 * Returns, truncates, threads and signals as UE_PRINTF(). Since 0.1.
 */
#define UE_SYSLOG(fd, name, priority, ...) \
	UE__LOG(ue__log_text, fd, name, priority, __VA_ARGS__)

/*
 * The same with the values in a va_list, which is still usable afterwards: UE_VSYSLOG(fd,
 * name, priority, format, values). So a program's own function can pass a message to both:
 *
 *	va_start(values, format);
 *	UE_VSYSLOG(fd, shop_log, priority, format, values);
 *	vsyslog(priority, format, values);
 *	va_end(values);
 *
 * Since 0.1.
 */
#define UE_VSYSLOG(fd, name, priority, format, values) \
	UE__LOG(ue__vlog_text, fd, name, priority, format, values)

/* Is any tool listening to messages of this priority? 1 or 0, as ue_enabled(). Since 0.1. */
#define UE_SYSLOG_ENABLED(name, priority) \
	ue__log_is_enabled(&name##_ue__levels[ue__log_level_of(priority)])

/* Everything below is internal. */

typedef int ue__write_log_fn(int fd, struct ue_event *event, const char *message,
			     uint8_t severity, uint8_t facility);

struct ue__log_level {
	const uint32_t *word;
	struct ue_event *event;
	ue__write_log_fn *write_log;
};

/* Constant, so that compilers know the word of a constant priority. */
#define UE__LOGGER_EVENTS(name)                                             \
	UE__LOGGER_EVENT(name##_ue__1, name##_ue__log1);                    \
	UE__LOGGER_EVENT(name##_ue__2, name##_ue__log2);                    \
	UE__LOGGER_EVENT(name##_ue__3, name##_ue__log3);                    \
	UE__LOGGER_EVENT(name##_ue__4, name##_ue__log4);                    \
	UE__LOGGER_EVENT(name##_ue__5, name##_ue__log5);                    \
	static const struct ue__log_level name##_ue__levels[] UE__UNUSED = { \
		UE__LOGGER_LEVEL(name##_ue__1, name##_ue__log1),            \
		UE__LOGGER_LEVEL(name##_ue__2, name##_ue__log2),            \
		UE__LOGGER_LEVEL(name##_ue__3, name##_ue__log3),            \
		UE__LOGGER_LEVEL(name##_ue__4, name##_ue__log4),            \
		UE__LOGGER_LEVEL(name##_ue__5, name##_ue__log5),            \
	}
#define UE__LOGGER_EVENT(tracepoint, log)                                 \
	UE_EVENTHEADER_WITH(tracepoint, log, "Log", 0,                    \
			    UE_NAMED("message", UE_STRING(ue__message)),  \
			    UE_NAMED("severity", UE_U8(ue__severity)),    \
			    UE_NAMED("facility", UE_U8(ue__facility)))
/* The address itself, as a pointer that is a variable is no constant in C. */
#define UE__LOGGER_LEVEL(tracepoint, log) \
	{ tracepoint##_ue__word, UE__FIRST_EVENT(tracepoint##_ue__tracepoint), log##_ue__write }

#define UE__LOG(write_log, fd, name, priority, ...)                                      \
	__extension__({                                                                 \
		const int ue__priority = (priority);                                    \
		const struct ue__log_level *const ue__level =                           \
			&name##_ue__levels[ue__log_level_of(ue__priority)];             \
		ue__log_is_enabled(ue__level) ?                                         \
			write_log(ue__level, fd, ue__priority, __VA_ARGS__) : 0;         \
	})

/* The index of a level, by severity. */
static inline int ue__log_level_of(int priority)
{
	return "\0\0\0\1\2\3\3\4"[priority & 7];
}

static inline int ue__log_is_enabled(const struct ue__log_level *level)
{
	const uint32_t word = __atomic_load_n(level->word, __ATOMIC_RELAXED);

	return __builtin_expect(word != 0, 0) && UE__WORD_SAYS(word, level->event);
}

UE__FORMATS(4, 0)
static inline int ue__vlog_text(const struct ue__log_level *level, int fd, int priority,
			 const char *format, __builtin_va_list values)
{
	char text[UE_PRINTF_MAX];
	const int error = ue__format_text(text, sizeof(text), format, values);

	return error ? ue_event_lost(fd, level->event, error) :
		       level->write_log(fd, level->event, text,
					UE__CAST(uint8_t, priority & 7),
					UE__CAST(uint8_t, priority >> 3 & 0xff));
}

UE__FORMATS(4, 5)
static inline int ue__log_text(const struct ue__log_level *level, int fd, int priority,
			const char *format, ...)
{
	__builtin_va_list values;
	int result;

	__builtin_va_start(values, format);
	result = ue__vlog_text(level, fd, priority, format, values);
	__builtin_va_end(values);
	return result;
}

#include <userevents/abi/restore_names.h>
#endif
