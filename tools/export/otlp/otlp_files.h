/* SPDX-License-Identifier: MIT */
/* Files of OTLP. */
#ifndef UE__TOOLS_EXPORT_OTLP_FILES_H
#define UE__TOOLS_EXPORT_OTLP_FILES_H

#include "export/tree/exporter.h"

/* A line a request, as the otlpjsonfile receiver reads and the file exporter writes. */
exporter_open otlp_json_open;
/*
 * A folder with the files logs, traces and metrics: requests in Protocol Buffers, each after
 * its length in 4 bytes, big-endian, as the collector's file exporter writes with "format: proto".
 */
exporter_open otlp_protobuf_open;

#endif
