/* SPDX-License-Identifier: MIT */
/*
 * Typed events: defined once, written with their values.
 *
 *	UE_EVENT(request_done, UE_U32(status), UE_U64(latency_ns), UE_STRING(path));
 *
 *	int fd = ue_open(NULL);
 *	ue_register_all(fd);
 *	UE_WRITE(fd, request_done, 200, 1234567, "/index.html");
 *
 * An event consists of
 *
 * A word, zero while the event is disabled. All words of a module share a section, sixteen
 * to a cache line. Code refers to a word by name, so that the test needs no pointer.
 *
 * A function with the values as parameters: the compiler checks them like any call. It
 * packs them into one record on its stack and passes that to the library. It is cold code,
 * placed away from its callers.
 *
 * A struct ue_event, and a pointer to it in another section. A constructor of each program
 * and shared object lists that section with the library (abi/module.h), which is how
 * ue_register_all() finds all events of the process.
 */
#ifndef USEREVENTS_CLASSIC_EVENT_H
#define USEREVENTS_CLASSIC_EVENT_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <userevents/event.h>
#include <userevents/abi/event_state.h>
#include <userevents/abi/write_calls.h>
#include <userevents/fields.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
#define UE__EXTERN extern "C"
#else
#define UE__EXTERN extern
#endif

/*
 * The objects of an event that several files share. In C++ they belong to their namespace,
 * even inside of extern "C", so that shop::order and bank::order are two. Outside of
 * namespaces the names of objects are those of C, so that C and C++ files share an event.
 */
#ifdef __cplusplus
#define UE__SHARED extern "C++"
#define UE__SHARED_BEGIN extern "C++" {
#define UE__SHARED_END }
#else
#define UE__SHARED extern
#define UE__SHARED_BEGIN
#define UE__SHARED_END
#endif

/*
 * Define an event for this source file: UE_EVENT(name, fields...).
 *
 * name: a C identifier and no macro.
 * fields: up to 64, of fields.h.
 *
 * At file scope, followed by a semicolon. The event shows as user_events:NAME. Since 0.1.
 */
#define UE_EVENT(...) \
	UE__EVENT(UE__FIELDS(__VA_ARGS__), UE__RAW(ue__##__VA_ARGS__), 0, __VA_ARGS__, ~)

/*
 * The same with flags: UE_EVENT_FLAGS(flags, name, fields...), flags as in struct
 * ue_event; a constant. Since 0.1.
 */
#define UE_EVENT_FLAGS(flags, ...) \
	UE__EVENT(UE__FIELDS(__VA_ARGS__), UE__RAW(ue__##__VA_ARGS__), flags, \
		  __VA_ARGS__, ~)

/*
 * For an event that several source files of a module write:
 * UE_EVENT_DECLARE(name, fields...) in a header, and UE_EVENT_DEFINE(name) in one of
 * the files that include it, or UE_EVENT_DEFINE(name, flags) with constant flags. An inline
 * function that writes an event must be static in C. Since 0.1.
 */
#define UE_EVENT_DECLARE(...) \
	UE__DECLARE(UE__FIELDS(__VA_ARGS__), UE__RAW(ue__##__VA_ARGS__), __VA_ARGS__, ~)
#define UE_EVENT_DEFINE(...) UE__EVENT_DEFINE(__VA_ARGS__, 0, ~)
/*
 * Write an event: UE_WRITE(fd, name, values...).
 *
 * fd: from ue_open(), the session on which the event is registered.
 * name: of UE_EVENT(), UE_EVENT_DECLARE() or UE_EVENTHEADER().
 * values: of the fields, in their order; fields.h has the values that each takes.
 *
 * In C++, a qualified name refers to an event of another namespace, UE_WRITE(fd,
 * shop::order, 17); the same holds wherever a macro takes an event, a tracepoint or a
 * provider. UE_EVENT_DEFINE() and UE_TRACEPOINT_DEFINE() go into the namespace itself.
 * Events of one name in two namespaces are two events. Tools see one name, so a process can
 * register both only if their fields are equal (ue_register()).
 *
 * The compiler checks the values like the arguments of a function: a wrong number or type
 * does not compile. fd and values are evaluated only while the event is enabled. This is an
 * expression of type int.
 *
 * Returns 0 when written, while disabled, and when the event is not registered; otherwise
 * as ue_write(), and -EFAULT for a NULL where bytes are needed (if the event is too large as
 * well, this or -EMSGSIZE). Any thread, signal handlers too; no cancellation point; leaves
 * errno alone. Since 0.1.
 *
 * Stack: the size of the fields and 0.5 KiB; with fields of variable length at most 3.5 KiB
 * (5 KiB if the program is compiled without optimization), and 2 KiB more while a reader
 * asks for the stacks of the event (ue_ring_stack()). (A payload of more than 1.2 KiB
 * in many pieces of more than 256 bytes, and an event of UE_EVENTHEADER() with such fields and
 * a payload of more than 2 KiB, are assembled in memory that is mapped for it; -ENOMEM if that
 * fails.) A value cannot itself contain UE_WRITE().
 */
#define UE_WRITE(fd, ...) \
	UE__PASTE(UE__WRITE_, UE__HAS_VALUES(__VA_ARGS__))(fd, __VA_ARGS__)

/* Is the event enabled? To skip work that only the trace needs. 1 or 0, as ue_enabled().
 * Since 0.1. */
#define UE_ENABLED(name) \
	(UE__LISTENED(name##_ue__word) && ue__is_listened(name##_ue__event))

/* The struct of an event, for ue_register() and the like. Since 0.1. */
#define UE_EVENT_OF(name) (name##_ue__event)

/* Called for each event that could not be registered or unregistered, with the reason. */
typedef void ue_failure_fn(const struct ue_event *event, int error, void *context);

/*
 * Register every event of this process: those of the program and of each shared object
 * that is loaded, in the order in which they were loaded. Events that are registered
 * already are left alone, so that the call can be repeated: it tries failed events again,
 * and registers the events of shared objects that were loaded by dlopen() since the last
 * call.
 *
 * This call is for the program, which decides the session for the whole process. A shared
 * object that opens a session of its own registers its own events, and only those, by
 * ue_register_module(). An event has one session, through which alone it can be
 * written. If a module or ue_register() put it on another one, it is left there. If
 * another ue_register_all() did, this fails for the event with -EXDEV: close that
 * session first. So tests in threads of one process, each with a session of its own,
 * must run one at a time (capture.h).
 *
 * A shared object that is unloaded (dlclose()) unregisters its events by itself. A module
 * that contains libuserevents.a and hides it (-Wl,--exclude-libs,ALL) has its own list, with
 * the events of that module alone. It stays loaded until the process ends, as
 * libuserevents.so does, because the library may have a thread: dlclose() of it runs no
 * destructors and unregisters nothing, and the next dlopen() finds the same module with
 * its variables. The linker does that with -z nodelete, which `pkg-config --static
 * --libs libuserevents` prints; otherwise the library asks the dynamic linker when the
 * module is loaded. If it cannot ask (glibc before 2.34, and nothing in the process is
 * linked with libdl), the module can be unloaded, and ue_open() returns -EAGAIN where
 * the library needs a thread.
 *
 * fd: from ue_open(); if that failed, this returns -EBADF and does nothing.
 *
 * Returns 0, or the error of the first event that failed, as ue_register(); the others are
 * registered all the same. Any thread, but not in signal handlers. dlclose() in another
 * thread waits until the events of its module are through, for 2 s at most: a call that
 * waits longer than that, for a capture, must not run while its module is unloaded. Leaves
 * errno alone. Since 0.1.
 */
static inline int ue_register_all(int fd);

/*
 * The same, and call failed() for each event that failed.
 *
 * failed, context: called with the event, the error and context, after the attempt,
 *   without any lock held; NULL for none. It returns, or calls exit(); it must not unload
 *   the module of the event, nor end by longjmp() or a C++ exception.
 *   event->definition begins with the event's name, even if that is malformed. After
 *   -EADDRINUSE, ue_event_namesake() has the definition that is in the event's way.
 *
 * Returns, threads and the rest as ue_register_all(). Since 0.1.
 */
static inline int ue_register_all_report(int fd, ue_failure_fn *failed, void *context);

/*
 * Unregister every event of this process, whatever its session.
 *
 * Returns 0, or the error of the first event that failed, as ue_unregister(); an event that
 * is not registered is no failure. Any thread, but not in signal handlers. Leaves errno
 * alone. Since 0.1.
 */
static inline int ue_unregister_all(void);

#ifndef UE__LIBRARY

/*
 * Register every event of the calling program or shared object that is not registered yet:
 * ue_register_all() and ue_register_all_report() for one module, with the same parameters,
 * results and safety. -EXDEV: the events are on another session, by this call or by
 * ue_register_all(). Since 0.1.
 */
static inline int ue_register_module(int fd);
static inline int ue_register_module_report(int fd, ue_failure_fn *failed, void *context);

/*
 * Unregister every event of the calling program or shared object. Its results, threads and
 * safety are those of ue_unregister_all(). Since 0.1.
 */
static inline int ue_unregister_module(void);

#endif

/* Everything below is internal. */

/*
 * Register, or unregister, the events of a module that are not registered yet; of all
 * modules if it is NULL.
 */
UE__EXTERN UE__PUBLIC int ue__register_events(int fd, const struct ue__module *module,
					      ue_failure_fn *failed, void *context);
UE__EXTERN UE__PUBLIC int ue__unregister_events(const struct ue__module *module);

static inline int ue_register_all(int fd)
{
	return ue__register_events(fd, UE__NULL, UE__NULL, UE__NULL);
}

static inline int ue_register_all_report(int fd, ue_failure_fn *failed, void *context)
{
	return ue__register_events(fd, UE__NULL, failed, context);
}

static inline int ue_unregister_all(void)
{
	return ue__unregister_events(UE__NULL);
}

#ifndef UE__LIBRARY
static inline int ue_register_module(int fd)
{
	return ue__register_events(fd, &ue__this_module, UE__NULL, UE__NULL);
}

static inline int ue_register_module_report(int fd, ue_failure_fn *failed, void *context)
{
	return ue__register_events(fd, &ue__this_module, failed, context);
}

static inline int ue_unregister_module(void)
{
	return ue__unregister_events(&ue__this_module);
}
#endif

/* strnlen(), which strict C does not declare. NULL has no bytes. */
static inline size_t ue__length_up_to(const char *text, size_t max)
{
	const char *end = text ? UE__CAST(const char *, memchr(text, 0, max)) : text;

	return end ? UE__CAST(size_t, end - text) : text ? max : 0;
}

static inline void ue__set_piece(struct ue__piece *piece, const void *data,
				 size_t length, unsigned kind, size_t located,
				 int is_first)
{
	piece->data = data;
	piece->length = length > UINT32_MAX ? UINT32_MAX : UE__CAST(uint32_t, length);
	piece->located = UE__CAST(uint16_t, located);
	piece->kind = UE__CAST(uint8_t, kind);
	piece->is_first = UE__CAST(uint8_t, is_first);
}

#define UE__LISTENED(word) \
	__builtin_expect(__atomic_load_n(word, __ATOMIC_RELAXED) != 0, 0)

/*
 * C compilers only warn about a pointer in place of an integer and about a call of an
 * unknown function. Make these errors.
 */
#ifdef __cplusplus
#define UE__STRICT
#define UE__LENIENT
#else
#define UE__STRICT                                                         \
	_Pragma("GCC diagnostic push")                                     \
	_Pragma("GCC diagnostic error \"-Wint-conversion\"")               \
	_Pragma("GCC diagnostic error \"-Wincompatible-pointer-types\"")   \
	_Pragma("GCC diagnostic error \"-Wimplicit-function-declaration\"")
#define UE__LENIENT _Pragma("GCC diagnostic pop")
#endif

#define UE__HIDDEN __attribute__((__visibility__("hidden")))
#define UE__UNUSED __attribute__((__unused__))
#define UE__COLD __attribute__((__cold__, __noinline__, __unused__))
#if defined(__has_attribute)
#if __has_attribute(__retain__)
#define UE__LISTED __attribute__((__section__("ue_events"), __used__, __retain__))
#endif
#endif
#ifndef UE__LISTED
#define UE__LISTED __attribute__((__section__("ue_events"), __used__))
#endif

/*
 * Names that other macros refer to get a suffix, not a prefix: in C++ the name may be
 * qualified, shop::order, and ## joins with the last token.
 */
#define UE__WRITE_0(fd, name) \
	UE__IF_LISTENED(name, name##_ue__write(fd, name##_ue__event))
#define UE__WRITE_1(fd, name, ...) \
	UE__IF_LISTENED(name, name##_ue__write(fd, name##_ue__event, __VA_ARGS__))
#define UE__IF_LISTENED(name, write)                                            \
	__extension__({                                                         \
		UE__STRICT                                                      \
		int ue__result = 0;                                             \
		const uint32_t ue__word =                                       \
			__atomic_load_n(name##_ue__word, __ATOMIC_RELAXED);     \
		if (__builtin_expect(ue__word != 0, 0) &&                       \
		    UE__WORD_SAYS(ue__word, name##_ue__event))                  \
			ue__result = write;                                     \
		UE__LENIENT                                                     \
		ue__result;                                                     \
	})

/* An event of one file: its words and structs are static. */
#define UE__EVENT(n, written, flags, ...) UE__EVENT_(n, written, flags, __VA_ARGS__)
#define UE__EVENT_(n, written, flags, name, ...)                                \
	UE__PASTE(UE__EVENT_, UE__ARE_FIELDS(n, __VA_ARGS__))                   \
	(n, written, flags, name, __VA_ARGS__)
#define UE__EVENT_0(n, written, flags, name, ...) \
	UE__REFUSE_FIELDS(n, __VA_ARGS__) UE__STATIC_ASSERT(1, "")
#define UE__EVENT_1(n, written, flags, name, ...)                               \
	UE__AS_WRITTEN("an event", #name, written);                             \
	UE__LIMITS(n, name, __VA_ARGS__);                                       \
	static UE__WORD(name);                                                  \
	UE__TEXT(n, name, __VA_ARGS__);                                         \
	UE__TYPES(n, name, __VA_ARGS__);                                        \
	UE__OBJECTS(static, flags, name);                                       \
	UE__FUNCTION(n, name, __VA_ARGS__)                                      \
	UE__STATIC_ASSERT(1, "")

/* An event of several files: declared in each, defined in one. */
#define UE__EVENT_DEFINE(name, flags, ...)         \
	UE__SHARED_BEGIN                           \
	UE__HIDDEN UE__WORD(name);                 \
	UE__OBJECTS(UE__HIDDEN, flags, name);      \
	UE__SHARED_END                             \
	UE__STATIC_ASSERT(1, "")
#define UE__DECLARE(n, written, ...) UE__DECLARE_(n, written, __VA_ARGS__)
#define UE__DECLARE_(n, written, name, ...)                                     \
	UE__PASTE(UE__DECLARE_, UE__ARE_FIELDS(n, __VA_ARGS__))                 \
	(n, written, name, __VA_ARGS__)
#define UE__DECLARE_0(n, written, name, ...) \
	UE__REFUSE_FIELDS(n, __VA_ARGS__) UE__STATIC_ASSERT(1, "")
#define UE__DECLARE_1(n, written, name, ...)                                    \
	UE__AS_WRITTEN("an event", #name, written);                             \
	UE__LIMITS(n, name, __VA_ARGS__);                                       \
	UE__SHARED UE__HIDDEN UE__WORD(name);                                   \
	UE__SHARED UE__HIDDEN struct ue_event name##_ue__event[1];              \
	UE__TEXT(n, name, __VA_ARGS__);                                         \
	UE__TYPES(n, name, __VA_ARGS__);                                        \
	UE__FUNCTION(n, name, __VA_ARGS__)                                      \
	UE__STATIC_ASSERT(1, "")

#define UE__WORD(name) \
	uint32_t name##_ue__word[1] __attribute__((__section__("ue_words")))

#define UE__LIMITS(n, name, ...)                                                \
	UE__STATIC_ASSERT(sizeof(UE__STRING(n)) <= sizeof("64"),                \
			  "the event " #name " has more than 64 fields")

/* "name type field; type field" */
#define UE__TEXT(n, name, ...)                                                  \
	static const char ue__text_##name[] UE__UNUSED =                        \
		#name UE__EACH(n, ~, UE__TEXT_MORE, UE__TEXT_LAST, __VA_ARGS__);   \
	UE__STATIC_ASSERT(sizeof(ue__text_##name) <= 512,                       \
			  "the definition of the event " #name                  \
			  " is longer than the kernel takes, 511 bytes")

#define UE__TYPES(n, name, ...)                                                 \
	struct ue__fixed_##name {                                               \
		uint32_t ue__index;                                             \
		UE__EACH(n, ~, UE__MEMBER, UE__MEMBER, __VA_ARGS__)                \
	} __attribute__((__packed__));                                          \
	UE__STATIC_ASSERT(sizeof(struct ue__fixed_##name) <=                    \
				  UE_PAYLOAD_MAX_PERF + sizeof(uint32_t),       \
			  "the fields of the event " #name                      \
			  " are larger than any listener can receive")

#define UE__OBJECTS(storage, flags, name)                                       \
	UE__FLAGS_ARE_CONSTANT("event " #name, flags)                           \
	storage struct ue_event name##_ue__event[1] = { UE__EVENT_INIT(         \
		name##_ue__word, ue__text_##name, flags,                        \
		sizeof(struct ue__fixed_##name) - sizeof(uint32_t), UE__NULL) }; \
	static struct ue_event *ue__listed_##name UE__LISTED = name##_ue__event

/* C refuses flags that are not constant; C++ would set them as the program starts. */
#ifdef __cplusplus
#define UE__FLAGS_ARE_CONSTANT(of, flags)                                       \
	UE__STATIC_ASSERT(__builtin_constant_p((flags) | 0),                    \
			  "the flags of the " of " are not a constant");
#else
#define UE__FLAGS_ARE_CONSTANT(of, flags)
#endif

#define UE__SENDER(size)                                                \
	((size) > sizeof(uint32_t) && (size) <= UE__SMALL_RECORD ?      \
		 ue__send_small : ue__send_fixed)

#define UE__FUNCTION(n, name, ...)                                              \
	static UE__COLD int name##_ue__write(                                   \
		int ue__fd, struct ue_event *ue__event                          \
		UE__EACH(n, ~, UE__PARAMETER, UE__PARAMETER, __VA_ARGS__))         \
	{                                                                       \
		enum {                                                          \
			ue__pieces = 0 UE__EACH(n, ~, UE__IS_VARIABLE,             \
						UE__IS_VARIABLE, __VA_ARGS__)   \
		};                                                              \
		struct {                                                        \
			struct ue__piece ue__list[ue__pieces > 0 ? ue__pieces : 1]; \
			union {                                                 \
				struct ue__fixed_##name ue__fixed;              \
				char ue__room[ue__pieces > 0 ? UE__RECORD : 1]; \
			} ue__record;                                           \
			char ue__spare;                                         \
		} ue__to;                                                       \
		struct ue__piece *ue__piece = ue__to.ue__list;                  \
		(void)ue__piece;                                                \
		UE__EACH(n, ~, UE__SET, UE__SET, __VA_ARGS__)                      \
		if (ue__pieces == 0)                                            \
			return UE__SENDER(sizeof(ue__to.ue__record.ue__fixed))( \
				ue__fd, &ue__to.ue__record,                     \
				sizeof(ue__to.ue__record.ue__fixed), ue__event); \
		return ue__send_pieces(ue__fd, ue__event, &ue__to.ue__record,   \
				       ue__to.ue__list);                        \
	}

#include <userevents/abi/restore_names.h>
#endif
