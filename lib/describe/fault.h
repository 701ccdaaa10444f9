/* SPDX-License-Identifier: MIT */
#ifndef UE__DESCRIBE_FAULT_H
#define UE__DESCRIBE_FAULT_H

#include <userevents/eventheader_fault.h>

/* Set error, unless it is NULL; returns the fault's -errno. */
int ue__fault(struct ue_eventheader_error *error, enum ue_fault fault,
	      size_t offset);

#endif
