/* SPDX-License-Identifier: MIT */
/*
 * Maps user_events_status, which has a bit for each event on Linux 6.1 to 6.3.
 *
 * The kernel accepts exactly one size. It is one page in the packaged kernels, and more if
 * MAX_PAGE_ORDER was changed, so the library takes it from the last line of the text, which is
 * "Max: N". Linux 5.18 to 6.0 have the same requests and the same text, but N bytes, one
 * for each event, which must not be read as bits. With pages of 4096 bytes:
 *
 *	N	size as bits	size as bytes
 *	4096	-		4096		less than a page of bits: these are bytes
 *	32768	4096		32768		the size that can be mapped decides
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <userevents/decode/status.h>

#include "status_bits.h"
#include "util/file_text.h"

/* The kernel's limit of events, or 0 if the text cannot be read. */
static uint32_t max_of(const char *path)
{
	struct ue_status_entry entry;
	struct ue_status status;
	size_t length;
	char *text = ue__file_text(path, &length);

	if (!text)
		return 0;
	ue_status_begin(&status, text, length);
	while (ue_status_next(&status, &entry))
		;
	free(text);
	return status.max;
}

static const uint8_t *map(int fd, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

static int has_bytes(int fd, uint32_t max)
{
	const uint8_t *at = map(fd, max);

	if (at)
		munmap((void *)(uintptr_t)at, max);
	return at != NULL;
}

static int map_all(struct ue__status_bits *bits, int fd, uint32_t max)
{
	const uint32_t bits_per_page = (uint32_t)sysconf(_SC_PAGESIZE) * 8;
	const uint8_t *at;
	int error;

	if (max % bits_per_page)
		return -EOPNOTSUPP;
	at = map(fd, max / 8);
	if (at) {
		*bits = (struct ue__status_bits){ at, max };
		return 0;
	}
	error = -errno;
	return error == -EINVAL && has_bytes(fd, max) ? -EOPNOTSUPP : error;
}

int ue__status_bits_map(struct ue__status_bits *bits, const char *path)
{
	uint32_t max = max_of(path);
	int fd, result;

	if (!max)
		return -ENODATA;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	result = map_all(bits, fd, max);
	close(fd);
	return result;
}

const uint8_t *ue__status_byte(const struct ue__status_bits *bits, uint32_t bit)
{
	static const uint8_t always = 0xff;

	return bit < bits->count ? &bits->at[bit / 8] : &always;
}
