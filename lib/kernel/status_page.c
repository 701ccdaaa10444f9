/* SPDX-License-Identifier: MIT */
/*
 * The back end of Linux 6.1 to 6.3: one set of status bits for the whole system.
 */
#include <errno.h>
#include <stdio.h>

#include "abi.h"
#include "back_end.h"
#include "registered_format.h"
#include "requests.h"
#include "tracefs_path.h"

/*
 * If the argument is not readable, a user_events file answers EFAULT, and any other
 * file ENOTTY. The probe of the enable address ran before, so this is a file of tracefs.
 */
static int probe(const struct ue__channel *channel)
{
	return ioctl(channel->fd, UE__IOC_REG, NULL) && errno == EFAULT;
}

/*
 * If the status bits cannot be mapped (a descriptor from a process with more rights), every
 * registered event counts as enabled, and the kernel decides at each write. That works
 * with a byte for each event, too (Linux 5.18 to 6.0), but those bytes are not bits, and
 * that interface was withdrawn.
 */
static int attach(struct ue__channel *channel)
{
	char path[4096];
	int result;

	if (!channel->directory)
		channel->directory = ue__tracefs_directory(channel->fd);
	if (!channel->directory || channel->kernel->status.at)
		return 0;
	snprintf(path, sizeof(path), "%s/" UE__STATUS_FILE, channel->directory);
	result = ue__status_bits_map(&channel->kernel->status, path);
	return result == -EOPNOTSUPP ? result : 0;
}

/*
 * This generation accepts an existing name without comparing the fields, so the library
 * compares them. A registration that fails here lasts until the session is closed.
 */
static int register_event(const struct ue__channel *channel,
			  const struct ue__wanted *wanted, struct ue__granted *granted)
{
	struct ue__status_page_reg reg = {
		.size = sizeof(reg),
		.name_args = (uintptr_t)wanted->definition,
	};

	if (wanted->flags)
		return -EOPNOTSUPP;
	if (ioctl(channel->fd, UE__IOC_REG, &reg))
		return -errno;
	if (!ue__registered_as(channel->directory, wanted->definition,
			       wanted->name_length))
		return -EADDRINUSE;
	granted->write_index = reg.write_index;
	granted->word = UE__WORD_ASK | 1u << reg.status_bit % 8;
	granted->status_byte = ue__status_byte(&channel->kernel->status, reg.status_bit);
	return 0;
}

int ue__kernel_delete(int fd, const char *name)
{
	return ioctl(fd, UE__IOC_DEL, name) ? -errno : 0;
}

static int delete_event(const struct ue__channel *channel, const char *name)
{
	return ue__kernel_delete(channel->fd, name);
}

static int has_flag(const struct ue__channel *channel, uint32_t flag)
{
	(void)channel;
	(void)flag;
	return 0;
}

const struct ue__back_end ue__status_page = {
	.abi = UE_ABI_STATUS_PAGE,
	.probe = probe,
	.attach = attach,
	.register_event = register_event,
	.delete_event = delete_event,
	.has_flag = has_flag,
};
