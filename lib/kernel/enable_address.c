/* SPDX-License-Identifier: MIT */
/*
 * The requests of Linux 6.4 and later, where the kernel sets a bit in the program's
 * memory.
 */
#include <errno.h>

#include <userevents/abi/event_state.h>

#include "abi.h"
#include "requests.h"

static int ask(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument) ? -errno : 0;
}

/*
 * The probe is a request that cannot succeed: unregister address 0. This generation
 * searches for it (ENOENT); the older one does not know the request (ENOTTY). The probe
 * reads no kernel version and changes nothing.
 */
int ue__enable_address_probe(int fd)
{
	struct ue__enable_address_unreg unreg = { .size = sizeof(unreg) };

	int result = ask(fd, UE__IOC_UNREG, &unreg);

	if (!result || result == -ENOENT)
		return 1;
	return result == -ENOTTY ? 0 : result;
}

/* A REG without a name fails, but only after it has begun the caller's lineage. */
int ue__enable_address_anchor(int fd)
{
	static uint32_t word;
	struct ue__enable_address_reg reg = {
		.size = sizeof(reg),
		.enable_bit = UE__WORD_BIT,
		.enable_size = sizeof(word),
		.enable_addr = (uintptr_t)&word,
	};

	int result = ask(fd, UE__IOC_REG, &reg);

	return result == -EFAULT ? 0 : result;
}

/*
 * The kernel checks the flags before the name, which is missing here (user_reg_get()
 * and user_event_parse_cmd()): EINVAL refers to the flag, EFAULT to the name.
 */
int ue__enable_address_has_flag(int fd, uint32_t flag)
{
	static uint32_t word;
	struct ue__enable_address_reg reg = {
		.size = sizeof(reg),
		.enable_bit = UE__WORD_BIT,
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
		.enable_bit = UE__WORD_BIT,
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
		.disable_bit = UE__WORD_BIT,
		.disable_addr = (uintptr_t)word,
	};

	return ask(fd, UE__IOC_UNREG, &unreg);
}
