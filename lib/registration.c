/* SPDX-License-Identifier: MIT */
/*
 * What is registered on a session.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event.h"
#include "registration.h"

/* Newer 32-bit architectures have but this one; no time is passed. */
#ifndef SYS_futex
#define SYS_futex SYS_futex_time64
#endif

/*
 * The kernel is asked to set none of the bits there, atomically, and to wake nobody: any
 * access of our own might fault, where memory was unmapped or protected. What cannot be
 * told (a sandbox denies the call) is taken for writable: a binding that stays in an
 * event leads its writes astray.
 */
int ue__is_writable(const void *address)
{
	static const uint32_t nobody_waits;
	const unsigned set_none = FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 1234);

	return syscall(SYS_futex, &nobody_waits, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0,
		       address, set_none) >= 0 ||
	       errno != EFAULT;
}

/* FNV-1a */
uint32_t ue__name_hash(const char *definition)
{
	size_t length = strcspn(definition, " ");
	uint32_t hash = 0x811c9dc5u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)definition[i]) * 0x01000193u;
	return hash;
}

/* Both may lie on different pages. */
int ue__is_there(const struct ue__registration *registration)
{
	const struct ue_event *event = registration->event;

	return ue__is_writable(&event->ue__binding) && ue__is_writable(&event->word) &&
	       ue__binding_of(event) == registration->binding &&
	       event->word == registration->word;
}

void ue__registration_drop(struct ue__registration **list,
			   struct ue__registration *registration)
{
	while (*list && *list != registration)
		list = &(*list)->next;
	if (*list)
		*list = registration->next;
	free(registration);
}
