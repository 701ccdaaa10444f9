/* SPDX-License-Identifier: MIT */
/* Prints what top shows of recordings, which it does not read itself: a line of JSON each. */
#include "../fuzz/top_sink.h"

#include "read/stream/stream.h"

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct stream stream = STREAM_INIT("show events");
		char *paths[] = { argv[i], NULL };
		struct sink *sink = top_sink_begin();

		if (stream_begin(&stream))
			return 2;
		stream_files(&stream, paths, sink);
		top_sink_print(sink, 1);
		stream_free(&stream);
	}
	return argc < 2;
}
