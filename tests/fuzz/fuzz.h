/* SPDX-License-Identifier: MIT */
/* Shared by the targets. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <userevents/decode/render.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise that must hold for any input. */
#define PROMISE(condition)                                                  \
	do {                                                                \
		if (!(condition)) {                                         \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__,    \
				__LINE__, #condition);                      \
			abort();                                            \
		}                                                           \
	} while (0)

/* An input of reader, text and JSON: a byte of options, the name, NUL, the event. */
struct event_input {
	uint8_t options;
	const char *name;
	size_t name_length;
	const uint8_t *bytes; /* a copy of its own, so that over-reads are seen */
	size_t length;
};

static inline int event_input(struct event_input *input, const uint8_t *data,
			      size_t size)
{
	const uint8_t *nul;
	uint8_t *copy;

	if (size < 2)
		return 0;
	nul = memchr(data + 1, 0, size - 1);
	if (!nul)
		nul = data + size;
	input->options = data[0];
	input->name = (const char *)data + 1;
	input->name_length = (size_t)(nul - data) - 1;
	input->length = nul < data + size ? (size_t)(data + size - nul) - 1 : 0;
	copy = malloc(input->length ? input->length : 1);
	PROMISE(copy);
	memcpy(copy, data + size - input->length, input->length);
	input->bytes = copy;
	return 1;
}

static inline void event_input_free(struct event_input *input)
{
	free((void *)(uintptr_t)input->bytes);
}

static inline int event_begin(const struct event_input *input,
			      struct ue_reader *reader)
{
	struct ue_reader_opts opts = {
		.size = sizeof(opts),
		.flags = input->options & 1 ? UE_READER_MULTI_FORMAT : 0,
	};

	return ue_reader_begin(reader, input->name, input->name_length,
			       input->bytes, input->length, &opts);
}

static inline void event_opts(const struct event_input *input,
			      struct ue_render_opts *opts, struct ue_sample *sample)
{
	*sample = (struct ue_sample){
		.size = sizeof(*sample),
		.present = UE_META_TIME | UE_META_CPU | UE_META_PID | UE_META_TID |
			   UE_META_COMM | UE_META_CGROUP | UE_META_COMMON,
		.is_wall_clock = input->options >> 6 & 1,
		.time = -1234567890123456789,
		.common_pid = -1,
		.comm = "worker\xff", .cgroup = "/a b\n",
	};
	*opts = (struct ue_render_opts){
		.size = sizeof(*opts),
		.flags = input->options >> 1 & 7,
		.meta = input->options & 16 ? UE_META_DEFAULT | 0x1f0000 : 0,
		.sample = input->options & 32 ? sample : NULL,
	};
}

#endif
