/* SPDX-License-Identifier: MIT */
/* The formats of "userevents export --to". */
#ifndef UE__TOOLS_EXPORT_FORMATS_H
#define UE__TOOLS_EXPORT_FORMATS_H

#include "export/tree/exported_event.h"

struct export_format {
	const char *name;
	exporter_open *open; /* NULL: the tool was built without it */
	const char *missing; /* then, what it needs */
	int is_sent; /* to a receiver, which the options name */
};

/* The format of this name; NULL after a message. */
const struct export_format *export_format_find(const char *name);

#endif
