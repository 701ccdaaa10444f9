/* SPDX-License-Identifier: MIT */
/* Compiled as C11, C2x, C++17 and C++20 against both installed libraries. */
#include <userevents/capture.h>
#include <userevents/decode.h>
#include <userevents/userevents.h>

#include <stdio.h>
#include <string.h>

UE_EVENT(tick, UE_U32(count));

int main(void)
{
	struct ue_capture *capture;
	struct ue_open_opts opts;
	const char *line;
	int fd;

	if (ue_capture_open(NULL, &capture))
		return 1;
	memset(&opts, 0, sizeof(opts));
	opts.size = sizeof(opts);
	opts.flags = UE_OPEN_FD;
	opts.fd = ue_capture_writer_fd(capture);
	fd = ue_open(&opts);
	ue_register_all(fd);
	UE_WRITE(fd, tick, 17);
	line = ue_capture_line(capture);
	puts(line);
	return strcmp(line, "user_events:tick count=17") != 0;
}
