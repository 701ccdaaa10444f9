/* SPDX-License-Identifier: MIT */
/* The sink that prints each event, as text or JSON, to standard output. */
#ifndef UE__TOOLS_ANSWERS_LINES_H
#define UE__TOOLS_ANSWERS_LINES_H

#include "common/output/printer.h"
#include "read/stream/sink.h"

struct lines {
	struct sink sink;
	struct printer printer;
};

/* 0, or -1 after a message. */
int lines_init(struct lines *lines, const struct print_options *options);
/* printer_gap() of a struct lines. */
void lines_gap(struct sink *sink);

#endif
