/* SPDX-License-Identifier: MIT */
/*
 * strlen() for mostly short strings, inline. A caller without other calls need not save
 * registers, which takes longer than finding the end of such a string.
 *
 * The blocks are aligned, so they reach beyond the string but never beyond its page.
 */
#ifndef UE__UTIL_STRING_LENGTH_H
#define UE__UTIL_STRING_LENGTH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UE__IS_SANITIZED 1
#elif defined(__has_feature)
#define UE__IS_SANITIZED                                                     \
	(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	 __has_feature(memory_sanitizer) || __has_feature(hwaddress_sanitizer))
#else
#define UE__IS_SANITIZED 0
#endif

#if defined(__SSE2__) && !UE__IS_SANITIZED

#include <emmintrin.h>

/* A bit for each byte that is 0. */
static inline uint32_t ue__zeros_of(const __m128i *block)
{
	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(*block, _mm_setzero_si128()));
}

/* The number of the lowest bit, as size_t: an int, as builtins return, is converted. Volatile
 * for no use before the test. */
static inline size_t ue__lowest_of(size_t bits)
{
	size_t number;

	__asm__ volatile("rep bsf %1, %0" : "=r"(number) : "r"(bits) : "cc");
	return number;
}

static inline size_t ue__string_length(const char *text)
{
	const uintptr_t skip = (uintptr_t)text % sizeof(__m128i);
	const __m128i *block = (const void *)(text - skip);
	uint32_t zeros = ue__zeros_of(block) >> skip;

	if (zeros)
		return ue__lowest_of(zeros);
	do
		zeros = ue__zeros_of(++block);
	while (__builtin_expect(!zeros, 0));
	return (size_t)((const char *)block - text) + ue__lowest_of(zeros);
}

#else

static inline size_t ue__string_length(const char *text)
{
	return strlen(text);
}

#endif

#endif
