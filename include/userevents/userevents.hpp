// SPDX-License-Identifier: MIT
//
// libuserevents for C++17 and later: a session that closes itself, and fields that take
// std::string_view, std::span and containers. All macros of userevents.h work as in C; the
// name of an event, tracepoint, provider or logger may be qualified.
//
//	namespace shop {
//	UE_EVENT(order, UE_STRING_VIEW(item), UE_U32(count));
//	}
//
//	userevents::session session;
//	session.register_all();
//	UE_WRITE(session.fd(), shop::order, item, 2);
//
// Blocks are activities:
//
//	UE_ACTIVITY(parts, checkout, UE_STRING_VIEW(user));
//	...
//	const auto running = UE_START_ACTIVITY(session.fd(), shop::checkout, "ann");
//
// Nothing here throws, and values are evaluated only while the event is enabled. There is no
// code in the library for it. format.hpp has texts of std::format(). Everything is since 0.1.
#ifndef USEREVENTS_USEREVENTS_HPP
#define USEREVENTS_USEREVENTS_HPP

#if __cplusplus < 201703L
#error "userevents.hpp needs C++17: compile with -std=c++17 or later, or include userevents.h"
#endif

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L && __has_include(<source_location>)
#include <source_location>
#endif

#include <userevents/userevents.h>

#include <userevents/abi/hide_names.h>

namespace userevents {

// A session, closed with its object. Its descriptor is for the macros.
//
// Without user_events there is no session: fd() is then a negative number, with which the
// macros write nothing, so a program need not test it.
//
// Any thread may use a session, as the functions of session.h say; none may assign to it,
// close or destroy it meanwhile.
class session {
public:
	// As ue_open(NULL).
	session() noexcept : fd_(ue_open(nullptr)) {}
	// As ue_open(&options). options.size is set here.
	explicit session(ue_open_opts options) noexcept : fd_(-EBADF)
	{
		options.size = sizeof(options);
		fd_ = ue_open(&options);
	}
	session(session &&other) noexcept : fd_(std::exchange(other.fd_, -EBADF)) {}
	session &operator=(session &&other) noexcept
	{
		if (this != &other) {
			close();
			fd_ = std::exchange(other.fd_, -EBADF);
		}
		return *this;
	}
	session(const session &) = delete;
	session &operator=(const session &) = delete;
	~session() { close(); }

	// For UE_WRITE() and the like; -errno if there is no session.
	int fd() const noexcept { return fd_; }
	// 0, or -errno of ue_open(); -EBADF after close() or a move.
	int error() const noexcept { return fd_ < 0 ? fd_ : 0; }
	explicit operator bool() const noexcept { return fd_ >= 0; }
	// The error of opening in a sentence, as ue_explain(UE_CALL_OPEN, error()).
	const char *explain() const noexcept { return ue_explain(UE_CALL_OPEN, error()); }

	// Register all events of the process. Returns 0 or the first error, as
	// ue_register_all(); error() if there is no session.
	int register_all() const noexcept { return fd_ < 0 ? fd_ : ue_register_all(fd_); }
	// The same, and call failed(const ue_event &, int error) for each event that failed.
	// An exception of failed() ends the program.
	template <typename Function> int register_all(Function &&failed) const noexcept
	{
		// By a pointer to a pointer, as failed may be constant, or a function.
		auto *callee = &failed;

		return fd_ < 0 ? fd_ : ue_register_all_report(fd_, call<decltype(callee)>, &callee);
	}
	// Register the events of the calling program or shared object, as
	// ue_register_module().
	int register_module() const noexcept
	{
		return fd_ < 0 ? fd_ : ue_register_module(fd_);
	}
	// Close the session now. Returns as ue_close(); 0 if there is none.
	int close() noexcept
	{
		const int fd = std::exchange(fd_, -EBADF);

		return fd < 0 ? 0 : ue_close(fd);
	}

private:
	template <typename Pointer>
	static void call(const ue_event *event, int error, void *context) noexcept
	{
		(**static_cast<Pointer *>(context))(*event, error);
	}

	int fd_;
};

// Text: a std::string_view, or what converts to one. A null const char * is the empty text, as it
// is for UE_STRING().
class text {
	template <typename String>
	static constexpr bool is_view = std::is_convertible_v<const String &, std::string_view> &&
					!std::is_pointer_v<std::decay_t<String>> &&
					!std::is_null_pointer_v<String>;

public:
	constexpr text() noexcept = default;
	constexpr text(const char *string) noexcept
		: view_(string ? std::string_view(string) : std::string_view())
	{
	}
	constexpr text(const char *data, std::size_t size) noexcept : view_(data, size) {}
	template <typename String, typename = std::enable_if_t<is_view<String>>>
	constexpr text(const String &string) noexcept : view_(string)
	{
	}
	constexpr const char *data() const noexcept { return view_.data(); }
	constexpr std::size_t size() const noexcept { return view_.size(); }

private:
	std::string_view view_;
};

// Contiguous values: a pointer and a number, an array, a std::span, or a container with
// data() and size(). The elements have exactly this type; nothing is
// converted.
template <typename Element> class span {
	template <typename Container>
	using element = std::remove_cv_t<
		std::remove_pointer_t<decltype(std::data(std::declval<const Container &>()))>>;

public:
	constexpr span() noexcept = default;
	constexpr span(const Element *data, std::size_t size) noexcept : data_(data), size_(size) {}
	template <typename Container,
		  typename = std::enable_if_t<std::is_same_v<element<Container>, Element>>>
	constexpr span(const Container &values) noexcept
		: data_(std::data(values)), size_(std::size(values))
	{
	}
	constexpr const Element *data() const noexcept { return data_; }
	constexpr std::size_t size() const noexcept { return size_; }

private:
	const Element *data_ = nullptr;
	std::size_t size_ = 0;
};

// Bytes: a pointer and a number, or anything with data() and size() whose elements have
// one byte: char, unsigned char, std::byte, ... A string literal includes its NUL.
class bytes {
	template <typename Container>
	using element =
		std::remove_pointer_t<decltype(std::data(std::declval<const Container &>()))>;

public:
	constexpr bytes() noexcept = default;
	constexpr bytes(const void *data, std::size_t size) noexcept : data_(data), size_(size) {}
	template <typename Container, typename = std::enable_if_t<sizeof(element<Container>) == 1>>
	constexpr bytes(const Container &values) noexcept
		: data_(std::data(values)), size_(std::size(values))
	{
	}
	constexpr const void *data() const noexcept { return data_; }
	constexpr std::size_t size() const noexcept { return size_; }

private:
	const void *data_ = nullptr;
	std::size_t size_ = 0;
};

#if defined(__cpp_lib_source_location)
using source_location = std::source_location;
#else
// The part of std::source_location that compilers have in C++17.
class source_location {
public:
	static constexpr source_location current(const char *file = __builtin_FILE(),
						 const char *function = __builtin_FUNCTION(),
						 unsigned line = __builtin_LINE()) noexcept
	{
		source_location here;

		here.file_ = file;
		here.function_ = function;
		here.line_ = line;
		return here;
	}
	constexpr const char *file_name() const noexcept { return file_; }
	constexpr const char *function_name() const noexcept { return function_; }
	constexpr std::uint_least32_t line() const noexcept { return line_; }

private:
	const char *file_ = "", *function_ = "";
	unsigned line_ = 0;
};
#endif

// An activity that lasts as long as this object, in a block: UE_START_ACTIVITY() makes one.
//
// While it lasts, it is the current one of its thread. It must be destroyed on that thread, and
// before those that were made earlier; so it can be neither copied nor moved. Activities of a
// disabled tracepoint are none: they cost a load and a test, and leave the current one as it is.
class activity {
	using clock = std::chrono::steady_clock;

public:
	// Writes the event that stops it; duration in nanoseconds.
	using stop_function = int(int fd, const ue_activity *id, std::uint64_t duration,
				  bool is_failed);

	// None.
	activity() noexcept = default;
	// One that was started elsewhere, another thread or process: it has no events here.
	explicit activity(const ue_activity &id) noexcept
		: id_(id), is_some_(true), parent_(std::exchange(current_, this))
	{
	}
	// start(fd, id, related, here) writes the event that starts it. An exception of it ends
	// the program.
	template <typename Start>
	activity(int fd, const Start &start, stop_function &stop,
		 source_location here = source_location::current()) noexcept
		: fd_(fd), stop_(&stop), exceptions_(std::uncaught_exceptions())
	{
		if (ue_activity_create(&id_) < 0)
			return; // no randomness
		is_some_ = true;
		start(fd, &id_, current(), here);
		parent_ = std::exchange(current_, this);
		begin_ = clock::now();
	}
	activity(const activity &) = delete;
	activity &operator=(const activity &) = delete;
	~activity()
	{
		if (!is_some_)
			return;
		current_ = parent_;
		if (stop_)
			stop_(fd_, &id_, duration(), std::uncaught_exceptions() > exceptions_);
	}

	// Its 16 bytes, for other threads or processes; NULL of none.
	const ue_activity *id() const noexcept { return is_some_ ? &id_ : nullptr; }
	// Those of the current one of this thread, or NULL.
	static const ue_activity *current() noexcept
	{
		return current_ ? &current_->id_ : nullptr;
	}

private:
	std::uint64_t duration() const noexcept
	{
		using std::chrono::nanoseconds;
		const auto passed = std::chrono::duration_cast<nanoseconds>(clock::now() - begin_);

		return static_cast<std::uint64_t>(passed.count());
	}

	ue_activity id_{};
	bool is_some_ = false;
	int fd_ = -EBADF;
	stop_function *stop_ = nullptr;
	int exceptions_ = 0;
	const activity *parent_ = nullptr;
	clock::time_point begin_{};
	static inline thread_local const activity *current_ = nullptr;
};

} // namespace userevents

// Internal: for macros, as all other names may be macros of the program.
using ue__activity = userevents::activity;
using ue__activity_id = ue_activity;
using ue__location = userevents::source_location;
using ue__duration = std::uint64_t;
using ue__text = userevents::text;
using ue__bytes = userevents::bytes;
using ue__string16 = std::u16string_view;
using ue__string32 = std::u32string_view;
template <typename Element> using ue__span_of = userevents::span<Element>;
inline const ue__activity_id *ue__current_activity() noexcept
{
	return userevents::activity::current();
}
inline const char *ue__file_of(const ue__location &here) noexcept
{
	return here.file_name();
}
inline const char *ue__function_of(const ue__location &here) noexcept
{
	return here.function_name();
}
inline std::uint32_t ue__line_of(const ue__location &here) noexcept
{
	return here.line();
}

// The elements of a view, and how many there are.
template <typename View> inline const void *ue__data_of(const View &view) noexcept
{
	return view.data();
}
template <typename View> inline std::size_t ue__size_of(const View &view) noexcept
{
	return view.size();
}
template <typename View> inline ue__span_slot ue__as_span(const View &view) noexcept
{
	return ue__span_slot{ view.data(), view.size() };
}

// Fields, in addition to those of fields.h and eventheader_fields.h.
//
//	macro			in the trace as			value
//	UE_STRING_VIEW(name)	UE_COUNTED_STRING(name)		userevents::text
//	UE_BLOB_VIEW(name)	UE_BLOB(name)			userevents::bytes
//
// and of EventHeader events alone
//
//	UE_STRING16_VIEW(name)	UE_COUNTED_STRING16(name)	std::u16string_view
//	UE_STRING32_VIEW(name)	UE_COUNTED_STRING32(name)	std::u32string_view
//	UE_SPAN(F)		UE_SEQUENCE(F)			userevents::span<T>, where F
//								is a number that takes a T
//
// All may be in UE_STRUCT(), but not in UE_STRUCTS() and UE_STRUCT_ARRAY(), which read C
// structs. A value may follow the name for UE_WRITE_EVENTHEADER(); temporary objects in it live
// until the event is written.
#define UE_STRING_VIEW(...)                                                          \
	UE__VIEW(UE__RAW(ue__##__VA_ARGS__), ::ue__text, "char", UE__TERMINATED, \
		 UE_ENCODING_STRING_LENGTH16_CHAR8, __VA_ARGS__, ~, ~)
#define UE_BLOB_VIEW(...)                                                            \
	UE__VIEW(UE__RAW(ue__##__VA_ARGS__), ::ue__bytes, "u8", UE__BYTES,   \
		 UE_ENCODING_BINARY_LENGTH16_CHAR8, __VA_ARGS__, ~, ~)
#define UE_STRING16_VIEW(...)                                                        \
	UE__EH_FIELD(ue__view, UE__RAW(ue__##__VA_ARGS__), ::ue__string16,          \
		     char16_t, 0, ue__e, UE_ENCODING_STRING_LENGTH16_CHAR16, 0,      \
		     __VA_ARGS__, ~, ~)
#define UE_STRING32_VIEW(...)                                                        \
	UE__EH_FIELD(ue__view, UE__RAW(ue__##__VA_ARGS__), ::ue__string32,          \
		     char32_t, 0, ue__e, UE_ENCODING_STRING_LENGTH16_CHAR32, 0,      \
		     __VA_ARGS__, ~, ~)
#define UE_SPAN(field) UE__CHANGE(UE__SPAN, ~, field)

// Define an activity: UE_ACTIVITY(tracepoint, name, fields...). It is two events "name" of the
// tracepoint. One starts it, with the fields, and file, line and function of
// std::source_location (C++17: of the compiler). One stops it, with duration_ns (u64), and
// is_failed, whether an exception leaves its block.
//
// tracepoint: as for UE_EVENTHEADER(). name: a C++ identifier. fields: as there, or none.
// At namespace scope, followed by a semicolon.
#define UE_ACTIVITY(tracepoint, ...) \
	UE__PASTE(UE__ACTIVITY_, UE__HAS_VALUES(__VA_ARGS__))(tracepoint, __VA_ARGS__)

// Start an activity: const auto variable = UE_START_ACTIVITY(fd, name, values...). The
// variable is a userevents::activity, whose end stops it. Its parent, in the trace, is the
// current activity of this thread. name: of UE_ACTIVITY(), may be qualified.
#define UE_START_ACTIVITY(fd, ...) \
	UE__PASTE(UE__START_ACTIVITY_, UE__HAS_VALUES(__VA_ARGS__))(fd, __VA_ARGS__)

// Write an event as part of the current activity of this thread, or of none if there is none.
// Otherwise as UE_WRITE(), for events of UE_EVENTHEADER().
#define UE_WRITE_WITHIN(fd, ...) \
	UE_WRITE_ACTIVITY(fd, ::ue__current_activity(), UE__NULL, __VA_ARGS__)

// Everything below is internal.

#define UE__ACTIVITY_0(tracepoint, name)                                             \
	UE_EVENTHEADER_WITH(tracepoint, name##_ue__start, #name,                     \
			    UE_OPCODE(UE_OPCODE_ACTIVITY_START), UE__HERE_FIELDS);   \
	UE__ACTIVITY_STOP(tracepoint, name)
#define UE__ACTIVITY_1(tracepoint, name, ...)                                        \
	UE_EVENTHEADER_WITH(tracepoint, name##_ue__start, #name,                     \
			    UE_OPCODE(UE_OPCODE_ACTIVITY_START), __VA_ARGS__,        \
			    UE__HERE_FIELDS);                                        \
	UE__ACTIVITY_STOP(tracepoint, name)
#define UE__HERE_FIELDS                                                              \
	UE_NAMED("file", UE_STRING(ue__file)), UE_NAMED("line", UE_U32(ue__line)),   \
		UE_NAMED("function", UE_STRING(ue__function))
#define UE__ACTIVITY_STOP(tracepoint, name)                                          \
	UE_EVENTHEADER_WITH(tracepoint, name##_ue__stop, #name,                      \
			    UE_OPCODE(UE_OPCODE_ACTIVITY_STOP),                      \
			    UE_NAMED("duration_ns", UE_U64(ue__duration)),           \
			    UE_NAMED("is_failed", UE_BOOL(ue__is_failed)));          \
	__attribute__((__unused__)) static inline int name##_ue__end(                \
		int ue__fd, const ::ue__activity_id *ue__id, ::ue__duration ue__passed, \
		bool ue__is_failed)                                                  \
	{                                                                            \
		return UE_WRITE_ACTIVITY(ue__fd, ue__id, UE__NULL, name##_ue__stop, ue__passed, \
					 ue__is_failed);                             \
	}                                                                            \
	UE__STATIC_ASSERT(1, "")
#define UE__START_ACTIVITY_0(fd, name) \
	UE__START(fd, name, UE_WRITE_ACTIVITY(ue__fd, ue__id, ue__related, name##_ue__start, \
					      UE__HERE_VALUES))
#define UE__START_ACTIVITY_1(fd, name, ...) \
	UE__START(fd, name, UE_WRITE_ACTIVITY(ue__fd, ue__id, ue__related, name##_ue__start, \
					      __VA_ARGS__, UE__HERE_VALUES))
#define UE__HERE_VALUES \
	::ue__file_of(ue__where), ::ue__line_of(ue__where), ::ue__function_of(ue__where)
// Both sides of the conditional are new objects, so that neither is moved.
#define UE__START(fd, name, write)                                                   \
	(UE_ENABLED(name##_ue__start) ?                                              \
		 ::ue__activity(                                                     \
			 fd,                                                         \
			 [&](int ue__fd, const ::ue__activity_id *ue__id,            \
			     const ::ue__activity_id *ue__related,                   \
			     const ::ue__location &ue__where) { return write; },     \
			 name##_ue__end) :                                           \
		 ::ue__activity())

// More rows of the table in fields.h.

#define UE__VIEW(written, view, text, n, encoding, name, ...)                        \
	UE__FIELD(ue__view, view, char, n, ue__any, written,                         \
		  "__rel_loc " text "[] " #name, ue__e, encoding, 0, name, __VA_ARGS__, ~)
#define UE__SPAN(unused, kind, name, value, type, n, events, written, text, label, bytes, \
		 array, encoding, ...)                                               \
	UE__CHANGED(UE__SPAN_OF_##kind, name, ::ue__span_of<value>, type, n, label, \
		    bytes, ue__counted_array, encoding, __VA_ARGS__)
#define UE__SPAN_OF_ue__scalar ue__view

#define UE__ROW_ue__view(type, n)                                                    \
	ue__view, UE__MEMBER_LOCATION, 1, UE__SET_VIEW, UE__OP_BYTES | UE__OP_GIVEN, \
	sizeof(type), 0, 2, UE__NO_STRUCT
#define UE__SET_VIEW(type, name, n) \
	UE__SET_PIECE(name, ::ue__data_of(name), ::ue__size_of(name), n)
#define UE__PARAMETER_ue__view(value, name) , value name
#define UE__SLOT_ue__view UE__SLOT_ue__span
#define UE__FILL_ue__view(slot, type, from, unused) \
	slot.ue__data = ::ue__data_of(from);        \
	slot.ue__length = ::ue__size_of(from);
#define UE__GIVEN_ue__view(slot, value, type, given, length) \
	slot = ::ue__as_span(ue__as<value>::ue__of(given)),
#define UE__OPS_ue__view UE__OPS_ue__span
#define UE__OP_ARGUMENT_ue__view UE__OP_OF_ARGUMENT
#define UE__OP_MEMBER_ue__view(of, name, value, type, op, unit, units)
#define UE__CHECK_MEMBER_ue__view(x, name, type)                                     \
	UE__STATIC_ASSERT(0, "the field " #name " is a view, which elements cannot have; "  \
			     "use UE_COUNTED_STRING() and struct ue_span");

#include <userevents/abi/restore_names.h>
#endif
