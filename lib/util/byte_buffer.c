/* SPDX-License-Identifier: MIT */
/* Put bytes one after the other into the caller's buffer. */
#include "byte_buffer.h"

void ue__bytes_begin(struct ue__bytes *bytes, char *out, size_t size)
{
	if (size > PTRDIFF_MAX)
		size = PTRDIFF_MAX;
	bytes->out = out;
	bytes->size = size ? size - 1 : 0;
	bytes->easy = bytes->size >= UE__ROOM ? bytes->size - UE__ROOM + 1 : 0;
	bytes->length = 0;
	if (size)
		out[0] = '\0';
	else
		bytes->out = bytes->spill; /* never NULL in arithmetic */
}

/* The length is limited so that a result differs from an error. */
void ue__bytes_add_slowly(struct ue__bytes *bytes, const char *text,
			  size_t length)
{
	if (bytes->length < bytes->size)
		memcpy(bytes->out + bytes->length, text,
		       bytes->size - bytes->length);
	if (length > PTRDIFF_MAX - bytes->length)
		bytes->length = PTRDIFF_MAX;
	else
		bytes->length += length;
}

/* An incomplete character at the end is left out. The text is valid UTF-8. */
static size_t whole_characters(const char *text, size_t length)
{
	size_t begin = length, size;
	unsigned char lead;

	while (begin && ((unsigned char)text[begin - 1] & 0xc0) == 0x80)
		begin--;
	if (!begin)
		return length;
	lead = (unsigned char)text[--begin];
	size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	return begin + size > length ? begin : length;
}

size_t ue__bytes_end(struct ue__bytes *bytes)
{
	size_t length = bytes->length;

	if (bytes->out == bytes->spill)
		return length;
	if (length > bytes->size)
		length = whole_characters(bytes->out, bytes->size);
	bytes->out[length] = '\0';
	return bytes->length;
}
