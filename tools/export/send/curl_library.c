/* SPDX-License-Identifier: MIT */
/* Loads libcurl. */
#include "curl_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "common/cli/message.h"

/* The number is the same since libcurl 7.16, of 2006. */
#define FILE_NAME "libcurl.so.4"
#define OLDEST 0x075700 /* CURLOPT_QUICK_EXIT */

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

/* Options that an older one does not know would be without effect. */
static int is_old(void)
{
	const curl_version_info_data *version = curl.version_info(CURLVERSION_NOW);

	if (version->version_num >= OLDEST)
		return 0;
	message("cannot send to a receiver: libcurl %s is too old; install version 7.87 or later",
		version->version);
	return 1;
}

int curl_library_load(void)
{
	static int is_loaded;

	if (is_loaded)
		return 0;
	if (load()) {
		message("cannot send to a receiver: %s; libcurl 7.87 or later is needed (apt-get "
			"install libcurl4)", dlerror());
		return EXIT_FAILED;
	}
	if (is_old())
		return EXIT_FAILED;
	is_loaded = 1;
	return 0;
}
