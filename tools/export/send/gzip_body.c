/* SPDX-License-Identifier: MIT */
/* Compresses bodies of requests by zlib. */
#include "http_request.h"

#ifdef HAVE_ZLIB

#include <zlib.h>

/* The form of gzip, not that of zlib: 16 more than the window's usual bits. */
#define GZIP_WINDOW (15 + 16)
#define USUAL_MEMORY 8

/* The fastest level: events are much alike, and the machine has other work to do. */
int gzip_body(struct bytes *packed, const uint8_t *bytes, size_t length)
{
	z_stream stream = { .next_in = (z_const Bytef *)bytes, .avail_in = (uInt)length };
	int result;

	if (length > UINT32_MAX || deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW,
						USUAL_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	stream.avail_out = (uInt)deflateBound(&stream, length);
	stream.next_out = bytes_room(packed, stream.avail_out);
	result = deflate(&stream, Z_FINISH);
	packed->length += stream.total_out;
	deflateEnd(&stream);
	return result == Z_STREAM_END ? 0 : -1;
}

#else

int gzip_body(struct bytes *packed, const uint8_t *bytes, size_t length)
{
	(void)packed;
	(void)bytes;
	(void)length;
	return -1;
}

#endif
