/* SPDX-License-Identifier: MIT */
/* EventHeader events on a real kernel: one registration, separate levels, all forms
 * arrive. */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <userevents/builder.h>

#define TEN(m, n) \
	m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define HUNDRED(m, n)                                                             \
	TEN(m, n##0) TEN(m, n##1) TEN(m, n##2) TEN(m, n##3) TEN(m, n##4) TEN(m, n##5) \
	TEN(m, n##6) TEN(m, n##7) TEN(m, n##8) TEN(m, n##9)
#define THOUSAND(m)                                                               \
	HUNDRED(m, 0) HUNDRED(m, 1) HUNDRED(m, 2) HUNDRED(m, 3) HUNDRED(m, 4)     \
	HUNDRED(m, 5) HUNDRED(m, 6) HUNDRED(m, 7) HUNDRED(m, 8) HUNDRED(m, 9)

UE_PROVIDER(thousand, "Test_Thousand");
UE_TRACEPOINT(of_thousand, thousand, UE_LEVEL_VERBOSE, 0x10);
#define EVENT(n) UE_EVENTHEADER(of_thousand, event##n, UE_U32(value));
THOUSAND(EVENT)

UE_PROVIDER(levels, "Test_Levels", "tests");
UE_TRACEPOINT(errors, levels, UE_LEVEL_ERROR, 0x8000000000000000);
UE_TRACEPOINT(details, levels, UE_LEVEL_VERBOSE, 0);
UE_EVENTHEADER(errors, failed, UE_ERRNO(error));
UE_EVENTHEADER(details, step, UE_STRING(name), UE_U32(number));
UE_EVENTHEADER(details, large, UE_BLOB(bytes));

struct inner {
	uint16_t n;
	const char *s;
};

struct outer {
	uint32_t id;
	struct inner in[2];
	struct ue_span blob;
	unsigned char uuid[16];
};

UE_EVENTHEADER(details, nested, UE_U8(before),
	     UE_STRUCTS(struct outer, outers, UE_U32(id),
			UE_STRUCT_ARRAY(struct inner, in, 2, UE_U16(n), UE_STRING(s)),
			UE_BLOB(blob), UE_UUID(uuid)),
	     UE_ARRAY(UE_U64(numbers), 40), UE_SEQUENCE(UE_STRING(texts)),
	     UE_ARRAY(UE_BLOB(blobs), 2), UE_STRING(last), UE_U16(after));

/* Counts ioctl() calls of the program and of the library. */
static int registrations;

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	/* DIAG_IOCSREG of one of ours; a probe has another size, or no name. */
	if (_IOC_TYPE(request) == '*' && _IOC_NR(request) == 0)
		registrations++;
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

static void one_registration_for_a_thousand_events(void **state)
{
	(void)state;
	registrations = 0;
	assert_int_equal(ue_register(session, UE_EVENT_OF(of_thousand)), 0);
	assert_int_equal(registrations, 1);
	/* The others of this module are the two levels. */
	assert_int_equal(ue_register_all(session), 0);
	assert_int_equal(registrations, 3);
	assert_string_equal(UE_EVENT_OF(of_thousand)->definition,
			    "Test_Thousand_L5K10 u8 eventheader_flags; u8 version; u16 id; "
			    "u16 tag; u8 opcode; u8 level");
	listen_to(UE_EVENT_OF(of_thousand));
#define WRITE(n) assert_int_equal(UE_WRITE(session, event##n, 1##n), 0);
	THOUSAND(WRITE)
	assert_int_equal(count_entries(), 1000);
	stop_listening(UE_EVENT_OF(of_thousand));
	assert_int_equal(ue_unregister_all(), 0);
}

static void each_level_is_enabled_separately(void **state)
{
	(void)state;
	assert_int_equal(ue_register_all(session), 0);
	assert_int_equal(UE_ENABLED(errors) + UE_ENABLED(details), 0);
	listen_to(UE_EVENT_OF(errors));
	assert_int_equal(UE_ENABLED(errors), 1);
	assert_int_equal(UE_ENABLED(failed), 1);
	assert_int_equal(UE_ENABLED(details), 0);
	assert_int_equal(UE_WRITE(session, step, "passed over", 1), 0);
	assert_int_equal(UE_WRITE(session, failed, ENOENT), 0);
	assert_int_equal(count_recorded(), 1);
	stop_listening(UE_EVENT_OF(errors));
	listen_to(UE_EVENT_OF(details));
	assert_int_equal(UE_ENABLED(errors), 0);
	assert_int_equal(UE_ENABLED(step), 1);
	stop_listening(UE_EVENT_OF(details));
	assert_int_equal(ue_unregister_all(), 0);
}

/* Header, description, values; little-endian. */
#define STEP                                            \
	"\7\0\0\0\0\0\0\5\x13\0\1\0step\0name\0\7number\0\4" \
	"now\0\x2a\0\0\0"
#define ID "0123456789abcdef"
#define PART "fedcba9876543210"

static void all_forms_arrive(void **state)
{
	struct ue_activity id, part;
	struct ue_builder *builder = ue_builder_new();

	(void)state;
	memcpy(&id, ID, sizeof(id));
	memcpy(&part, PART, sizeof(part));
	assert_int_equal(ue_register_all(session), 0);
	listen_to(UE_EVENT_OF(details));
	assert_int_equal(UE_WRITE(session, step, "now", 42), 0);
	assert_true(was_recorded(STEP, sizeof(STEP) - 1));
	assert_int_equal(UE_WRITE_EVENTHEADER(session, details, "step", UE_STRING(name, "now"),
				UE_U32(number, 42)), 0);
	assert_true(was_recorded(STEP, sizeof(STEP) - 1));
	ue_builder_begin(builder, "step", 0);
	ue_builder_string(builder, "name", "now");
	ue_builder_u32(builder, "number", 42);
	assert_int_equal(ue_builder_write(builder, session, UE_TRACEPOINT_OF(details),
					  NULL,
					  NULL),
			 0);
	assert_true(was_recorded(STEP, sizeof(STEP) - 1));
	ue_builder_free(builder);
	assert_int_equal(UE_WRITE_ACTIVITY(session, &id, &part, step, "now", 42), 0);
	assert_true(was_recorded("\7\0\0\0\0\0\0\5\x20\0\2\x80" ID PART "\x13\0\1\0step", 52));
	assert_int_equal(UE_WRITE_ACTIVITY(session, NULL, &part, step, "now", 42), -EINVAL);
	assert_int_equal(count_recorded(), 0);
	stop_listening(UE_EVENT_OF(details));
	assert_int_equal(ue_unregister_all(), 0);
}

static char expected[8192];
static size_t expected_size;

static void expect(const void *bytes, size_t size)
{
	if (size) /* else bytes may be NULL */
		memcpy(expected + expected_size, bytes, size);
	expected_size += size;
}

static void expect_span(const struct ue_span *span)
{
	const uint16_t count = (uint16_t)span->length;

	expect(&count, sizeof(count));
	expect(span->data, span->length);
}

static void expect_outer(const struct outer *outer)
{
	expect(&outer->id, sizeof(outer->id));
	for (int i = 0; i < 2; i++) {
		expect(&outer->in[i].n, sizeof(outer->in[i].n));
		expect(outer->in[i].s, strlen(outer->in[i].s) + 1);
	}
	expect_span(&outer->blob);
	expect(outer->uuid, sizeof(outer->uuid));
}

/* Header and description of "nested"; little-endian. */
#define NESTED                                                       \
	"\7\0\0\0\0\0\0\5\x5e\0\1\0nested\0before\0\2outers\0\xc1\4" \
	"id\0\4in\0\xa1\2\2\0n\0\3s\0\7blob\0\x0d"                  \
	"uuid\0\x86\x0f" "numbers\0\x25\x28\0texts\0\x47"           \
	"blobs\0\x2d\2\0last\0\7" "after\0\3"

static void nested_arrays_arrive(size_t length)
{
	static char bytes[1001];
	const char *const texts[] = { bytes + 1000 - length, "", bytes + 999 };
	const struct ue_span blobs[] = { { bytes, length }, { NULL, 0 } };
	const struct outer outers[] = {
		{ 1, { { 2, "two" }, { 3, bytes + 1000 - length } }, { bytes, 3 }, "0123456789abcde" },
		{ 4, { { 5, "" }, { 6, "six" } }, { bytes, length }, "fedcba987654321" },
	};
	uint64_t numbers[40];

	memset(bytes, 'x', sizeof(bytes) - 1);
	for (int i = 0; i < 40; i++)
		numbers[i] = (uint64_t)i << 40;
	expected_size = 0;
	expect(NESTED, sizeof(NESTED) - 1);
	expect("\7\2", 3);
	expect_outer(&outers[0]);
	expect_outer(&outers[1]);
	expect(numbers, sizeof(numbers));
	expect("\3", 2);
	for (int i = 0; i < 3; i++)
		expect(texts[i], strlen(texts[i]) + 1);
	expect_span(&blobs[0]);
	expect_span(&blobs[1]);
	expect("the end\0\x34\x12", 10);
	assert_int_equal(UE_WRITE(session, nested, 7, outers, 2, numbers, texts, 3, blobs,
				  "the end", 0x1234), 0);
	assert_true(was_recorded(expected, expected_size));
}

/* In a record on the stack, and in one that is mapped. */
static void arrays_and_spans_arrive(void **state)
{
	(void)state;
	assert_int_equal(ue_register_all(session), 0);
	listen_to(UE_EVENT_OF(details));
	nested_arrays_arrive(10);
	nested_arrays_arrive(300);
	assert_true(expected_size < 2048);
	nested_arrays_arrive(700);
	assert_true(expected_size > 2048);
	stop_listening(UE_EVENT_OF(details));
	assert_int_equal(ue_unregister_all(), 0);
}

static void sizes_up_to_the_limit(void **state)
{
	static char bytes[8192];
	/* header, extension, "large", "bytes" with its type, count */
	const size_t rest = 8 + 4 + 6 + 7 + 2;
	const size_t most = (size_t)ue_payload_max(session) - rest;

	(void)state;
	assert_int_equal(ue_register_all(session), 0);
	listen_to(UE_EVENT_OF(details));
	assert_int_equal(UE_WRITE(session, large, bytes, 0), 0);
	assert_int_equal(UE_WRITE(session, large, bytes, 1280), 0);
	assert_int_equal(UE_WRITE(session, large, bytes, most), 0);
	assert_int_equal(UE_WRITE(session, large, bytes, most + 1), -EMSGSIZE);
	assert_int_equal(UE_WRITE_EVENTHEADER(session, details, "large", UE_BLOB(bytes, bytes, most)), 0);
	assert_int_equal(UE_WRITE_EVENTHEADER(session, details, "large", UE_BLOB(bytes, bytes, most + 1)),
			 -EMSGSIZE);
	assert_int_equal(count_entries(), 4);
	assert_int_equal(ue_event_losses(UE_EVENT_OF(large), UE_LOSS_TOO_LARGE), 2);
	stop_listening(UE_EVENT_OF(details));
	assert_int_equal(ue_unregister_all(), 0);
}

static void made_at_run_time(void **state)
{
	struct ue_tracepoint tracepoint;
	struct ue_builder *builder = ue_builder_new();
	char provider[64];

	(void)state;
	snprintf(provider, sizeof(provider), "Test_Late_%d", getpid());
	assert_int_equal(ue_tracepoint_init(&tracepoint, provider, "g", 255, UINT64_MAX, 0,
					    NULL), 0);
	ue_builder_begin(builder, "nobody listens", 0);
	assert_int_equal(ue_builder_write(builder, session, &tracepoint, NULL, NULL), 0);
	assert_int_equal(ue_register(session, &tracepoint.event), 0);
	assert_int_equal(ue_builder_write(builder, session, &tracepoint, NULL, NULL), 0);
	listen_to(&tracepoint.event);
	ue_builder_begin(builder, "x", 0);
	assert_int_equal(ue_builder_write(builder, session, &tracepoint, NULL, NULL), 0);
	assert_true(was_recorded("\7\0\0\0\0\0\0\xff\2\0\1\0x\0", 14));
	stop_listening(&tracepoint.event);
	assert_int_equal(ue_unregister(&tracepoint.event), 0);
	ue_builder_free(builder);
}

UE_PROVIDER(wrong, "not a name");
static struct ue_tracepoint wrong_one = {
	UE_EVENT_INIT(wrong_one.event, wrong_one.ue__text), { 0, 0, 0, 0 }, ""
};

static void a_wrong_name_is_rejected(void **state)
{
	static const struct ue_tracepoint_parts parts = { wrong_ue__provider, NULL, 0, 1 };
	struct ue_eventheader_error error;

	(void)state;
	wrong_one.event.ue__parts = &parts;
	registrations = 0;
	assert_int_equal(ue_register(session, &wrong_one.event), -EINVAL);
	assert_int_equal(registrations, 0);
	assert_int_equal(ue_tracepoint_check(&wrong_one, &error), -EINVAL);
	assert_string_equal(error.name, "name_provider");
	assert_int_equal(error.offset, 3);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(one_registration_for_a_thousand_events),
		SESSION_TEST(each_level_is_enabled_separately),
		SESSION_TEST(all_forms_arrive),
		SESSION_TEST(arrays_and_spans_arrive),
		SESSION_TEST(sizes_up_to_the_limit),
		SESSION_TEST(made_at_run_time),
		SESSION_TEST(a_wrong_name_is_rejected),
	};

	return RUN_TESTS(tests, argc, argv);
}
