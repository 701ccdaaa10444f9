/* SPDX-License-Identifier: MIT */
/* Values as a person gives them, as bytes. */
#ifndef UE__TOOLS_COMPOSE_VALUE_WORDS_H
#define UE__TOOLS_COMPOSE_VALUE_WORDS_H

#include <stddef.h>

#include <userevents/abi/eventheader.h>

/* The numbers of a field; their bytes are in the order of this machine. */
struct number_type {
	enum ue_format format; /* UE_FORMAT_SIGNED_INT, UE_FORMAT_FLOAT, or else unsigned */
	size_t size; /* 1, 2, 4 or 8; of floating point 4 or 8 */
};

/*
 * Each puts what a text says, which is all of it, into the room at at. Returns NULL, or
 * a sentence that says what is wrong with the text; used is set to the bytes that it took.
 */
const char *value_number(struct number_type type, const char *text, unsigned char *at);
/* 1,2,3; none when the text is empty. */
const char *value_numbers(struct number_type type, const char *text, unsigned char *at,
			  size_t room, size_t *used);
/* Two hex digits for each byte; blanks between bytes. */
const char *value_hex(const char *text, unsigned char *at, size_t room, size_t *used);

#endif
