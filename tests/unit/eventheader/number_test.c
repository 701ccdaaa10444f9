/* SPDX-License-Identifier: MIT */
/* Numbers as text, against the C library. */
#include "unit.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <userevents/decode/render.h>

#include "util/number_text.h"

static uint64_t seed = 88172645463325252;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void check_integer(uint64_t value)
{
	char ours[64], theirs[64];

	*ue__put_decimal(ours, value) = '\0';
	snprintf(theirs, sizeof(theirs), "%" PRIu64, value);
	assert_string_equal(ours, theirs);
	*ue__put_signed(ours, (int64_t)value) = '\0';
	snprintf(theirs, sizeof(theirs), "%" PRId64, (int64_t)value);
	assert_string_equal(ours, theirs);
	*ue__put_hex(ours, value) = '\0';
	snprintf(theirs, sizeof(theirs), "0x%" PRIX64, value);
	assert_string_equal(ours, theirs);
}

static void integers(void **state)
{
	uint64_t power = 1;

	(void)state;
	for (int i = 0; i < 64; i++) {
		check_integer(((uint64_t)1 << i) - 1);
		check_integer((uint64_t)1 << i);
	}
	for (int i = 0; i < 20; i++, power *= 10) {
		check_integer(power - 1);
		check_integer(power);
	}
	for (int i = 0; i < 100000; i++)
		check_integer(random64() >> (random64() & 63));
}

/* The fewest digits that read back as the number. */
static int digits_needed(double value, int is_float)
{
	char text[64];
	int digits = 1;

	for (; digits < 17; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits - 1, value);
		if (is_float ? strtof(text, NULL) == (float)value :
			       strtod(text, NULL) == value)
			break;
	}
	return digits;
}

static int count_digits(const char *text)
{
	int count = 0, zeros = 0;

	for (; *text && *text != 'e'; text++) {
		if (*text == '0') {
			zeros += count > 0;
		} else if (*text >= '1' && *text <= '9') {
			count += zeros + 1;
			zeros = 0;
		}
	}
	return count;
}

static void check_double(double value)
{
	char text[64];

	if (!isfinite(value))
		return;
	*ue__put_double(text, value) = '\0';
	assert_true(strtod(text, NULL) == value);
	if (strpbrk(text, ".e"))
		assert_true(count_digits(text) <= digits_needed(value, 0));
}

static void check_float(float value)
{
	char text[64];

	if (!isfinite(value))
		return;
	*ue__put_float(text, value) = '\0';
	assert_true(strtof(text, NULL) == value);
	if (strpbrk(text, ".e"))
		assert_true(count_digits(text) <= digits_needed((double)value, 1));
}

static void floats(void **state)
{
	(void)state;
	for (int i = -1074; i < 1024; i++)
		check_double(ldexp(1, i));
	for (int i = -149; i < 128; i++)
		check_float(ldexpf(1, i));
	for (int i = 0; i < 30000; i++) {
		uint64_t bits = random64();
		uint32_t half = (uint32_t)bits;
		double number;
		float single;

		memcpy(&number, &bits, sizeof(number));
		memcpy(&single, &half, sizeof(single));
		check_double(number);
		check_float(single);
		check_double((double)(int64_t)(bits >> 20) / 1000);
		check_float((float)(half >> 12) / 100);
	}
}

static void check_text(double value, const char *expected)
{
	char text[64];

	*ue__put_double(text, value) = '\0';
	assert_string_equal(text, expected);
}

static void float_layout(void **state)
{
	(void)state;
	check_text(0.001, "0.001");
	check_text(1e-4, "1e-04");
	check_text(10000, "10000");
	check_text(100000, "1e+05");
	check_text(123456789012345667584.0, "123456789012345667584");
	check_text(5e-324, "5e-324");
	check_text(-0.0, "-0");
	check_text(0.30000000000000004, "0.30000000000000004");
	check_text((double)INFINITY, "inf");
	check_text(-(double)INFINITY, "-inf");
}

static void times(void **state)
{
	char ours[64], theirs[64];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		/* years 1000 to 9999, which every strftime() writes in the same way */
		time_t seconds = (time_t)(random64() % 284012524800) - 30610224000;
		struct tm tm;

		*ue__put_time(ours, seconds) = '\0';
		strftime(theirs, sizeof(theirs), "%Y-%m-%dT%H:%M:%S",
			 gmtime_r(&seconds, &tm));
		assert_string_equal(ours, theirs);
	}
	*ue__put_time(ours, 67768036191676799) = '\0';
	assert_string_equal(ours, "2147485547-12-31T23:59:59");
	*ue__put_time(ours, 67768036191676800) = '\0';
	assert_string_equal(ours, "TIME(67768036191676800)");
	*ue__put_time(ours, -67768040609740800) = '\0';
	assert_string_equal(ours, "-2147481748-01-01T00:00:00");
	*ue__put_time(ours, -67768040609740801) = '\0';
	assert_string_equal(ours, "TIME(-67768040609740801)");
}

static void addresses(void **state)
{
	(void)state;
	for (int i = 0; i < 50000; i++) {
		uint64_t choice = random64();
		uint8_t address[16];
		struct ue_value value = {
			.bytes = address, .length = 16,
			.encoding = UE_ENCODING_VALUE128,
			.format = UE_FORMAT_IP_ADDRESS,
		};
		char ours[64], theirs[64];

		for (int j = 0; j < 16; j++)
			address[j] = choice >> j / 2 & 1 ? 0 :
				     choice >> (16 + j) & 1 ? 0xff :
							      (uint8_t)random64();
		ue_value_to_text(&value, 0, ours, sizeof(ours));
		inet_ntop(AF_INET6, address, theirs, sizeof(theirs));
#ifdef __GLIBC__ /* that of musl writes some in another way */
		assert_string_equal(ours, theirs);
#endif
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(floats),
		cmocka_unit_test(float_layout),
		cmocka_unit_test(times),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
