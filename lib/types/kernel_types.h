/* SPDX-License-Identifier: MIT */
/*
 * The type information of a kernel (BTF) about user_events. It takes no rights, no
 * tracefs, and no session.
 */
#ifndef UE__TYPES_KERNEL_TYPES_H
#define UE__TYPES_KERNEL_TYPES_H

/* The generations, by the members of struct user_reg. */
enum ue__generation {
	UE__GENERATION_NONE,	/* no such struct: built without user_events */
	UE__GENERATION_BYTE,	/* status_index: Linux 5.18 to 6.0 */
	UE__GENERATION_BIT,	/* status_bit: 6.1 to 6.3 */
	UE__GENERATION_ADDRESS, /* enable_addr: 6.4 and later */
	UE__GENERATION_OTHER,	/* one that this library does not know */
};

enum ue__known {
	UE__KNOWN_NO,
	UE__KNOWN_YES,
	UE__KNOWN_MAYBE, /* the types do not tell */
};

struct ue__kernel_types {
	enum ue__generation generation;
	/* whether UE_EVENT_PERSIST and UE_EVENT_MULTI_FORMAT may be given */
	enum ue__known persist, multi_format;
};

/*
 * Read the types of the running kernel, or, where path is not NULL, those in a file: BTF, or
 * ELF with a section of it.
 *
 * Returns 0; -ENOSYS without libbpf; or another -errno if there is no BTF, or it is malformed.
 */
int ue__kernel_types_read(struct ue__kernel_types *types, const char *path);

struct ue_features;

/* Set those features that are unknown, and that types tell. */
void ue__features_by_types(struct ue_features *features, const struct ue__kernel_types *types);

#endif
