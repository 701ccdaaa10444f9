/* SPDX-License-Identifier: MIT */
/* Takes the place of delivery.c where the tool is built without a sender. */
#include "delivery.h"

#include "common/cli/message.h"

struct delivery *delivery_open(const struct export_options *options, uint64_t queue,
			       struct sent_counts *sent, uint64_t *lost,
			       int *status)
{
	(void)queue;
	(void)sent;
	(void)lost;
	message("cannot export to %s: the tool was built without libcurl; install what "
		"\"scripts/packages tool\" prints, and build it again", options->endpoint);
	*status = EXIT_FAILED;
	return NULL;
}

/* The others are never called, as there is no delivery. */

struct exporter *delivery_exporter(struct delivery *delivery)
{
	(void)delivery;
	return NULL;
}

const char *delivery_receiver(const struct delivery *delivery)
{
	(void)delivery;
	return NULL;
}

void delivery_end_by(struct delivery *delivery, int64_t end)
{
	(void)delivery;
	(void)end;
}

void delivery_count(struct delivery *delivery, struct delivery_counts *counts)
{
	(void)delivery;
	(void)counts;
}

void delivery_free(struct delivery *delivery)
{
	(void)delivery;
}
