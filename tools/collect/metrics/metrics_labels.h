/* SPDX-License-Identifier: MIT */
/*
 * Labels of the collector's own, NAME=VALUE, that each of its series has: series of two
 * collectors whose files node_exporter reads must differ, or it refuses all of them.
 */
#ifndef UE__TOOLS_COLLECT_METRICS_LABELS_H
#define UE__TOOLS_COLLECT_METRICS_LABELS_H

#include "common/cli/options.h"

#define METRICS_LABELS_MAX 8

/* The first word that is wrong, and why; or NULL. */
const char *metrics_labels_wrong(const struct words *labels, const char **reason);
/* Correct ones as in a series, collector="rings",site="b", to be freed. */
char *metrics_labels_text(const struct words *labels);

#endif
