/* SPDX-License-Identifier: MIT */
/* Faults and names of EventHeader events. */
#ifndef UE__DESCRIBE_EVENTHEADER_H
#define UE__DESCRIBE_EVENTHEADER_H

#include <userevents/eventheader_fault.h>

/* Set error, unless it is NULL; returns the fault's -errno. */
int ue__fault(struct ue_eventheader_error *error, enum ue_fault fault,
	      size_t offset);
/*
 * The length of a tracepoint's name without the ".7", in hex, that the kernel appends in
 * system user_events_multi.
 */
size_t ue__name_unnumbered(const char *name, size_t length);

#endif
