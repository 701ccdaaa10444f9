/* SPDX-License-Identifier: MIT */
/* The text of the running kernel, read with the library. */
#include "support.h"

#include <string.h>

#include <userevents/decode/status.h>

static int find(const char *name, struct ue_status *status,
		struct ue_status_entry *entry)
{
	const char *text = read_file("user_events_status");
	struct ue_status_entry next;
	int found = 0, result;

	ue_status_begin(status, text, strlen(text));
	while ((result = ue_status_next(status, &next)) > 0)
		if (next.name_length == strlen(name) &&
		    !memcmp(next.name, name, next.name_length)) {
			*entry = next;
			found = 1;
		}
	assert_int_equal(result, 0);
	return found;
}

static void an_event_and_its_listener(void **state)
{
	struct ue_status_entry entry;
	struct ue_status status;
	struct ue_event event;
	const char *name;

	(void)state;
	ue_event_init(&event, unique("status u32 a"), 0);
	name = name_of(event.definition);
	assert_int_equal(ue_register(session, &event), 0);
	assert_true(find(name, &status, &entry));
	assert_int_equal(entry.users, 0);
	assert_int_equal(status.abi, ue_abi(session));
	assert_int_equal(status.max, is_status_page() ? 32768 : 0);
	assert_true(status.active >= 1);
	listen_to(&event);
	assert_true(find(name, &status, &entry));
	assert_int_equal(entry.users, UE_USER_FTRACE);
	assert_int_equal(status.busy, 1);
	if (is_status_page())
		assert_true(entry.status_bit > 0);
	stop_listening(&event);
	assert_int_equal(ue_unregister(&event), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(an_event_and_its_listener),
	};

	return RUN_TESTS(tests, argc, argv);
}
