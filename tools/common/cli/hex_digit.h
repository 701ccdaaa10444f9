/* SPDX-License-Identifier: MIT */
/* Hexadecimal digits, in any locale. */
#ifndef UE__TOOLS_CLI_HEX_DIGIT_H
#define UE__TOOLS_CLI_HEX_DIGIT_H

/* Its value, or -1. */
static inline int hex_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

#endif
