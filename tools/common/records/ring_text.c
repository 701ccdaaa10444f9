/* SPDX-License-Identifier: MIT */
/* Recognizes rings, and explains errors and losses. */
#include "ring_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "byte_cursor.h"
#include "common/cli/memory.h"

/* The beginning of every version of a ring (doc/ring.md). */
#define MAGIC "UE_RING"
#define ORDER 0x01020304u

struct head {
	char magic[8];
	uint32_t order, version;
	uint64_t size;
};

int ring_begins(const uint8_t *bytes, size_t length)
{
	return length >= sizeof(MAGIC) && !memcmp(bytes, MAGIC, sizeof(MAGIC));
}

int ring_is_at(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint8_t magic[sizeof(MAGIC)];
	int is_ring;

	if (fd < 0)
		return 0;
	is_ring = pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
		  ring_begins(magic, sizeof(magic));
	close(fd);
	return is_ring;
}

/* The reason of the last call. */
static char sentence[160];

static const char *why_unknown(const struct head *head)
{
	if (head->order == __builtin_bswap32(ORDER))
		return "it was written on a machine of the other byte order; read it there";
	snprintf(sentence, sizeof(sentence), "it has version %u, which this tool does "
		 "not know; use the tool of the library that wrote it", head->version);
	return sentence;
}

static const char *why_damaged(int fd, const struct head *head)
{
	struct stat file;

	if (fstat(fd, &file) || (uint64_t)file.st_size >= head->size)
		return "its header is damaged; create another one";
	snprintf(sentence, sizeof(sentence), "it was cut, and has %llu of its %llu bytes; copy it "
		 "once more, or create another one", (unsigned long long)file.st_size,
		 (unsigned long long)head->size);
	return sentence;
}

const char *ring_reason(int fd, int error)
{
	struct head head = { .order = ORDER };

	if (fd >= 0 && pread(fd, &head, sizeof(head), 0) < (ssize_t)sizeof(head.magic))
		head = (struct head){ .order = ORDER };
	switch (error) {
	case -ENOTTY:
		return "it is no ring; \"userevents ring create\" makes one";
	case -EPROTONOSUPPORT:
		return why_unknown(&head);
	case -EBADMSG:
		return why_damaged(fd, &head);
	case -EBUSY:
		return "another process takes its events out; end that one first";
	case -EACCES:
	case -EPERM:
		return "this user has no rights to do so; ask its owner, or use root";
	}
	return strerror(-error);
}

const char *ring_why_empty(const struct ue_ring_info *info)
{
	if (!info->events)
		return info->processes ?
			"no program has registered an event in it; one " MUST_REGISTER :
			"no program registered an event in it; one " MUST_REGISTER
			", with the ring's name in " UE_ENVIRONMENT_RING "; " IGNORES_VARIABLE;
	if (!info->enabled)
		return "all events that are registered in it are disabled; enable them with: "
		       "userevents ring set --enable '*' RING";
	return info->mode == UE_RING_OVERWRITE ?
		"programs registered events in it, and wrote none" :
		"programs registered events in it, and wrote none, or a reader took them out";
}

const char *loss_key(enum ue_loss reason)
{
	static const char *const keys[UE_LOSS_REASONS] = {
		[UE_LOSS_TOO_LARGE] = "tooLarge",
		[UE_LOSS_NO_RIGHTS] = "noRights",
		[UE_LOSS_CAPTURE_FULL] = "captureFull",
		[UE_LOSS_INTERRUPTED] = "interrupted",
		[UE_LOSS_OTHER] = "other",
	};

	return keys[reason];
}

uint64_t losses_sum(const uint64_t *lost)
{
	uint64_t sum = 0;

	for (int i = 0; i < UE_LOSS_REASONS; i++)
		sum += lost[i];
	return sum;
}

char *losses_text(const uint64_t *lost)
{
	char *text = xstrdup("");

	for (int i = 0; i < UE_LOSS_REASONS; i++) {
		char *before = text;

		if (!lost[i])
			continue;
		text = xprintf("%s%s%llu %s", before, *before ? ", " : "",
			       (unsigned long long)lost[i],
			       ue_loss_name((enum ue_loss)i));
		free(before);
	}
	return text;
}
