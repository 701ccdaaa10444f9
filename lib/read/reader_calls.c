/* SPDX-License-Identifier: MIT */
/*
 * Export the reader. Programs allocate a struct whose members are hidden, so that later
 * versions can change them.
 */
#include <stdlib.h>

#include "cursor.h"
#include "util/errno_guard.h"

UE__PUBLIC struct ue_reader *ue_reader_new(void)
{
	UE__KEEP_ERRNO;

	return calloc(1, sizeof(struct ue_reader));
}

UE__PUBLIC void ue_reader_free(struct ue_reader *reader)
{
	UE__KEEP_ERRNO;

	free(reader);
}

UE__PUBLIC int ue_reader_begin(struct ue_reader *reader, const char *name,
			       size_t name_length, const void *bytes, size_t length,
			       const struct ue_reader_opts *opts)
{
	return ue__reader_begin(ue__own(reader), name, name_length, bytes, length, opts);
}

UE__PUBLIC int ue_reader_rewind(struct ue_reader *reader)
{
	return ue__reader_rewind(ue__own(reader));
}

UE__PUBLIC int ue_reader_next(struct ue_reader *reader)
{
	return ue__reader_next(ue__own(reader));
}

UE__PUBLIC int ue_reader_next_sibling(struct ue_reader *reader)
{
	return ue__reader_next_sibling(ue__own(reader));
}

UE__PUBLIC int ue_reader_next_field(struct ue_reader *reader)
{
	return ue__reader_next_field(ue__own(reader));
}

UE__PUBLIC const struct ue_event_info *ue_reader_info(const struct ue_reader *reader)
{
	return &ue__const_own(reader)->info;
}

UE__PUBLIC const struct ue_item *ue_reader_item(const struct ue_reader *reader)
{
	return &ue__const_own(reader)->item;
}

UE__PUBLIC const struct ue_eventheader_error *
ue_reader_error(const struct ue_reader *reader)
{
	return &ue__const_own(reader)->error;
}

UE__PUBLIC size_t ue_reader_trailing(const struct ue_reader *reader)
{
	return ue__const_own(reader)->trailing;
}
