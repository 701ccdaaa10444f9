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
// Nothing here throws, and values are evaluated only while the event is enabled. There is no
// code in the library for it. Everything is since 0.1.
#ifndef USEREVENTS_USEREVENTS_HPP
#define USEREVENTS_USEREVENTS_HPP

#if __cplusplus < 201703L
#error "userevents.hpp needs C++17: compile with -std=c++17 or later, or include userevents.h"
#endif

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

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

} // namespace userevents

// Internal: for macros, as all other names may be macros of the program.
using ue__text = userevents::text;
using ue__bytes = userevents::bytes;
using ue__string16 = std::u16string_view;
using ue__string32 = std::u32string_view;
template <typename Element> using ue__span_of = userevents::span<Element>;

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

// Everything below is internal: more rows of the table in fields.h.

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
