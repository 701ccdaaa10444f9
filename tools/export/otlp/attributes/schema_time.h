/* SPDX-License-Identifier: MIT */
/* Times in records of Common Schema. */
#ifndef UE__TOOLS_EXPORT_OTLP_SCHEMA_TIME_H
#define UE__TOOLS_EXPORT_OTLP_SCHEMA_TIME_H

#include <stdint.h>

#include "common/events/field_value.h"

/* A text of RFC 3339, from 1970 to 2262, in nanoseconds since 1970: 1, or 0 if it is none. */
int schema_time(const struct value *value, int64_t *time);

#endif
