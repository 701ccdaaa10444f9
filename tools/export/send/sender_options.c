/* SPDX-License-Identifier: MIT */
/* Reads a sender's options, and names its losses. */
#include "curl_library.h"
#include "sender.h"

int sender_options_read(struct sender_options *options,
			const struct export_options *command_line)
{
	int status = curl_library_load();

	*options = (struct sender_options){ .patience = SENDER_PATIENCE };
	for (int i = 0; !status && i < OTLP_SIGNALS; i++)
		status = receiver_read(&options->receivers[i], (enum otlp_signal)i,
				       command_line);
	if (status)
		sender_options_free(options);
	return status;
}

void sender_options_free(struct sender_options *options)
{
	for (int i = 0; i < OTLP_SIGNALS; i++)
		receiver_free(&options->receivers[i]);
}

const char *sender_loss_text(enum sender_loss loss)
{
	static const char *const texts[SENDER_LOSSES] = {
		[SENDER_LOST_QUEUE] = "for which the queue had no room",
		[SENDER_LOST_REFUSED] = "in requests that were refused",
		[SENDER_LOST_REJECTED] = "rejected by a partial success",
		[SENDER_LOST_GIVEN_UP] = "given up, as the receiver did not take them in time",
	};

	return texts[loss];
}

uint64_t sender_lost_items(const struct sender_counts *counts)
{
	uint64_t items = 0;

	for (int i = 0; i < SENDER_LOSSES; i++)
		items += counts->lost[i].items;
	return items;
}
