/* SPDX-License-Identifier: MIT */
/*
 * Differences between C and C++, and the oldest standard of each that the headers accept.
 * Nothing here is for direct use.
 */
#ifndef USEREVENTS_LANGUAGE_H
#define USEREVENTS_LANGUAGE_H

#include <stddef.h>

#if defined(__cplusplus) ? __cplusplus < 201103L : \
	!defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error "libuserevents needs C11 or C++11: compile with -std=c11, -std=c++11 or later"
#endif

/*
 * UE__CAST() is the cast of C in function notation: -Wold-style-cast warns of the other
 * notation even inside a macro, and -Wuseless-cast of a value that has the type already. In
 * C++ it is a function template, which neither looks into; the call is always inlined.
 */
#ifdef __cplusplus
extern "C++" {
template <typename ue__to, typename ue__from>
__attribute__((__always_inline__)) constexpr inline ue__to ue__cast(ue__from ue__x)
{
	return ue__to(ue__x);
}
template <typename ue__type> struct ue__array { enum { ue__is = 0 }; };
template <typename ue__type, size_t ue__n> struct ue__array<ue__type[ue__n]> {
	enum { ue__is = 1 };
};
}
#define UE__CAST(type, x) (ue__cast<type>(x))
#define UE__NULL nullptr
#define UE__IS_ARRAY(x) (ue__array<decltype(x)>::ue__is)
#define UE__STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define UE__CAST(type, x) ((type)(x))
#define UE__NULL NULL
/* The result of ?: is a pointer where x is an array. */
#define UE__IS_ARRAY(x) \
	(!__builtin_types_compatible_p(__typeof__(x), __typeof__(1 ? (x) : (x))))
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define UE__STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#else /* the error above is to be the only one */
#define UE__STATIC_ASSERT(condition, text)
#endif
#endif

#endif
