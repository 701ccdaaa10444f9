/* SPDX-License-Identifier: MIT */
#include "address_text.h"
#include "number_text.h"

char *ue__put_byte(char *at, uint8_t byte)
{
	*at++ = "0123456789abcdef"[byte >> 4];
	*at++ = "0123456789abcdef"[byte & 15];
	return at;
}

char *ue__put_uuid(char *at, const uint8_t *uuid)
{
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*at++ = '-';
		at = ue__put_byte(at, uuid[i]);
	}
	return at;
}

char *ue__put_ipv4(char *at, const uint8_t *address)
{
	for (int i = 0; i < 4; i++) {
		if (i)
			*at++ = '.';
		at = ue__put_decimal(at, address[i]);
	}
	return at;
}

/* The longest run of two or more zero groups, the first of equals. */
static int longest_zeros(const uint16_t *groups, int *length)
{
	int begin = -1;

	*length = 1;
	for (int i = 0; i < 8; i++) {
		int end = i;

		while (end < 8 && !groups[end])
			end++;
		if (end - i > *length) {
			begin = i;
			*length = end - i;
		}
		if (end > i)
			i = end;
	}
	return begin;
}

static char *put_group(char *at, uint32_t group)
{
	int shift = 12;

	while (shift && !(group >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[group >> shift & 15];
	return at;
}

/* ::1.2.3.4 and ::ffff:1.2.3.4 */
static int ends_as_ipv4(const uint16_t *groups, int zeros, int length)
{
	return !zeros && (length == 6 || (length == 5 && groups[5] == 0xffff));
}

char *ue__put_ipv6(char *at, const uint8_t *address)
{
	uint16_t groups[8];
	int zeros, length, ipv4;

	for (int i = 0; i < 8; i++)
		groups[i] = (uint16_t)(address[2 * i] << 8 | address[2 * i + 1]);
	zeros = longest_zeros(groups, &length);
	ipv4 = ends_as_ipv4(groups, zeros, length);
	for (int i = 0; i < 8; i++) {
		if (i == zeros) {
			*at++ = ':';
			i += length;
			if (i == 8)
				*at++ = ':';
		}
		if (i && i < 8)
			*at++ = ':';
		if (ipv4 && i == 6)
			return ue__put_ipv4(at, address + 12);
		if (i < 8)
			at = put_group(at, groups[i]);
	}
	return at;
}
