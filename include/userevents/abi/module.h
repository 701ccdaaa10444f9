/* SPDX-License-Identifier: MIT */
/*
 * How a program or shared object (a module) lists itself with the library.
 *
 * Every file that includes event.h has a constructor and a destructor. The first
 * constructor of a module to run hands the bounds of the module's events to the library,
 * so that ue_register_all() finds them; the destructor runs after all others of the module
 * and before its memory goes away, and takes everything in the module out of the library.
 * Nothing here is for direct use.
 */
#ifndef USEREVENTS_ABI_MODULE_H
#define USEREVENTS_ABI_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One of each module, zeroed at first. The library writes it. */
struct ue__module {
	uint32_t is_listed;
	uint32_t users; /* calls that go through the events */
	struct ue_event **begin, **end;
	struct ue__module *next;
	void *spare[2];
};

UE__STATIC_ASSERT(sizeof(struct ue__module) == 8 + 5 * sizeof(void *),
		  "the library writes no more of it than the size it is given");

/* Weak: a file may include event.h, use nothing of it, and not be linked with the library. */
#ifdef UE__LIBRARY
#define UE__MODULE_CALL UE__PUBLIC
#else
#define UE__MODULE_CALL UE__PUBLIC __attribute__((__weak__))
#endif

/* size: of the struct that the module has, which a later version may extend. */
UE__MODULE_CALL void ue__enter_module(struct ue__module *module, size_t size,
				      struct ue_event **begin, struct ue_event **end);
UE__MODULE_CALL void ue__leave_module(struct ue__module *module);

#ifndef UE__LIBRARY

/* The linker's bounds of this module's events; NULL when it has none. */
extern struct ue_event *__start_ue_events[]
	__attribute__((__weak__, __visibility__("hidden")));
extern struct ue_event *__stop_ue_events[]
	__attribute__((__weak__, __visibility__("hidden")));

/* Every file defines it, and the linker keeps one for the module. */
extern struct ue__module ue__this_module;
__attribute__((__weak__, __visibility__("hidden"))) struct ue__module ue__this_module;

/* 101, here and below: before the first constructor that may register, and after the last
   destructor that may write. */
static __attribute__((__constructor__(101), __unused__)) void ue__at_load(void)
{
	if (!ue__this_module.is_listed && ue__enter_module)
		ue__enter_module(&ue__this_module, sizeof(ue__this_module),
				 __start_ue_events, __stop_ue_events);
}

static __attribute__((__destructor__(101), __unused__)) void ue__at_unload(void)
{
	if (ue__this_module.is_listed && ue__leave_module)
		ue__leave_module(&ue__this_module);
}

#endif

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
