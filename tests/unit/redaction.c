/* SPDX-License-Identifier: MIT */
/* The hash of redacted fields, with the values of its authors. */
#include "test.h"

#include "export/tree/exported_event.h"

/* Of the paper's appendix and vectors.h: key and message are the bytes 0, 1, 2... */
static void hashes_are_those_of_siphash(void **state)
{
	static const struct {
		size_t length;
		uint64_t hash;
	} vectors[] = {
		{ 0, 0x726fdb47dd0e0e31 }, { 1, 0x74f839c593dc67fd }, { 7, 0xab0200f58b01d137 },
		{ 8, 0x93f5f5799a932462 }, { 15, 0xa129ca6149be45e5 },
		{ 16, 0x3f2acc7f57c29bdb }, { 63, 0x958a324ceb064572 },
	};
	const uint64_t key[2] = { 0x0706050403020100, 0x0f0e0d0c0b0a0908 };
	uint8_t message[63];

	(void)state;
	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (uint8_t)i;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		assert_int_equal(redaction_sip_hash(key, message, vectors[i].length),
				 vectors[i].hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hashes_are_those_of_siphash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
