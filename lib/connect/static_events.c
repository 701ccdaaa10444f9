/* SPDX-License-Identifier: MIT */
/*
 * Register and unregister the events of modules: of one, and of all that are loaded.
 *
 * Modules are in the order in which their constructors ran. A call that goes through the
 * events of a module holds no lock while it does, as registering may wait and the report of
 * a failure may do anything; it counts as a user of the module, and delisting waits for the
 * last of them, but not for ever: the user may be this thread, whose failed() calls exit(),
 * or wait for the loader's lock, which dlclose() holds. Only modules without users leave the
 * list, so a user's module has a next.
 */
#include <errno.h>
#include <time.h>

#include <userevents/classic_event.h>

#include "util/errno_guard.h"
#include "event.h"
#include "state/lock.h"

/* Report a failure. Returns the first of all. */
static int report(const struct ue_event *event, int error, int first,
		  ue_failure_fn *failed, void *context)
{
	if (failed)
		failed(event, error, context);
	return first ? first : error;
}

/* patience: for all events of one call together. */
static int register_events(int fd, struct ue_event **begin, struct ue_event **end,
			   enum ue__reach reach, ue_failure_fn *failed, void *context,
			   unsigned *patience)
{
	int first = 0;

	while (begin != end) {
		int error = ue__register_from(fd, &begin, end, reach, patience);

		if (begin != end)
			first = report(*begin++, error, first, failed, context);
	}
	return first;
}

static int unregister_events(const struct ue__module *module)
{
	struct ue_event **begin = module->begin;
	int first = 0;

	while (begin != module->end) {
		int error = ue__unregister_from(&begin, module->end);

		if (begin != module->end)
			first = report(*begin++, error, first, NULL, NULL);
	}
	return first;
}

/* The list of modules */

static struct ue__module *modules;

/* A module of a later version may have a larger struct; of an earlier one, there is none. */
UE__PUBLIC void ue__enter_module(struct ue__module *module, size_t size,
				 struct ue_event **begin, struct ue_event **end)
{
	struct ue__module **last = &modules;

	if (size < sizeof(*module))
		return;
	ue__lock();
	while (*last)
		last = &(*last)->next;
	*last = module;
	module->is_listed = 1;
	module->begin = begin;
	module->end = end;
	ue__unlock();
	ue__list_events(begin, end);
}

static void remove_from_list(struct ue__module *module)
{
	struct ue__module **at = &modules;

	while (*at && *at != module)
		at = &(*at)->next;
	if (*at)
		*at = module->next;
	module->is_listed = 0;
}

/* Milliseconds. */
#define USERS_MAX_WAIT 2000

static unsigned users_wait = USERS_MAX_WAIT;

void ue__stop_waiting_for_users(void)
{
	__atomic_store_n(&users_wait, 0, __ATOMIC_RELAXED);
}

void ue__delist(struct ue__module *module)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	ue__lock();
	for (unsigned i = 0; module->users && i < users_wait; i++) {
		ue__unlock();
		nanosleep(&moment, NULL);
		ue__lock();
	}
	remove_from_list(module);
	ue__unlock();
}

void ue__none_registering(void)
{
	for (struct ue__module *one = modules; one; one = one->next)
		one->users = 0;
}

/* The module after this one, or the first, with a user more; this one has a user less. */
static struct ue__module *next_module(struct ue__module *module)
{
	struct ue__module *next;

	ue__lock();
	next = module ? module->next : modules;
	/* A fork in failed() has reset the count of users in the child. */
	if (module && module->users)
		module->users--;
	if (next)
		next->users++;
	ue__unlock();
	return next;
}

static int register_all(int fd, ue_failure_fn *failed, void *context)
{
	unsigned patience = UE__PATIENCE;
	struct ue__module *module = NULL;
	int first = 0;

	while ((module = next_module(module))) {
		int error = register_events(fd, module->begin, module->end,
					    UE__THE_PROCESS, failed, context, &patience);

		first = first ? first : error;
	}
	return first;
}

UE__PUBLIC int ue__register_events(int fd, const struct ue__module *module,
				   ue_failure_fn *failed, void *context)
{
	UE__UNDISTURBED;
	unsigned patience = UE__PATIENCE;

	if (fd < 0)
		return -EBADF;
	if (!module)
		return register_all(fd, failed, context);
	return register_events(fd, module->begin, module->end, UE__ITS_MODULE, failed,
			       context, &patience);
}

static int unregister_all(void)
{
	struct ue__module *module = NULL;
	int first = 0;

	while ((module = next_module(module))) {
		int error = unregister_events(module);

		first = first ? first : error;
	}
	return first;
}

UE__PUBLIC int ue__unregister_events(const struct ue__module *module)
{
	UE__UNDISTURBED;

	return module ? unregister_events(module) : unregister_all();
}
