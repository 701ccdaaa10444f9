/* SPDX-License-Identifier: MIT */
/* Events of the program, of a library it is linked with, and of a plugin. */
#include "test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <userevents/capture.h>
#include <userevents/userevents.h>

#include "module.h"

UE_EVENT(in_program, UE_S32(value));

static struct ue_capture *capture;
static int fd;
static void *handle;
static const struct module *plugin;

static int begin(void **state)
{
	struct ue_open_opts opts = { .size = sizeof(opts), .flags = UE_OPEN_FD };

	(void)state;
	assert_int_equal(ue_capture_open(NULL, &capture), 0);
	opts.fd = ue_capture_writer_fd(capture);
	fd = ue_open(&opts);
	return fd < 0;
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(ue_close(fd), 0);
	ue_capture_close(capture);
	return 0;
}

static void load(void)
{
#ifndef __GLIBC__ /* musl unloads no library */
	skip();
#endif
	handle = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		fail_msg("%s", dlerror());
	plugin = dlsym(handle, "module");
	assert_non_null(plugin);
}

static void unload(void)
{
	assert_int_equal(dlclose(handle), 0);
	assert_null(dlopen(PLUGIN, RTLD_NOW | RTLD_NOLOAD));
}

#define line_is(text) assert_string_equal(ue_capture_line(capture), (text))

static void a_linked_library_is_registered_with_the_program(void **state)
{
	(void)state;
	assert_int_equal(ue_register_all(fd), 0);
	assert_int_equal(UE_WRITE(fd, in_program, 1), 0);
	assert_int_equal(linked.write(fd, 2), 0);
	line_is("user_events:in_program value=1");
	line_is("user_events:in_library value=2");
	assert_int_equal(ue_unregister_all(), 0);
	assert_int_equal(linked.write(fd, 3), 0);
	line_is("");
}

static void a_module_registers_its_own_events_alone(void **state)
{
	(void)state;
	assert_int_equal(linked.register_own(fd), 0);
	assert_false(UE_ENABLED(in_program));
	assert_int_equal(linked.write(fd, 2), 0);
	line_is("user_events:in_library value=2");
	assert_int_equal(ue_register_module(fd), 0);
	assert_true(UE_ENABLED(in_program));
	assert_int_equal(linked.unregister_own(), 0);
	assert_int_equal(linked.write(fd, 3), 0);
	line_is("");
	assert_int_equal(UE_WRITE(fd, in_program, 4), 0);
	line_is("user_events:in_program value=4");
	assert_int_equal(ue_unregister_module(), 0);
	assert_false(UE_ENABLED(in_program));
}

static void the_next_call_registers_a_plugin_that_was_loaded_later(void **state)
{
	(void)state;
	assert_int_equal(ue_register_all(fd), 0);
	for (int i = 0; i < 3; i++) {
		load();
		assert_int_equal(plugin->write(fd, 1), 0);
		line_is("");
		assert_int_equal(ue_register_all(fd), 0);
		assert_int_equal(plugin->write(fd, 2), 0);
		line_is("user_events:in_plugin value=2");
		unload();
		assert_int_equal(ue_register_all(fd), 0);
		assert_int_equal(linked.write(fd, 3), 0);
		line_is("user_events:in_library value=3");
	}
}

static pthread_t unloader;
static int is_unloaded;
static pid_t child;

static void *unload_plugin(void *unused)
{
	unload();
	__atomic_store_n(&is_unloaded, 1, __ATOMIC_RELEASE);
	return unused;
}

static int is_of_plugin(const struct ue_event *event)
{
	return !strncmp(event->definition, "in_plugin", strlen("in_plugin"));
}

static void unload_meanwhile(const struct ue_event *event, int error, void *context)
{
	(void)context;
	assert_true(error < 0);
	if (!is_of_plugin(event))
		return;
	assert_int_equal(pthread_create(&unloader, NULL, unload_plugin, NULL), 0);
	usleep(20000);
	assert_false(__atomic_load_n(&is_unloaded, __ATOMIC_ACQUIRE));
	assert_true(is_of_plugin(event));
}

static void a_plugin_stays_while_its_events_are_being_registered(void **state)
{
	(void)state;
	load();
	is_unloaded = 0;
	assert_true(ue_register_all_report(100000, unload_meanwhile, NULL) < 0);
	pthread_join(unloader, NULL);
	assert_true(is_unloaded);
}

static void fork_and_unload(const struct ue_event *event, int error, void *context)
{
	(void)context;
	(void)error;
	if (!is_of_plugin(event))
		return;
	child = fork();
	if (!child)
		_exit(dlclose(handle) || dlopen(PLUGIN, RTLD_NOW | RTLD_NOLOAD));
}

static void a_child_unloads_what_its_parent_was_registering(void **state)
{
	int status;

	(void)state;
	load();
	assert_true(ue_register_all_report(100000, fork_and_unload, NULL) < 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	unload();
}

static void end_process(const struct ue_event *event, int error, void *context)
{
	(void)event;
	(void)error;
	(void)context;
	exit(3);
}

/* exit() runs the destructors of modules whose events this thread goes through. */
static void a_failure_may_end_the_process(void **state)
{
	int status;

	(void)state;
	child = fork();
	if (!child) {
		alarm(60);
		ue_register_all_report(100000, end_process, NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 3 << 8);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_linked_library_is_registered_with_the_program),
		TEST(a_module_registers_its_own_events_alone),
		TEST(the_next_call_registers_a_plugin_that_was_loaded_later),
		TEST(a_plugin_stays_while_its_events_are_being_registered),
		TEST(a_child_unloads_what_its_parent_was_registering),
		TEST(a_failure_may_end_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
