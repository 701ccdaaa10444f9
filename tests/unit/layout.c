/* SPDX-License-Identifier: MIT */
/*
 * Structs that live in the user's binary: later versions may only append to them, which
 * changes no offset here (tests/abi/grown.sh).
 */
#include "test.h"

#include <userevents/abi/process_note.h>
#include <userevents/decode.h>
#include <userevents/ring.h>
#include <userevents/status_set.h>
#include <userevents/eventheader_name.h>
#include <userevents/features.h>
#include <userevents/userevents.h>

/* With 64 bits, and on i386; others of 32 bits align numbers of 64 differently. */
#if UINTPTR_MAX == UINT64_MAX
#define LAYOUT(what, bits64, on_i386) assert_int_equal(what, bits64)
#elif defined(__i386__)
#define LAYOUT(what, bits64, on_i386) assert_int_equal(what, on_i386)
#else
#define LAYOUT(what, bits64, on_i386) assert_uint_in_range(what, 0, bits64)
#endif

static void struct_ue_event(void **state)
{
	(void)state;
	LAYOUT(offsetof(struct ue_event, size), 0, 0);
	LAYOUT(offsetof(struct ue_event, flags), 4, 4);
	LAYOUT(offsetof(struct ue_event, definition), 8, 8);
	LAYOUT(offsetof(struct ue_event, word), 16, 12);
	LAYOUT(offsetof(struct ue_event, ue__own_word), 24, 16);
	LAYOUT(offsetof(struct ue_event, ue__fixed_size), 28, 20);
	LAYOUT(offsetof(struct ue_event, ue__binding), 32, 24);
	LAYOUT(offsetof(struct ue_event, ue__status_byte), 40, 32);
	LAYOUT(offsetof(struct ue_event, ue__parts), 48, 36);
	LAYOUT(offsetof(struct ue_event, ue__payload_max), 56, 40);
	LAYOUT(offsetof(struct ue_event, ue__direct_max), 60, 44);
	LAYOUT(offsetof(struct ue_event, ue__registration), 64, 48);
	LAYOUT(offsetof(struct ue_event, ue__write_call), 72, 52);
	LAYOUT(sizeof(struct ue_event), 80, 56);
}

/* Tools read these structs in the memory of other processes. */
static void structs_of_the_process_note(void **state)
{
	(void)state;
	LAYOUT(offsetof(struct ue_noted_library, sessions), 8, 4);
	LAYOUT(sizeof(struct ue_noted_library), 16, 8);
	LAYOUT(offsetof(struct ue_noted_session, library), 8, 4);
	LAYOUT(offsetof(struct ue_noted_session, events), 16, 8);
	LAYOUT(offsetof(struct ue_noted_session, lost), 24, 12);
	LAYOUT(offsetof(struct ue_noted_session, abi), 44, 32);
	LAYOUT(offsetof(struct ue_noted_session, fd), 48, 36);
	LAYOUT(offsetof(struct ue_noted_event, session), 8, 4);
	LAYOUT(offsetof(struct ue_noted_event, definition), 16, 8);
	LAYOUT(offsetof(struct ue_noted_event, name_length), 24, 12);
	LAYOUT(offsetof(struct ue_noted_event, flags), 28, 16);
	LAYOUT(offsetof(struct ue_noted_event, word), 32, 20);
	LAYOUT(offsetof(struct ue_noted_event, lost), 40, 24);
	assert_int_equal(UE_LOSS_REASONS, 5);
	assert_string_equal(UE_NOTE_NAME, "userevents");
	assert_int_equal(UE_NOTE_TYPE, 1);
}

static void struct_ue_features(void **state)
{
	(void)state;
	LAYOUT(offsetof(struct ue_features, of), 8, 4);
	LAYOUT(offsetof(struct ue_features, payload_max), 136, 132);
	LAYOUT(offsetof(struct ue_features, open_error), 140, 136);
	LAYOUT(offsetof(struct ue_features, source), 144, 140);
	LAYOUT(sizeof(struct ue_features), 160, 156);
}

static void struct_ue_status_any(void **state)
{
	(void)state;
	LAYOUT(offsetof(struct ue_status_set, ue__word), 0, 0);
	LAYOUT(offsetof(struct ue_status_set, ue__mask), 8, 4);
	LAYOUT(sizeof(struct ue_status_set), 16, 12);
}

static void struct_ue_open_opts(void **state)
{
	(void)state;
	LAYOUT(offsetof(struct ue_open_opts, size), 0, 0);
	LAYOUT(offsetof(struct ue_open_opts, path), 8, 4);
	LAYOUT(offsetof(struct ue_open_opts, fd), 16, 8);
	LAYOUT(offsetof(struct ue_open_opts, flags), 20, 12);
	LAYOUT(offsetof(struct ue_open_opts, payload_max), 24, 16);
	LAYOUT(sizeof(struct ue_open_opts), 32, 24);
}

static void struct_ue_ring_opts(void **state)
{
	(void)state;
	LAYOUT(offsetof(struct ue_ring_opts, size), 0, 0);
	LAYOUT(offsetof(struct ue_ring_opts, bytes), 8, 4);
	LAYOUT(offsetof(struct ue_ring_opts, mode), 16, 12);
	LAYOUT(offsetof(struct ue_ring_opts, flags), 20, 16);
	LAYOUT(sizeof(struct ue_ring_opts), 24, 20);
}

/* They stand in arrays and in other structs, or are handed out without a size. */
static void structs_that_do_not_grow(void **state)
{
	(void)state;
	LAYOUT(sizeof(struct ue_definition_error), 24, 12);
	LAYOUT(sizeof(struct ue_eventheader_error), 32, 20);
	LAYOUT(sizeof(struct ue_eventheader_name), 64, 36);
	LAYOUT(sizeof(struct ue_value), 16, 12);
	LAYOUT(sizeof(struct ue_record_field), 48, 36);
}

static void the_initialiser_and_the_function_agree(void **state)
{
	static struct ue_event fixed =
		UE_EVENT_INIT(fixed, "tick u32 a", UE_EVENT_PERSIST);
	struct ue_event made;

	(void)state;
	assert_int_equal(ue_event_init(&made, "tick u32 a", UE_EVENT_PERSIST), 0);
	assert_ptr_equal(fixed.word, &fixed.ue__own_word);
	assert_ptr_equal(made.word, &made.ue__own_word);
	fixed.word = made.word;
	fixed.definition = made.definition;
	assert_memory_equal(&fixed, &made, sizeof(made));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(struct_ue_event),
		cmocka_unit_test(struct_ue_features),
		cmocka_unit_test(struct_ue_status_any),
		cmocka_unit_test(struct_ue_open_opts),
		cmocka_unit_test(struct_ue_ring_opts),
		cmocka_unit_test(structs_of_the_process_note),
		cmocka_unit_test(structs_that_do_not_grow),
		cmocka_unit_test(the_initialiser_and_the_function_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
