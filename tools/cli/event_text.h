/* SPDX-License-Identifier: MIT */
/* Definitions of events as a person gives them. */
#ifndef UE__TOOLS_CLI_EVENT_TEXT_H
#define UE__TOOLS_CLI_EVENT_TEXT_H

#include <stdint.h>

/*
 * What is to be registered: the text itself, or, for the name of an EventHeader
 * tracepoint alone, with the fields that these have. In memory that stays; NULL after a
 * message that says what is wrong with it, at which place (a file and line, or "").
 */
const char *definition_complete(const char *text, uint32_t flags, const char *place);

#endif
