/* SPDX-License-Identifier: MIT */
/* The description of a tracepoint. */
#ifndef UE__TOOLS_RECORDS_TRACEPOINT_H
#define UE__TOOLS_RECORDS_TRACEPOINT_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/decode/record.h>

struct tracepoint {
	char *system;
	char *name;
	int is_bare; /* its records begin with the EventHeader, not with common_type */
	int has_no_common; /* its records begin with the payload */
	int is_selected; /* for the filter: 0 not checked yet, 1 yes, -1 no */
	struct ue_record_layout format; /* unless bare */
	struct ue_record_field *fields;
	char *text; /* the format refers to it */
};

/* The parts of a description; tracepoint_new() copies the texts. */
struct tracepoint_parts {
	const char *system;
	size_t system_length;
	const char *name;
	size_t name_length;
	const char *format; /* the text of tracefs's format file, or NULL */
	size_t format_length;
	int is_big_endian; /* the machine that recorded */
	int is_bare;
};

/*
 * A tracepoint without a format, or with a malformed one, has one field, "raw", with all
 * bytes of the record.
 */
struct tracepoint *tracepoint_new(const struct tracepoint_parts *parts);
/* A user event from its definition; NULL if that is invalid. */
struct tracepoint *tracepoint_define(const char *definition, int is_big_endian);
void tracepoint_free(struct tracepoint *tracepoint);

#endif
