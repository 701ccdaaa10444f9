/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a number in the memory of this machine, for tests that compare what an event
 * has. Each byte is a string literal, and the highest comes first: NUMBER2("\x12", "\x34").
 */
#ifndef NUMBER_BYTES_H
#define NUMBER_BYTES_H

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NUMBER2(a, b) a b
#define NUMBER4(a, b, c, d) a b c d
#define NUMBER8(a, b, c, d, e, f, g, h) a b c d e f g h
#else
#define NUMBER2(a, b) b a
#define NUMBER4(a, b, c, d) d c b a
#define NUMBER8(a, b, c, d, e, f, g, h) h g f e d c b a
#endif

/* One that is less than 256. */
#define SMALL2(a) NUMBER2("\0", a)
#define SMALL4(a) NUMBER4("\0", "\0", "\0", a)
#define SMALL8(a) NUMBER8("\0", "\0", "\0", "\0", "\0", "\0", "\0", a)

/* A pointer or a long: eight bytes, or the lower four. */
#if __SIZEOF_POINTER__ == 8
#define WORD(a, b, c, d, e, f, g, h) NUMBER8(a, b, c, d, e, f, g, h)
#else
#define WORD(a, b, c, d, e, f, g, h) NUMBER4(e, f, g, h)
#endif

#endif
