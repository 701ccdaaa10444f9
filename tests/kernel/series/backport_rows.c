/* SPDX-License-Identifier: MIT */
/*
 * Asks about three faults that 6.4 fixed, and the patches for 6.1 carry back.
 */
#include <stdint.h>
#include <sys/ioctl.h>

#include "kernel/abi.h"
#include "instance.h"
#include "surprises.h"

/* With a bit of its own: EADDRINUSE is also the answer to one that is taken. */
static int register_again(int fd, const char *definition)
{
	static uint32_t word;
	static uint8_t bit;
	struct ue__enable_address_reg reg = {
		.size = sizeof(reg),
		.enable_bit = bit++,
		.enable_size = sizeof(word),
		.enable_addr = (uintptr_t)&word,
		.name_args = (uintptr_t)definition,
	};

	return is_6_1() ? register_raw(fd, definition, NULL) : ioctl(fd, UE__IOC_REG, &reg);
}

static void other_fields(void)
{
	struct event event = { .definition = "ue_other_fields u32 a", .name = "ue_other_fields" };
	long result;

	set_up_event(&event);
	result = register_again(event.fd, "ue_other_fields u64 b");
	answer("%s", verdict(result));
	clean_up_event(&event);
}

/* A space after the semicolon is a matter of taste: 6.4 to 6.9 took it for other fields. */
static void same_fields(void)
{
	struct event event = {
		.definition = "ue_same_fields u32 a;u32 b",
		.name = "ue_same_fields",
	};
	long result;

	set_up_event(&event);
	result = register_again(event.fd, event.definition);
	if (!result)
		result = register_again(event.fd, "ue_same_fields u32 a; u32 b");
	answer("%s", verdict(result));
	clean_up_event(&event);
}

static void empty_payload(void)
{
	struct event event = { .definition = "ue_empty_payload", .name = "ue_empty_payload" };
	long result;

	set_up_event(&event);
	put_event(&event, "enable", "1");
	result = write_payload(&event, "", 0);
	answer("%s, %d recorded", verdict(result), count_records());
	clean_up_event(&event);
}

/* The filter passes one of the two events, unless the kernel refuses or misreads it. */
static void text_filter(void)
{
	struct event event = {
		.definition = "ue_text_filter char[4] text",
		.name = "ue_text_filter",
	};
	long result;

	set_up_event(&event);
	result = put_event(&event, "filter", "text == \"yes\"");
	if (result) {
		answer("%s", verdict(result));
	} else {
		put_event(&event, "enable", "1");
		write_payload(&event, "yes", 4);
		write_payload(&event, "no\0", 4);
		answer("%d of 2 recorded", count_records());
	}
	clean_up_event(&event);
}

const struct surprise backport_surprises[] = {
	{ "other-fields", "registering a name again with other fields", other_fields },
	{ "same-fields", "registering a name again with the same fields", same_fields },
	{ "empty-payload", "writing an event without fields", empty_payload },
	{ "text-filter", "filtering a field that is text", text_filter },
	{ 0 },
};
