/* SPDX-License-Identifier: MIT */
/*
 * cc 02_types.c $(pkg-config --cflags --libs libuserevents) -o types
 *
 * Writes one field of each type.
 */
#include <stdio.h>

#include <userevents/userevents.h>

struct point {
	int32_t x, y;
};

UE_EVENT(nothing_but_a_name);

UE_EVENT(integers,
	 UE_U8(u8), UE_U16(u16), UE_U32(u32), UE_U64(u64),
	 UE_S8(s8), UE_S16(s16), UE_S32(s32), UE_S64(s64),
	 UE_CHAR(letter), UE_UCHAR(octet), UE_SHORT(little), UE_USHORT(more),
	 UE_INT(number), UE_UINT(count), UE_BOOL(yes), UE_POINTER(where));

#define FIXED 8 /* a size may be a macro */

UE_EVENT(texts,
	 UE_STRING(any_length),		/* NULL is written as "" */
	 UE_STRING_MAX(at_most_five, 5), /* longer strings are cut */
	 UE_COUNTED_STRING(counted),	/* takes a pointer and a length */
	 UE_CHARS(fixed, FIXED));	/* at most 7, always 8 bytes */

UE_EVENT(bytes,
	 UE_BLOB(any_length), /* takes a pointer and a length */
	 UE_BYTES(mac, 6),
	 UE_STRUCT_BYTES(point, to, 8),
	 UE_DECLARED(uint16_t, port, "u16 port")); /* as the kernel declares it */

static void failed(const struct ue_event *event, int error, void *context)
{
	(void)context;
	fprintf(stderr, "types: \"%s\" is not registered: %s.\n", event->definition,
		ue_explain(UE_CALL_REGISTER, error));
}

int main(void)
{
	static const struct point origin = { 0, -1 };
	int fd = ue_open(NULL), errors;

	if (fd < 0) {
		fprintf(stderr, "types: %s.\n", ue_explain(UE_CALL_OPEN, fd));
		return 1;
	}
	errors = ue_register_all_report(fd, failed, NULL);
	errors |= UE_WRITE(fd, nothing_but_a_name);
	errors |= UE_WRITE(fd, integers, 1, 2, 3, 4, -1, -2, -3, -4, 'x', 255, -5, 5,
			   -6, 6, 1 == 1, &origin);
	errors |= UE_WRITE(fd, texts, "hello", "hello, world", "counted?", 7, "tiny");
	errors |= UE_WRITE(fd, bytes, "\xde\xad\xbe\xef", 4, "\2\0\0\0\0\1", &origin,
			   443);
	ue_close(fd);
	return errors != 0;
}
