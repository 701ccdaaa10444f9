/* SPDX-License-Identifier: MIT */
/*
 * The facts that the types of each kernel have about user_events. Objects with the same types stand for
 * the kernels. Arguments: VERSION=OBJECT...
 */
#define _GNU_SOURCE
#include "../test.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <userevents/features.h>

#include "types/kernel_types.h"

static char **objects;
static int object_count;

static const char *object_of(int version)
{
	for (int i = 0; i < object_count; i++)
		if (atoi(objects[i]) == version)
			return strchr(objects[i], '=') + 1;
	fail_msg("no object of version %d", version);
	return NULL;
}

static void says(int version, enum ue__generation generation, enum ue__known persist,
		 enum ue__known multi_format)
{
	struct ue__kernel_types types;

	assert_int_equal(ue__kernel_types_read(&types, object_of(version)), 0);
	assert_int_equal(types.generation, generation);
	assert_int_equal(types.persist, persist);
	assert_int_equal(types.multi_format, multi_format);
}

static void each_generation_is_known_by_its_members(void **state)
{
	(void)state;
	says(504, UE__GENERATION_NONE, UE__KNOWN_NO, UE__KNOWN_NO);
	says(518, UE__GENERATION_BYTE, UE__KNOWN_NO, UE__KNOWN_NO);
	says(601, UE__GENERATION_BIT, UE__KNOWN_NO, UE__KNOWN_NO);
	says(604, UE__GENERATION_ADDRESS, UE__KNOWN_MAYBE, UE__KNOWN_NO);
	says(607, UE__GENERATION_ADDRESS, UE__KNOWN_YES, UE__KNOWN_NO);
	says(609, UE__GENERATION_ADDRESS, UE__KNOWN_YES, UE__KNOWN_YES);
	says(0, UE__GENERATION_OTHER, UE__KNOWN_MAYBE, UE__KNOWN_MAYBE);
}

/* The answers of a process that may not open user_events_data, on the kernel of a version. */
static void answer(struct ue_features *features, int version)
{
	struct ue__kernel_types types;

	memset(features, 0, sizeof(*features));
	features->size = sizeof(*features);
	for (int i = 0; i < UE_FEATURES; i++) {
		features->of[i].answer = UE_ANSWER_UNKNOWN;
		features->of[i].error = -EACCES;
	}
	features->of[UE_FEATURE_RIGHTS].answer = UE_ANSWER_NO;
	features->source[UE_FEATURE_RIGHTS] = UE_SOURCE_TEST;
	assert_int_equal(ue__kernel_types_read(&types, object_of(version)), 0);
	ue__features_by_types(features, &types);
}

static void are(int version, const char *expected)
{
	static const char letters[] = "-yn?";
	struct ue_features features;
	char found[UE_FEATURES + 1] = "";

	answer(&features, version);
	for (int i = 0; i < UE_FEATURES; i++) {
		int is_known = features.of[i].answer != UE_ANSWER_UNKNOWN;

		found[i] = letters[features.of[i].answer];
		if (i == UE_FEATURE_RIGHTS)
			continue;
		assert_int_equal(features.source[i],
				 is_known ? UE_SOURCE_TYPES : UE_SOURCE_NONE);
		assert_int_equal(features.of[i].error, is_known ? 0 : -EACCES);
	}
	assert_string_equal(found, expected);
	/* a test knows more */
	assert_int_equal(features.of[UE_FEATURE_RIGHTS].error, -EACCES);
	assert_int_equal(features.source[UE_FEATURE_RIGHTS], UE_SOURCE_TEST);
}

/* user_events, rights, status_page, enable_address, persist, multi_format, capture */
static void types_answer_what_a_test_cannot(void **state)
{
	(void)state;
	are(504, "nnnnnn?");
	are(518, "nnnnnn?");
	are(601, "ynynnn?");
	are(604, "ynny?n?");
	are(607, "ynnyyn?");
	are(609, "ynnyyy?");
	are(0, "?n????" "?");
}

static void a_known_answer_stays(void **state)
{
	struct ue_features features = { .size = sizeof(features) };
	struct ue__kernel_types types = { UE__GENERATION_ADDRESS, UE__KNOWN_YES, UE__KNOWN_YES };

	(void)state;
	features.of[UE_FEATURE_USER_EVENTS].answer = UE_ANSWER_NO;
	features.of[UE_FEATURE_USER_EVENTS].error = -ENOENT;
	ue__features_by_types(&features, &types);
	assert_int_equal(features.of[UE_FEATURE_USER_EVENTS].answer, UE_ANSWER_NO);
	assert_int_equal(features.of[UE_FEATURE_USER_EVENTS].error, -ENOENT);
	assert_int_equal(features.of[UE_FEATURE_PERSIST].answer, UE_ANSWER_NOT_ASKED);
}

static size_t read_object(int version, char **text)
{
	FILE *file = fopen(object_of(version), "re");
	size_t length;

	assert_non_null(file);
	*text = malloc(1 << 20);
	length = fread(*text, 1, 1 << 20, file);
	fclose(file);
	assert_true(length > 0);
	return length;
}

static int read_bytes(const char *text, size_t length)
{
	struct ue__kernel_types types;
	int fd = memfd_create("kernel", 0), result;
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, length), length);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	result = ue__kernel_types_read(&types, path);
	close(fd);
	return result;
}

static void damaged_types_are_an_error_or_other_types(void **state)
{
	char *text;
	size_t length = read_object(609, &text);

	(void)state;
	assert_int_equal(read_bytes(text, length), 0);
	assert_true(read_bytes("", 0) < 0);
	assert_true(read_bytes("no types at all", 15) < 0);
	for (size_t cut = 1; cut < length; cut += 97)
		assert_true(read_bytes(text, cut) <= 0);
	for (size_t at = 0; at < length; at += 13) {
		char kept = text[at];

		text[at] = (char)(kept ^ 0x81);
		assert_true(read_bytes(text, length) <= 0);
		text[at] = kept;
	}
	free(text);
}

static void an_absent_file_is_an_error(void **state)
{
	struct ue__kernel_types types;

	(void)state;
	assert_int_equal(ue__kernel_types_read(&types, "/nonexistent"), -ENOENT);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_generation_is_known_by_its_members),
		cmocka_unit_test(types_answer_what_a_test_cannot),
		cmocka_unit_test(a_known_answer_stays),
		cmocka_unit_test(damaged_types_are_an_error_or_other_types),
		cmocka_unit_test(an_absent_file_is_an_error),
	};
	void *libbpf = dlopen("libbpf.so.1", RTLD_NOW);

	if (!libbpf) {
		puts("1..0 # SKIP libbpf is not installed");
		return 77;
	}
	dlclose(libbpf);
	objects = argv + 1;
	object_count = argc - 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
