/* SPDX-License-Identifier: MIT */
/* Loads libcurl. */
#include "curl_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "cli/message.h"

/* The number is the same since libcurl 7.16, of 2006. */
#define FILE_NAME "libcurl.so.4"

struct curl_library curl;

static const struct {
	const char *name;
	size_t at;
} functions[] = {
#define CURL_ENTRY(name) { "curl_" #name, offsetof(struct curl_library, name) },
	CURL_FUNCTIONS(CURL_ENTRY)
#undef CURL_ENTRY
};

/* 0, or -1 with a sentence of dlerror(3). */
static int load(void)
{
	void *library = dlopen(FILE_NAME, RTLD_NOW), *function;

	if (!library)
		return -1;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		function = dlsym(library, functions[i].name);
		if (!function)
			return -1;
		memcpy((char *)&curl + functions[i].at, &function, sizeof(function));
	}
	return 0;
}

int curl_library_load(void)
{
	static int is_loaded;

	if (is_loaded)
		return 0;
	if (load()) {
		message("cannot send to a receiver: %s; install libcurl (apt-get install "
			"libcurl4)", dlerror());
		return EXIT_FAILED;
	}
	is_loaded = 1;
	return 0;
}
