/* SPDX-License-Identifier: MIT */
/*
 * Linux 6.4 and later: the kernel sets a bit in the program's memory.
 */
#include <errno.h>

#include <userevents/abi/event_state.h>

#include "kernel.h"
#include "abi.h"
#include "connect/lineage.h"
#include "system_call.h"

struct call {
	int fd;
	unsigned long request;
	void *argument;
	uint32_t *word; /* for make_and_keep() */
};

static int make(void *argument)
{
	const struct call *call = argument;

	return ioctl(call->fd, call->request, call->argument) ? -errno : 0;
}

/*
 * The kernel clears its bit, also where the word is somebody else's by now: even of the
 * stack that this runs on, a return address. So nothing returns before the bit is back.
 */
static int make_and_keep(void *argument)
{
	const struct call *call = argument;
	uint32_t *word = call->word;
	const uint32_t bit = __atomic_load_n(word, __ATOMIC_RELAXED) & UE_WORD_LISTENED;
	long result = ue__system_call3(SYS_ioctl, call->fd, (long)call->request,
				       (long)call->argument);

	if (bit)
		__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
	return (int)result;
}

/* Wherever the registrations are kept. */
static int ask(int fd, unsigned long request, void *argument)
{
	struct call call = { fd, request, argument, NULL };

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

static struct ue__enable_address_unreg unreg_of(uint32_t *word)
{
	return (struct ue__enable_address_unreg){
		.size = sizeof(struct ue__enable_address_unreg),
		.disable_bit = UE_WORD_BIT,
		.disable_addr = (uintptr_t)word,
	};
}

int ue__enable_address_unregister(int fd, uint32_t *word)
{
	struct ue__enable_address_unreg unreg = unreg_of(word);

	return ask(fd, UE__IOC_UNREG, &unreg);
}

int ue__enable_address_unregister_lost(int fd, uint32_t *word)
{
	struct ue__enable_address_unreg unreg = unreg_of(word);
	struct call call = { fd, UE__IOC_UNREG, &unreg, word };

	return ue__in_lineage(make_and_keep, &call);
}
