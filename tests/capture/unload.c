/* SPDX-License-Identifier: MIT */
/* Unloads a shared object that has the word of a registered event, but not its struct. */
#include "test.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

#include "plugin.h"

static void is_unregistered(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };
	struct ue_event *event = malloc(sizeof(*event));
	void *handle = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
	const struct plugin *plugin;
	struct ue_capture *capture;
	int fd;

	(void)state;
#ifndef __GLIBC__ /* musl unloads no library */
	skip();
#endif
	assert_non_null(event);
	if (!handle)
		fail_msg("%s", dlerror());
	plugin = dlsym(handle, "plugin");
	assert_non_null(plugin);
	assert_int_equal(ue_capture_open(NULL, &capture), 0);
	opts.fd = ue_capture_writer_fd(capture);
	fd = ue_open(&opts);
	assert_true(fd >= 0);
	assert_int_equal(plugin->start(fd, event), 0);
	assert_int_equal(ue_enabled(event), 1);
	assert_int_equal(ue_write(fd, event, "\1", 1), 0);
	assert_int_equal(dlclose(handle), 0);
	assert_null(dlopen(PLUGIN, RTLD_NOW | RTLD_NOLOAD));
	/* No pointer of the library refers to the old place of the word. */
	assert_int_equal(ue_unregister(event), -ENOENT);
	assert_int_equal(ue_close(fd), 0);
	assert_string_equal(ue_capture_line(capture), "user_events:apart x=1");
	assert_string_equal(ue_capture_line(capture), "");
	ue_capture_close(capture);
	free(event);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(is_unregistered) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
