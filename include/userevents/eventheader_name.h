/* SPDX-License-Identifier: MIT */
/*
 * The name of an EventHeader tracepoint:
 *
 *	name     := provider "_L" level "K" keyword option*
 *	level    := 1 or 2 lower-case hex digits
 *	keyword  := 1 to 16 lower-case hex digits
 *	option   := A..Z, then any number of a..z and 0..9
 *
 * for example MyCompany_Shop_L4K1f or Other_L5K0Gmygroup. All events of one
 * provider, level, keyword and set of options share the tracepoint.
 */
#ifndef USEREVENTS_EVENTHEADER_NAME_H
#define USEREVENTS_EVENTHEADER_NAME_H

#include <stddef.h>
#include <stdint.h>

#include <userevents/abi/event_state.h>
#include <userevents/abi/eventheader.h>
#include <userevents/eventheader_fault.h>

#include <userevents/abi/hide_names.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parts of a name. Texts are not NUL-terminated. Does not grow. */
struct ue_eventheader_name {
	const char *provider;
	size_t provider_length;
	const char *options; /* all of them, "Gmygroup" */
	size_t options_length;
	const char *group; /* the value of the first option G, "mygroup" */
	size_t group_length;
	uint64_t keyword; /* bits that the provider defines */
	uint8_t level;	  /* enum ue_level */
};

/*
 * Split a name. The provider may be any bytes, even none: this is for names
 * that exist.
 *
 * text, length: the name, in bytes.
 * name: overwritten on success; points into text.
 * error: set on failure, or NULL. Not touched on success.
 *
 * Returns 0, or -EOPNOTSUPP for a name that is not an EventHeader tracepoint's.
 * Any thread, signal handlers too. Since 0.1.
 */
UE__PUBLIC int ue_eventheader_name_parse(const char *text, size_t length,
				     struct ue_eventheader_name *name,
				     struct ue_eventheader_error *error);

/*
 * Make a name of its parts, checked for registering: the provider has at least
 * one byte and no NUL, control character, blank, '/', ':' or ';'; the level is
 * not 0.
 *
 * name: the parts. Options come in the order of their letters, each once. Without options
 *   (length 0) a group, if any, becomes option G.
 * out, size: where to, in bytes; NULL and 0 to check and measure alone. Ends
 *   with a NUL when it fits, and is not touched when it does not.
 * error: set on failure, or NULL; offset counts in the malformed part, and error is the
 *   value returned. Not touched on success.
 *
 * Returns the length without NUL; it fits when that is less than size. Or
 *   -EINVAL        the provider, level or an option is malformed, or options are out
 *                  of order;
 *   -ENAMETOOLONG  the name would have more than UE_EVENTHEADER_NAME_MAX bytes.
 * Any thread, signal handlers too. Since 0.1.
 */
UE__PUBLIC int ue_eventheader_name_make(const struct ue_eventheader_name *name,
				      char *out, size_t size,
				      struct ue_eventheader_error *error);

#ifdef __cplusplus
}
#endif

#include <userevents/abi/restore_names.h>
#endif
