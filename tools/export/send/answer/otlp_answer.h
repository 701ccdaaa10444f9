/* SPDX-License-Identifier: MIT */
/* Reads what a receiver answers, in Protocol Buffers. It takes any bytes. */
#ifndef UE__TOOLS_EXPORT_OTLP_ANSWER_H
#define UE__TOOLS_EXPORT_OTLP_ANSWER_H

#include <stddef.h>
#include <stdint.h>

struct otlp_answer {
	uint64_t rejected; /* items, by a partial success */
	const char *text; /* for a person, within the bytes: an error, or a warning; or NULL */
	size_t text_length;
};

/* An Export...ServiceResponse, of any signal. 0, or -1 if it is none. */
int otlp_answer_read(struct otlp_answer *answer, const uint8_t *bytes, size_t length);
/* A google.rpc.Status, which comes with an error. The same. */
int otlp_status_read(struct otlp_answer *answer, const uint8_t *bytes, size_t length);

#endif
