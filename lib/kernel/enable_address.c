/* SPDX-License-Identifier: MIT */
/*
 * Linux 6.4 and later: the kernel sets a bit in the program's memory.
 */
#include <errno.h>

#include <userevents/abi/event_state.h>

#include "kernel.h"
#include "abi.h"
#include "connect/lineage.h"

struct call {
	int fd;
	unsigned long request;
	void *argument;
};

static int make(void *argument)
{
	const struct call *call = argument;

	return ioctl(call->fd, call->request, call->argument) ? -errno : 0;
}

/* Wherever the registrations are kept. */
static int ask(int fd, unsigned long request, void *argument)
{
	struct call call = { fd, request, argument };

	return ue__in_lineage(make, &call);
}

/*
 * Asked with a request that cannot succeed: unregister address 0. This
 * generation looks for it (ENOENT), the older one does not know the request
 * (ENOTTY). No kernel version is read and nothing is changed.
 */
int ue__enable_address_probe(int fd)
{
	struct ue__enable_address_unreg unreg = { .size = sizeof(unreg) };

	if (!ioctl(fd, UE__IOC_UNREG, &unreg) || errno == ENOENT)
		return 1;
	return errno == ENOTTY ? 0 : -errno;
}

/* A REG without a name: it fails, but after the caller's lineage has begun. */
int ue__enable_address_anchor(int fd)
{
	static uint32_t word;
	struct ue__enable_address_reg reg = {
		.size = sizeof(reg),
		.enable_bit = UE_WORD_BIT,
		.enable_size = sizeof(word),
		.enable_addr = (uintptr_t)&word,
	};

	if (!ioctl(fd, UE__IOC_REG, &reg) || errno == EFAULT)
		return 0;
	return -errno;
}

/*
 * The flags are looked at before the name, which is not there (user_reg_get() and
 * user_event_parse_cmd()): EINVAL means the flag, EFAULT the name.
 */
int ue__enable_address_has_flag(int fd, uint32_t flag)
{
	static uint32_t word;
	struct ue__enable_address_reg reg = {
		.size = sizeof(reg),
		.enable_bit = UE_WORD_BIT,
		.enable_size = sizeof(word),
		.flags = (uint16_t)flag,
		.enable_addr = (uintptr_t)&word,
	};
	int result = ask(fd, UE__IOC_REG, &reg);

	if (!result || result == -EFAULT)
		return 1;
	return result == -EINVAL ? 0 : result;
}

int ue__enable_address_register(int fd, const char *definition, uint32_t flags,
				uint32_t *word, uint32_t *write_index)
{
	struct ue__enable_address_reg reg = {
		.size = sizeof(reg),
		.enable_bit = UE_WORD_BIT,
		.enable_size = sizeof(*word),
		.flags = (uint16_t)flags,
		.enable_addr = (uintptr_t)word,
		.name_args = (uintptr_t)definition,
	};
	int result = ask(fd, UE__IOC_REG, &reg);

	if (!result)
		*write_index = reg.write_index;
	return result;
}

int ue__enable_address_unregister(int fd, uint32_t *word)
{
	struct ue__enable_address_unreg unreg = {
		.size = sizeof(unreg),
		.disable_bit = UE_WORD_BIT,
		.disable_addr = (uintptr_t)word,
	};

	return ask(fd, UE__IOC_UNREG, &unreg);
}
