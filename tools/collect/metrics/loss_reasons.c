/* SPDX-License-Identifier: MIT */
/*
 * Gathers losses from the places that count them.
 *
 * Each event that was read is in exactly one of: filtered; lost as "filter" or "rate_limit";
 * pending in the encoder or in the queue; lost as "queue", "receiver" or "restart"; delivered.
 * Those lost as "library" or "ring" were never read.
 */
#include "metrics.h"

const char *loss_reason_name(enum loss_reason reason)
{
	static const char *const names[LOSS_REASONS] = {
		[LOSS_LIBRARY] = "library",
		[LOSS_RING] = "ring",
		[LOSS_FILTER] = "filter",
		[LOSS_RATE_LIMIT] = "rate_limit",
		[LOSS_QUEUE] = "queue",
		[LOSS_RECEIVER] = "receiver",
		[LOSS_RESTART] = "restart",
	};

	return names[reason];
}

static uint64_t lost_by_receiver(const struct sender_counts *sender)
{
	return sender->lost[SENDER_LOST_REFUSED].events +
	       sender->lost[SENDER_LOST_REJECTED].events +
	       sender->lost[SENDER_LOST_GIVEN_UP].events;
}

void metrics_losses(const struct metrics *metrics, uint64_t lost[LOSS_REASONS])
{
	const struct event_sums *sums = &metrics->kept->sums;
	struct delivery_counts delivery = { .limit = 0 };

	if (metrics->delivery)
		delivery_count(metrics->delivery, &delivery);
	lost[LOSS_LIBRARY] = sums->losses.in_programs;
	lost[LOSS_RING] = sums->losses.ring;
	lost[LOSS_FILTER] = sums->misfits;
	lost[LOSS_RATE_LIMIT] = sums->limited;
	lost[LOSS_QUEUE] = delivery.sender.lost[SENDER_LOST_QUEUE].events;
	lost[LOSS_RECEIVER] = lost_by_receiver(&delivery.sender);
	lost[LOSS_RESTART] = sums->restart;
}
