/* SPDX-License-Identifier: MIT */
/*
 * The back end of Linux 6.4 and later: its requests, made in the lineage of threads that
 * registrations are kept with.
 */
#include <errno.h>

#include "back_end.h"
#include "requests.h"
#include "tracefs_path.h"

struct request {
	int fd;
	uint32_t flags;
	uint32_t *word;
	const char *definition;
	uint32_t *write_index;
};

static int probe(const struct ue__channel *channel)
{
	return channel->tracefs_error ? channel->tracefs_error :
					ue__enable_address_probe(channel->fd);
}

static int attach(struct ue__channel *channel)
{
	if (!channel->directory)
		channel->directory = ue__tracefs_directory(channel->fd);
	return ue__lineage_begin(&channel->kernel->lineage, channel->fd);
}

static int make_register(void *argument)
{
	struct request *r = argument;

	return ue__enable_address_register(r->fd, r->definition, r->flags, r->word,
					   r->write_index);
}

/*
 * The kernel's EINVAL for a definition that was checked means a flag it does not
 * know: any before 6.7, UE_EVENT_MULTI_FORMAT before 6.9.
 */
static int register_event(const struct ue__channel *channel,
			  const struct ue__wanted *wanted, struct ue__granted *granted)
{
	struct request request = { channel->fd, wanted->flags, wanted->word,
				   wanted->definition, &granted->write_index };
	struct ue__lineage *lineage = &channel->kernel->lineage;
	int result = ue__lineage_begin(lineage, channel->fd);

	if (!result)
		result = ue__in_lineage(lineage, make_register, &request);
	return result == -EINVAL && wanted->flags ? -EOPNOTSUPP : result;
}

static int call(struct ue__kernel *kernel, int (*function)(void *), void *argument)
{
	return ue__in_lineage(&kernel->lineage, function, argument);
}

static int make_unregister(void *argument)
{
	struct request *r = argument;

	return ue__enable_address_unregister(r->fd, r->word);
}

/* ENOENT means that the kernel does not know the word. */
static int unregister(struct ue__kernel *kernel, int fd, uint32_t *word)
{
	struct request request = { .fd = fd, .word = word };
	int result = ue__in_lineage(&kernel->lineage, make_unregister, &request);

	return result == -ENOENT ? -ESRCH : result;
}

/* A child without a descriptor has the kernel's copy. */
static int again(const struct ue__channel *channel, int is_in_write)
{
	struct ue__lineage *lineage = &channel->kernel->lineage;

	(void)is_in_write;
	if (!ue__channel_is_open(channel))
		return lineage->was_copied ? 1 : -EBADF;
	return ue__lineage_again(lineage, channel->fd);
}

static int look(const struct ue__channel *channel, ue__tell *tell, void *context)
{
	return channel->directory ? ue__event_states(channel->directory, channel->device, tell,
						     context) : -ENOENT;
}

static int delete_event(const struct ue__channel *channel, const char *name)
{
	return ue__kernel_delete(channel->fd, name);
}

static int make_has_flag(void *argument)
{
	struct request *r = argument;

	return ue__enable_address_has_flag(r->fd, r->flags);
}

static int has_flag(const struct ue__channel *channel, uint32_t flag)
{
	struct request request = { .fd = channel->fd, .flags = flag };

	return ue__in_lineage(&channel->kernel->lineage, make_has_flag, &request);
}

const struct ue__back_end ue__enable_address = {
	.abi = UE_ABI_ENABLE_ADDRESS,
	.forgets_late = 1,
	.probe = probe,
	.attach = attach,
	.register_event = register_event,
	.call = call,
	.unregister = unregister,
	.again = again,
	.look = look,
	.delete_event = delete_event,
	.has_flag = has_flag,
};
