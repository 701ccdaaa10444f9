/* SPDX-License-Identifier: MIT */
/* Takes the place of delivery.c where the tool is built without a sender. */
#include "delivery.h"

#include "common/cli/message.h"

char *delivery_receivers(const struct export_options *to)
{
	message("cannot export to %s: the tool was built without libcurl; install what "
		"\"scripts/packages tool\" prints, and build it again", to->endpoint);
	return NULL;
}

struct delivery *delivery_open(const struct delivery_options *options, int *status)
{
	delivery_receivers(options->to);
	*status = EXIT_FAILED;
	return NULL;
}

struct spool *delivery_spool(const char *directory, uint64_t bytes)
{
	(void)bytes;
	message("cannot keep a queue in %s: the tool was built without libcurl",
		directory);
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

uint64_t delivery_puts(const struct delivery *delivery)
{
	(void)delivery;
	return 0;
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
