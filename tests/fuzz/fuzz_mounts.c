/* SPDX-License-Identifier: MIT */
/* The text of /proc/self/mounts: all that is found lies within it. */
#include "fuzz.h"
#include "kernel/mounts.h"

static int is_within(const char *at, size_t length, const char *text, size_t size)
{
	return at >= text && length <= size && at - text <= (ptrdiff_t)(size - length);
}

static void check(const struct ue__mount *mount, const char *text, size_t size)
{
	char directory[256];
	int length;

	PROMISE(mount->directory_length && mount->type_length);
	PROMISE(is_within(mount->directory, mount->directory_length, text, size));
	PROMISE(is_within(mount->type, mount->type_length, text, size));
	length = ue__mount_directory(mount, directory, sizeof(directory));
	if (length >= 0) {
		PROMISE((size_t)length < sizeof(directory) && !directory[length]);
		PROMISE((size_t)length <= mount->directory_length);
	}
	PROMISE(ue__mount_directory(mount, directory, 1) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size ? size : 1);
	struct ue__mount mount;
	const char *at = text;
	size_t left = size;

	PROMISE(text);
	if (size)
		memcpy(text, data, size);
	while (ue__mounts_next(&at, &left, &mount)) {
		PROMISE(at >= text && (size_t)(at - text) + left == size);
		check(&mount, text, size);
	}
	PROMISE(!left);
	free(text);
	return 0;
}
