/* SPDX-License-Identifier: MIT */
/* The format "ctf": a directory with a trace of CTF 1.8. */
#ifndef UE__TOOLS_EXPORT_CTF_CTF_EXPORT_H
#define UE__TOOLS_EXPORT_CTF_CTF_EXPORT_H

#include "export/tree/exported_event.h"
#include "ctf_stream.h"

exporter_open ctf_export_open;

/* Events that no class takes: as JSON, or as bytes if that would be too long. */

/*
 * Longer JSON is not written: 64 KiB in an event can make a gigabyte of it, and babeltrace2 takes
 * time in the square of the length of a text.
 */
#define CTF_JSON_MAX (1u << 16)
/* So many bytes of an event are written, as texts with the digits of so many each. */
#define CTF_BYTES_MAX (1u << 20)
#define CTF_BYTES_OF_TEXT 2048u

/* A class with a field of text, "json"; and one with "name", "error", "offset", "bytes". */
struct ctf_class *ctf_class_of_json(const struct ctf_stream *stream);
struct ctf_class *ctf_class_of_bytes(const struct ctf_stream *stream);

/* NULL: it would be too long; fault says what is wrong with the event, or that. */
const char *ctf_json_of(struct event *event, struct field_walk *walk, struct bytes *text,
			struct ue_eventheader_error *fault);
/* Set the fields of a class of bytes. Returns the bytes that they take in the stream. */
uint64_t ctf_set_bytes(bt_field *payload, const struct exported_event *event,
		       const struct ue_eventheader_error *fault);

#endif
