/* SPDX-License-Identifier: MIT */
/*
 * Names that tell which run of a command something belongs to.
 *
 * Everything that a command creates for its own run has a name that own_name() made: it
 * holds the process, the time at which that started, and its pid namespace. A command that
 * is killed leaves these things behind; later, as no process has that number and start,
 * their owner is known to be dead, and "userevents cleanup" removes them.
 */
#ifndef UE__TOOLS_CONTROL_OWN_NAME_H
#define UE__TOOLS_CONTROL_OWN_NAME_H

/* "userevents_PID_START_NAMESPACE_PURPOSE", to be freed. purpose: an identifier. */
char *own_name(const char *purpose);

enum owner {
	OWNER_NONE,    /* own_name() made no such name */
	OWNER_ALIVE,
	OWNER_DEAD,    /* also if its parent has not waited for it */
	OWNER_UNKNOWN, /* a process of another pid namespace, or one that /proc hides */
};
enum owner own_name_owner(const char *name);

#endif
