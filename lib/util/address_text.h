/* SPDX-License-Identifier: MIT */
/* Bytes as text; each function returns the end of what it wrote. */
#ifndef UE__UTIL_ADDRESS_TEXT_H
#define UE__UTIL_ADDRESS_TEXT_H

#include <stdint.h>

/* "0f" */
char *ue__put_byte(char *at, uint8_t byte);
/* 16 bytes as 8-4-4-4-12 hex digits. */
char *ue__put_uuid(char *at, const uint8_t *uuid);
/* 4 bytes as "127.0.0.1". */
char *ue__put_ipv4(char *at, const uint8_t *address);
/* 16 bytes as "2001:db8::1", in the canonical form. */
char *ue__put_ipv6(char *at, const uint8_t *address);

#endif
