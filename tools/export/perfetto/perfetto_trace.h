/* SPDX-License-Identifier: MIT */
/* A trace for Perfetto. */
#ifndef UE__TOOLS_EXPORT_PERFETTO_TRACE_H
#define UE__TOOLS_EXPORT_PERFETTO_TRACE_H

#include "export/tree/exporter.h"

exporter_open perfetto_open;

#endif
