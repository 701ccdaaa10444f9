/* SPDX-License-Identifier: MIT */
/*
 * Keep the library's code in memory, and unregister the events of a module that is being
 * unloaded.
 *
 * The library's thread (kernel/lineage.c) runs until the process ends, so the library's
 * code must not be unmapped. libuserevents.so is linked with -z nodelete. A plugin may
 * contain libuserevents.a and be linked without it, so the copy in it asks the dynamic
 * linker for the same when it is loaded, whether or not it will have a thread: a plugin
 * should do the same on each kernel. It looks for dlopen() at run time: linkers warn of
 * that in static programs, which need not call it, and a program for glibc before 2.34
 * has it only if something is linked with libdl. A copy that cannot ask has no thread.
 *
 * The destructor of abi/module.h calls this, after all other destructors of the module and
 * before its memory goes. Every event or word in the module is unregistered: those that
 * the macros define and those made at run time. The program itself is left alone; its
 * memory stays for as long as there is a process, and its destructors may write.
 *
 * If the kernel cannot be asked, it may go on to write to a word, as dlclose() cannot be
 * stopped. That takes a program that closed the session's descriptor by another way than
 * ue_close(), and a system without another user_events_data to open.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include <userevents/event.h>

#include "util/errno_guard.h"
#include "event.h"
#include "state/session.h"

#pragma weak dlsym

/* The memory of a module. */
struct module {
	uintptr_t begin, end;
	uintptr_t address; /* in it */
	const char *name;  /* of its file; while it is loaded */
};

static int is_in(const struct module *module, const void *address)
{
	return (uintptr_t)address >= module->begin && (uintptr_t)address < module->end;
}

static void measure(const struct dl_phdr_info *info, struct module *module)
{
	module->begin = UINTPTR_MAX;
	module->end = 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD)
			continue;
		if (begin < module->begin)
			module->begin = begin;
		if (begin + part->p_memsz > module->end)
			module->end = begin + part->p_memsz;
	}
}

/* 1 ends the search: found. -1: the address is in the program itself. */
static int find(struct dl_phdr_info *info, size_t size, void *context)
{
	struct module *module = context;

	(void)size;
	measure(info, module);
	if (!is_in(module, (void *)module->address))
		return 0;
	module->name = info->dlpi_name;
	return (uintptr_t)info->dlpi_phdr == getauxval(AT_PHDR) ? -1 : 1;
}

/* Keep a module that is loaded; the program itself, which has no name, stays anyway. */
static int keep(const char *name)
{
	void *(*open)(const char *, int) = NULL, *symbol;

	if (!name || !*name)
		return 1;
	symbol = dlsym ? dlsym(RTLD_DEFAULT, "dlopen") : NULL;
	/* ISO C has no conversion of an object's address to a function's. */
	memcpy(&open, &symbol, sizeof(open));
	return open && open(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* The module that this code is in; no dynamic linker loaded a static program. */
extern ElfW(Dyn) _DYNAMIC[] __attribute__((weak, visibility("hidden")));

/* Was the module linked with -z nodelete, or is it the program? */
static int is_linked_to_stay(void)
{
	const ElfW(Dyn) *at = _DYNAMIC;

	while (at && at->d_tag != DT_NULL && at->d_tag != DT_FLAGS_1)
		at++;
	return at && at->d_tag == DT_FLAGS_1 &&
	       at->d_un.d_val & (DF_1_NODELETE | DF_1_PIE);
}

int ue__stay_loaded(void)
{
	struct module own = { .address = (uintptr_t)&ue__process };

	return is_linked_to_stay() || dl_iterate_phdr(find, &own) <= 0 || keep(own.name);
}

struct leaving {
	const struct module *module;
	struct ue__session *session;
	int fd;
};

static int unregister_those_in(void *argument)
{
	const struct leaving *leaving = argument;
	const struct module *module = leaving->module;

	for (struct ue__registration *r = leaving->session->registrations, *next; r;
	     r = next) {
		next = r->next;
		if (!is_in(module, r->event) && !is_in(module, r->wanted.word))
			continue;
		if (ue__unregister(r, leaving->fd))
			ue__forget(r);
	}
	return 0;
}

static void leave_session(struct ue__session *session, const struct module *module)
{
	struct ue__borrowed borrowed = ue__session_borrow(session);
	struct leaving leaving = { module, session, borrowed.fd };

	ue__session_call(session, unregister_those_in, &leaving);
	ue__session_put_back(borrowed);
}

UE__PUBLIC void ue__leave_module(struct ue__module *left)
{
	UE__UNDISTURBED;
	struct module module = { .address = (uintptr_t)left };

	int found = dl_iterate_phdr(find, &module);

	if (found < 0)
		ue__stop_waiting_for_users();
	if (found <= 0)
		return;
	ue__delist(left);
	ue__lock();
	for (struct ue__session *one = ue__process.sessions; one; one = one->next)
		leave_session(one, &module);
	ue__unlock();
}
