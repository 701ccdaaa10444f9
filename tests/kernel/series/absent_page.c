/* SPDX-License-Identifier: MIT */
/*
 * Brings a page by userfaultfd.
 */
#include "absent_page.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

char *map_page(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
}

static void *bring_page(void *argument)
{
	static const char content[PAGE] = "content";
	struct absent_page *absent = argument;
	struct uffdio_copy copy = {
		.dst = (uintptr_t)absent->page,
		.src = (uintptr_t)content,
		.len = PAGE,
	};
	struct uffd_msg message;

	if (read(absent->faults, &message, sizeof(message)) != sizeof(message))
		return NULL;
	absent->before();
	ioctl(absent->faults, UFFDIO_COPY, &copy);
	return NULL;
}

void make_absent_page(struct absent_page *absent)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	absent->page = map_page();
	absent->faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	range.range.start = (uintptr_t)absent->page;
	range.range.len = PAGE;
	if (absent->faults < 0 || ioctl(absent->faults, UFFDIO_API, &api) ||
	    ioctl(absent->faults, UFFDIO_REGISTER, &range)) {
		perror("userfaultfd");
		exit(2);
	}
	pthread_create(&absent->thread, NULL, bring_page, absent);
}
