/* SPDX-License-Identifier: MIT */
/*
 * What is registered on a session.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event.h"
#include "registration.h"

/*
 * mincore() of what is not mapped fails with ENOMEM; any other question might fault. What
 * cannot be told (a sandbox denies the call, or the kernel has no page for it) is taken
 * for mapped: a binding that stays in an event leads its writes astray.
 */
int ue__is_mapped(const void *address, size_t size)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t begin = (uintptr_t)address & ~(page - 1);
	unsigned char in_core[8];

	size += (uintptr_t)address - begin;
	if (size > page * sizeof(in_core))
		return 0;
	return !mincore((void *)begin, size, in_core) || errno != ENOMEM;
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

int ue__is_there(const struct ue__registration *registration)
{
	const struct ue_event *event = registration->event;

	return ue__is_mapped(event, sizeof(*event)) &&
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
