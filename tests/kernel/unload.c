/* SPDX-License-Identifier: MIT */
/*
 * Unloads a shared object with registered events. The next user of its addresses must
 * find its memory unchanged, however often listeners come and go.
 */
#define _GNU_SOURCE
#include "support.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "early_threads.h"
#include "plugin.h"

static void *handle;
static const struct plugin *plugin;

static void load(void)
{
	handle = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		fail_msg("%s", dlerror());
	plugin = dlsym(handle, "plugin");
	assert_non_null(plugin);
}

static void *unload(void *unused)
{
	assert_int_equal(dlclose(handle), 0);
	assert_null(dlopen(PLUGIN, RTLD_NOW | RTLD_NOLOAD));
	return unused;
}

static int watched;

/* Maps new memory at a free page; NULL if another thread was faster. */
static char *map_at(const void *address)
{
	const uintptr_t page = (uintptr_t)address & ~4095ul;
	char *at = mmap((void *)page, 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	assert_ptr_equal(at, (void *)page);
	memset(at, 0x5a, 4096);
	watched++;
	return at;
}

static void is_untouched(char *page)
{
	for (int i = 0; page && i < 4096; i++)
		assert_int_equal(page[i], 0x5a);
	if (page)
		munmap(page, 4096);
}

static void enable(const char *name, int on)
{
	char path[300];

	snprintf(path, sizeof(path), "events/user_events/%s/enable", name);
	assert_int_equal(write_file(path, on ? "1" : "0"), 0);
}

/* Keeps the tracepoint alive, and shows the time of the kernel's write. */
static struct ue_event mine = UE_EVENT_INIT(mine, "plugin_event u32 a");
static struct ue_event mine_made = UE_EVENT_INIT(mine_made, "plugin_made u32 a");

static void listeners_come_and_go(void)
{
	for (int on = 0; on < 2; on++) {
		enable("plugin_event", on);
		enable("plugin_made", on);
		EVENTUALLY(ue_enabled(&mine) == on);
		EVENTUALLY(ue_enabled(&mine_made) == on);
	}
}

static void unloaded_from(void *(*in_thread)(void *(*)(void *), void *), int is_watched)
{
	const void *word, *other;
	char *page, *other_page;

	load();
	assert_int_equal(plugin->start(session), 0);
	EVENTUALLY(ue_enabled(plugin->event) && ue_enabled(plugin->made));
	assert_int_equal(plugin->write(session, 1), 0);
	word = plugin->event->word;
	other = plugin->made->word;
	if (in_thread)
		in_thread(unload, NULL);
	else
		unload(NULL);
	if (!is_watched)
		return;
	page = map_at(word);
	other_page = map_at(other); /* NULL if it is the same */
	listeners_come_and_go();
	is_untouched(page);
	is_untouched(other_page);
}

static void from_any_thread(void **state)
{
	(void)state;
	assert_int_equal(ue_register(session, &mine), 0);
	assert_int_equal(ue_register(session, &mine_made), 0);
	listen_to(&mine);
	listen_to(&mine_made);
	for (int i = 0; i < rounds; i++) {
		unloaded_from(i % 3 == 0 ? NULL :
			      i % 3 == 1 ? in_early_thread :
					   in_new_thread,
			      i % 4 == 0);
		assert_true(count_recorded() >= 2);
	}
	assert_true(watched > rounds / 8);
}

/* Its destructors still write. */
static void written_by_its_destructor(void **state)
{
	(void)state;
	load();
	assert_int_equal(plugin->start(session), 0);
	listen_to(plugin->made);
	listen_to(plugin->event);
	plugin->write_at_the_end(session);
	unload(NULL);
	assert_int_equal(count_recorded(), 2);
	enable("plugin_event", 0);
	enable("plugin_made", 0);
}

static void before_and_after_main(void **state)
{
	(void)state;
	recorded();
	assert_int_equal(system(AROUND_MAIN), 0);
	assert_int_equal(count_recorded(), 3);
}

/* The library is never unloaded, so its thread keeps its code. */
static void the_library_is_never_unloaded(void **state)
{
	void *library = dlopen("libuserevents.so.0", RTLD_NOW | RTLD_NOLOAD);

	(void)state;
	assert_non_null(library);
	for (int i = 0; i < 10; i++)
		dlclose(library);
	assert_true(ue_payload_max(session) > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(from_any_thread),
		SESSION_TEST(written_by_its_destructor),
		SESSION_TEST(before_and_after_main),
		SESSION_TEST(the_library_is_never_unloaded),
	};

	start_early_threads(argc, argv);
	return RUN_TESTS(tests, argc, argv);
}
