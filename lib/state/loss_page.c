/* SPDX-License-Identifier: MIT */
/*
 * Counts losses in a page that the tool which started the program reads after its end.
 *
 * The page stays mapped: children of a fork count in it, too. The descriptor stays open,
 * as programs that this one starts inherit it.
 */
#define _GNU_SOURCE /* secure_getenv() */
#include "loss_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <userevents/abi/process_note.h>

static struct ue_loss_page *page;

/*
 * The descriptor may be any file by now, so only one with the mark is written to. A file
 * that gets shorter while it is mapped would end the process by SIGBUS.
 */
static struct ue_loss_page *map(int fd)
{
	struct ue_loss_page *mapped;
	struct stat status;
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &status) ||
	    status.st_size < (off_t)UE_LOSS_PAGE_SIZE)
		return NULL;
	mapped = mmap(NULL, UE_LOSS_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED)
		return NULL;
	if (mapped->mark == UE_LOSS_PAGE_MARK && mapped->reasons == UE_LOSS_REASONS)
		return mapped;
	munmap(mapped, UE_LOSS_PAGE_SIZE);
	return NULL;
}

void ue__loss_page_open(void)
{
	const char *text = page ? NULL : secure_getenv(UE_ENVIRONMENT_LOSSES);
	char *end;
	long fd;

	if (!text)
		return;
	errno = 0;
	fd = strtol(text, &end, 10);
	if (end != text && !*end && !errno && fd >= 0 && fd <= INT32_MAX)
		__atomic_store_n(&page, map((int)fd), __ATOMIC_RELEASE);
}

void ue__loss_page_count(enum ue_loss reason)
{
	struct ue_loss_page *counts = __atomic_load_n(&page, __ATOMIC_ACQUIRE);

	if (counts)
		__atomic_fetch_add(&counts->lost[reason], 1, __ATOMIC_RELAXED);
}
