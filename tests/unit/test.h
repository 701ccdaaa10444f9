/* SPDX-License-Identifier: MIT */
/* cmocka needs these, in this order. */
#ifndef UE__TESTS_UNIT_TEST_H
#define UE__TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
