/* SPDX-License-Identifier: MIT */
/*
 * libcurl, loaded when something is to be sent. It brings some thirty libraries, more than
 * all others of the tool together, and no other command should wait for them, nor run
 * their constructors as root.
 */
#ifndef UE__TOOLS_EXPORT_CURL_LIBRARY_H
#define UE__TOOLS_EXPORT_CURL_LIBRARY_H

#include <curl/curl.h>

/* Its functions that the tool calls, without "curl_". */
#define CURL_FUNCTIONS(DO)                                                                  \
	DO(easy_cleanup) DO(easy_getinfo) DO(easy_init) DO(easy_setopt) DO(easy_strerror)   \
	DO(easy_unescape) DO(free) DO(global_cleanup) DO(global_init) DO(multi_add_handle)  \
	DO(multi_cleanup) DO(multi_info_read) DO(multi_init) DO(multi_perform)              \
	DO(multi_poll) DO(multi_remove_handle) DO(multi_wakeup) DO(slist_append)            \
	DO(slist_free_all) DO(url) DO(url_cleanup) DO(url_get) DO(url_set) DO(url_strerror) \
	DO(version_info)

#define CURL_POINTER(name) __typeof__(curl_##name) *name;
struct curl_library {
	CURL_FUNCTIONS(CURL_POINTER)
};
#undef CURL_POINTER

extern struct curl_library curl; /* once it is loaded */

/* Idempotent, in one thread before others send. 0, or an exit status after a message. */
int curl_library_load(void);

#endif
